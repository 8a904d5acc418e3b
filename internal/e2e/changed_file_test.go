//go:build unix

package e2e_test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestFileChangesDuringRun changes a file of a run, without changing its size, between the check of
// the file and its upload.
func TestFileChangesDuringRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		// change is the start of the path of the POST request at which the file changes.
		change string
		fact   string
		hint   string
	}{
		{"training_file", "train.csv", "/api/v1/datasets", "train.csv: the file has changed since it was checked", "the dataset is still PENDING; restart the upload with `foretell datasets upload "},
		{"blind_file", "blind.csv", "/api/v1/training/", "blind.csv: the file has changed since it was checked", "the model is kept; when the blind file no longer changes, predict it with `foretell predict "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := account(t, serve)
			dir := copySteps(t)
			changed := sync.OnceFunc(func() { increaseLastDigit(t, filepath.Join(dir, c.file)) })
			proxy := startProxy(t, env, func(r *http.Request) {
				if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, c.change) {
					changed()
				}
			})
			run := exec.Command("foretell", "run", "train.csv", "--blind", "blind.csv", "--algorithm", "BSIX01")
			run.Dir, run.Env = dir, proxy
			var messages bytes.Buffer
			run.Stderr = &messages
			err := run.Run()
			text := strings.Join(strings.Fields(messages.String()), " ")
			if run.ProcessState.ExitCode() != 6 || !strings.Contains(text, c.fact) || !strings.Contains(text, c.hint) {
				t.Errorf("%v: %s", err, text)
			}
			if _, err := os.Stat(filepath.Join(dir, "blind.predictions.csv")); err == nil {
				t.Error("a result was written")
			}
		})
	}
}

// TestOutputAppearsDuringRun creates the output or the receipt of a run during its race.
func TestOutputAppearsDuringRun(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"blind.predictions.csv", "blind.predictions.csv.receipt.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, dir := account(t, serve), copySteps(t)
			proxy := startProxy(t, env, func(r *http.Request) {
				if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/api/v1/training/") {
					if err := os.WriteFile(filepath.Join(dir, name), []byte("of another process"), 0o600); err != nil {
						t.Error(err)
					}
				}
			})
			run := exec.Command("foretell", "run", "train.csv", "--blind", "blind.csv", "--algorithm", "BSIX01", "-q")
			run.Dir, run.Env = dir, proxy
			out, err := run.CombinedOutput()
			if run.ProcessState.ExitCode() != 9 || !strings.Contains(string(out), "this command has written the file blind.predictions-2.csv instead") {
				t.Errorf("%v: %s", err, out)
			}
			if content, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(content) != "of another process" {
				t.Errorf("the file of the other process has %q, %v", content, err)
			}
			verify := exec.Command("foretell", "predictions", "verify", "blind.predictions-2.csv", "--blind", "blind.csv")
			verify.Dir, verify.Env = dir, env
			if out, err := verify.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 5 {
				t.Errorf("the folder has %q, %v", left, err)
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".blind*")); err != nil || len(left) != 0 {
				t.Errorf("temporary files are left: %q, %v", left, err)
			}
		})
	}
}

// copySteps copies the files of testdata/steps into a folder.
func copySteps(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/steps")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// startProxy starts a proxy of the service in env, and returns env with the address of the proxy.
// The proxy calls hook before it forwards a request.
func startProxy(t *testing.T, env []string, hook func(*http.Request)) []string {
	t.Helper()
	target, err := url.Parse(strings.TrimPrefix(env[0], "FORETELL_SERVER="))
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.ErrorLog = log.New(io.Discard, "", 0)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hook(r)
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return append([]string{"FORETELL_SERVER=" + server.URL}, env[1:]...)
}

// increaseLastDigit changes the last digit of a file, whose size remains the same.
func increaseLastDigit(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	i := bytes.LastIndexAny(content, "0123456789")
	content[i] = '0' + (content[i]-'0'+1)%10
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Error(err)
	}
}
