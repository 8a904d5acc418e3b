//go:build unix

package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestErrorAfterRace makes one request of a run fail after its race has started. The error must have
// the command that continues the run, and this command must succeed without another race.
func TestErrorAfterRace(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races six times")
	}
	env := account(t, serve)
	service, err := url.Parse(strings.TrimPrefix(env[0], "FORETELL_SERVER="))
	if err != nil {
		t.Fatal(err)
	}
	limit := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	fail := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	lose := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for _, c := range []struct {
		name, method string
		path         *regexp.Regexp
		respond      http.HandlerFunc
		after        bool // respond after the service has executed the request
		exit         int
		command      string // beginning of the command in the hint
	}{
		{"progress", "GET", regexp.MustCompile(`/progress$`), fail, false, 1, "foretell run "},
		{"model", "GET", regexp.MustCompile(`/models/[0-9a-f-]+$`), limit, false, 7, "foretell run "},
		{"prediction", "POST", regexp.MustCompile(`/predictions/`), lose, true, 7, "foretell predictions download "},
		{"result", "GET", regexp.MustCompile(`/result$`), limit, false, 7, "foretell predictions download "},
		{"interrupted_download", "GET", regexp.MustCompile(`/result$`), nil, false, 130, "foretell predictions download "},
		{"race", "POST", regexp.MustCompile(`/training/`), lose, true, 7, "foretell run "},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := exec.Command("foretell", "run", "../../testdata/steps/train.csv", "--blind", "../../testdata/steps/blind.csv",
				"--algorithm", "BSIX01", "--effort", "fast", "--name", c.name, "-o", filepath.Join(t.TempDir(), "out.csv"), "-q")
			proxy, races := httputil.NewSingleHostReverseProxy(service), 0
			var mu sync.Mutex
			failed := false
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				hit := r.Method == c.method && c.path.MatchString(r.URL.Path) && !failed
				failed = failed || hit
				if r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/training/") {
					races++
				}
				mu.Unlock()
				if c.after && hit {
					proxy.ServeHTTP(httptest.NewRecorder(), r)
				}
				switch {
				case hit && c.respond == nil:
					_ = run.Process.Signal(syscall.SIGINT)
					<-r.Context().Done()
				case hit:
					c.respond(w, r)
				default:
					proxy.ServeHTTP(w, r)
				}
			}))
			defer front.Close()
			env := append([]string{"FORETELL_SERVER=" + front.URL}, env[1:]...)
			var stderr strings.Builder
			run.Env, run.Stderr = env, &stderr
			_ = run.Run() // the exit status is used instead of the error
			_, command, _ := strings.Cut(stderr.String(), "continue with `")
			command, _, _ = strings.Cut(command, "`")
			if code := run.ProcessState.ExitCode(); code != c.exit || !strings.HasPrefix(command, c.command) {
				t.Fatalf("exit %d: %s", code, stderr.String())
			}
			command = strings.Replace(command, " KEY", " @last", 1)
			next := exec.Command("sh", "-c", command)
			next.Env = append(env, "PATH="+filepath.Dir(run.Path))
			if out, err := next.CombinedOutput(); err != nil || races != 1 {
				t.Errorf("%s: %v, %d races: %s", command, err, races, out)
			}
		})
	}
}
