//go:build unix

package e2e_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// account calls start to start a service, creates an account and returns the environment
// variables for it.
func account(t *testing.T, start func(*testing.T) (address, dir string)) []string {
	t.Helper()
	address, dir := start(t)
	return accountOn(t, address, "--data-dir", dir)
}

// accountOn creates an account at the service with the given address and returns the
// environment variables for it. flags select the data of the service.
func accountOn(t *testing.T, address string, flags ...string) []string {
	t.Helper()
	if err := addAccount("a@example.com", flags); err != nil {
		t.Fatal(err)
	}
	return []string{
		"FORETELL_SERVER=" + address, "FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password",
		"HOME=" + t.TempDir(),
	}
}

// TestServiceRestart restarts the service while a command waits for a race.
func TestServiceRestart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races twice")
	}
	dir := t.TempDir()
	first, address := serveAt(t, "127.0.0.1:0", dir)
	env := account(t, func(*testing.T) (string, string) { return address, dir })
	run := exec.Command("foretell", "run", firstRows(t, "../../testdata/credit-g/train.csv", 150), "--algorithm", "BSEV01,BFIF01", "--progress", "json")
	run.Env = env
	restarted := false
	stdout, messages, err := follow(t, run, func(line string) {
		if restarted || !strings.Contains(line, `"event":"score"`) {
			return
		}
		restarted = true
		if err := first.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = first.Wait() // the exit status is that of a stopped process
		serveAt(t, strings.TrimPrefix(address, "http://"), dir)
	})
	if err != nil || !restarted || len(strings.TrimSpace(stdout)) != 36 {
		t.Errorf("%v, printed %q: %s", err, stdout, messages)
	}
}

// firstRows copies the first rows of a table into a file of the same name, and returns its
// path.
func firstRows(t *testing.T, table string, rows int) string {
	t.Helper()
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfterN(string(text), "\n", rows+2)
	path := filepath.Join(t.TempDir(), filepath.Base(table))
	if err := os.WriteFile(path, []byte(strings.Join(lines[:rows+1], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAbortedUpload breaks off the first upload after some of its bytes.
func TestAbortedUpload(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		rows     string
		after    int64
		pathPart string
	}{
		{"as_a_form", rowsOf(4_000, 64), 30_000, "/data"},
		{"directly", rowsOf(52_000, 640), 8_000_000, "/upload"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := account(t, serve)
			address, cuts := cutting(t, strings.TrimPrefix(env[0], "FORETELL_SERVER=http://"), c.pathPart, c.after)
			env[0] = "FORETELL_SERVER=" + address
			file := filepath.Join(t.TempDir(), "rows.csv")
			if err := os.WriteFile(file, []byte("id,a,b,class\n"+c.rows), 0o600); err != nil {
				t.Fatal(err)
			}
			create := exec.Command("foretell", "datasets", "create", "rows", file, "--no-wait", "--json", "--jq", ".status")
			create.Env = env
			out, err := create.Output()
			if state := strings.TrimSpace(string(out)); err != nil || state != "PROCESSING" && state != "COMPLETED" {
				t.Errorf("%v: %s", err, out)
			}
			if cuts.Load() != 1 {
				t.Errorf("%d connections were cut", cuts.Load())
			}
		})
	}
}

// rowsOf returns n rows, each with a text of the given length. If they have more than
// api.MaxAddDataBytes, they are not uploaded as a form.
func rowsOf(n, text int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "r%d,%s,%d.%d,%s\n", i, strings.Repeat("x", text), i%10, i%7, []string{"yes", "no"}[i%2])
	}
	return b.String()
}

// cutting starts a proxy for a service. The proxy aborts the first request whose path
// contains pathPart, when it has forwarded `after` bytes of the request. cuts counts the
// aborted requests.
func cutting(t *testing.T, service, pathPart string, after int64) (address string, cuts *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cuts = new(atomic.Int64)
	var serving sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	serving.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", service)
			if err != nil {
				_ = near.Close()
				return
			}
			serving.Go(func() {
				_, _ = io.Copy(near, far)
				_ = near.Close()
			})
			serving.Go(func() {
				forward(far, near, pathPart, after, cuts)
				_ = far.Close()
				_ = near.Close()
			})
		}
	})
	return "http://" + listener.Addr().String(), cuts
}

// forward copies the bytes of a request from near to far until the request must be aborted.
func forward(far io.Writer, near io.Reader, pathPart string, after int64, cuts *atomic.Int64) {
	chunk, left := make([]byte, 32<<10), int64(-1)
	for {
		n, err := near.Read(chunk)
		line, _, _ := strings.Cut(string(chunk[:n]), " HTTP/1.1\r\n")
		if left < 0 && strings.Contains(line, pathPart) && cuts.CompareAndSwap(0, 1) {
			left = after
		}
		if left >= 0 {
			if left -= int64(n); left < 0 {
				return
			}
		}
		if _, writeErr := far.Write(chunk[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// TestExpiredToken lets the token expire during a run. With a password in the environment the
// run continues. Without a password the error says how to continue.
func TestExpiredToken(t *testing.T) {
	t.Parallel()
	env := account(t, serve)
	service, err := url.Parse(strings.TrimPrefix(env[0], "FORETELL_SERVER="))
	if err != nil {
		t.Fatal(err)
	}
	var logins atomic.Int64
	var mu sync.Mutex
	calls, first := 0, ""
	proxy := httputil.NewSingleHostReverseProxy(service)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/login") {
			logins.Add(1)
		}
		mu.Lock()
		token := r.Header.Get("Authorization")
		if first == "" {
			first = token
		}
		if token != "" && token == first {
			calls++
		}
		expired := token == first && calls > 4
		mu.Unlock()
		if expired {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	env[0] = "FORETELL_SERVER=" + front.URL
	run := exec.Command("foretell", "run", "../../testdata/steps/train.csv", "--algorithm", "BSIX01", "--effort", "fast", "-q")
	run.Env = env
	if out, err := run.Output(); err != nil || len(strings.TrimSpace(string(out))) != 36 {
		t.Errorf("%v: %q", err, out)
	}
	if logins.Load() != 2 {
		t.Errorf("%d log-ins", logins.Load())
	}
	mu.Lock()
	stale := strings.TrimPrefix(first, "Bearer ")
	mu.Unlock()
	run = exec.Command("foretell", "run", "../../testdata/steps/train.csv", "--algorithm", "BSIX01", "--effort", "fast", "-q")
	run.Env = append(env, "FORETELL_TOKEN="+stale)
	if out, err := run.Output(); err != nil || len(strings.TrimSpace(string(out))) != 36 {
		t.Errorf("with an ended token and a password: %v: %q", err, out)
	}
	run = exec.Command("foretell", "run", "../../testdata/steps/train.csv", "--algorithm", "BSIX01", "-q")
	run.Env = append(withoutPassword(env), "FORETELL_TOKEN="+stale)
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	_ = run.Run() // the exit status is used instead of the error
	if run.ProcessState.ExitCode() != 4 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "foretell login") {
		t.Errorf("exit %d, printed %q: %s", run.ProcessState.ExitCode(), stdout.String(), stderr.String())
	}
}

// TestLongEmbeddedRace ends the session of the embedded service during a race, as happens
// after an hour. The command must open another session.
func TestLongEmbeddedRace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := exec.Command("foretell", "run", "../../testdata/steps/train.csv", "--algorithm", "BFIF01", "--progress", "json", "--data-dir", dir)
	run.Env = []string{"HOME=" + t.TempDir()}
	expired := int64(0)
	stdout, messages, err := follow(t, run, func(line string) {
		if expired == 0 && strings.Contains(line, `"event":"score"`) {
			expired = expireTokens(t, filepath.Join(dir, "foretell.db"))
		}
	})
	if err != nil || expired == 0 || len(strings.TrimSpace(stdout)) != 36 {
		t.Errorf("%v, %d sessions ended, printed %q: %s", err, expired, stdout, messages)
	}
}

// TestSessionEndsDuringRun ends the session of a command that waits for a service. The command must
// print how to continue.
func TestSessionEndsDuringRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, address := serveAt(t, "127.0.0.1:0", dir, "--no-work")
	env := accountOn(t, address, "--data-dir", dir)
	token, err := signIn(address, "a@example.com")
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command("foretell", "run", "../../testdata/credit-g/train.csv", "--progress", "plain")
	run.Env = append(withoutPassword(env), "FORETELL_TOKEN="+token)
	_, messages, err := follow(t, run, func(line string) {
		if strings.Contains(line, "no worker is running") {
			expireTokens(t, filepath.Join(dir, "foretell.db"))
		}
	})
	if err == nil || run.ProcessState.ExitCode() != 4 || !strings.Contains(messages, "then continue with `foretell run ../../testdata/credit-g/train.csv --progress plain`") {
		t.Errorf("%v: %s", err, messages)
	}
}

// withoutPassword returns env without the password, with which a command could log in again.
func withoutPassword(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool { return strings.HasPrefix(variable, "FORETELL_PASSWORD=") })
}

// expireTokens ends all sessions of a service and returns how many there were.
func expireTokens(t *testing.T, path string) int64 {
	t.Helper()
	rows, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	done, err := rows.ExecContext(t.Context(), "DELETE FROM token")
	if err != nil {
		t.Fatal(err)
	}
	n, err := done.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}
