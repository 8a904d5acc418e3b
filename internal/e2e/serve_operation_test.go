//go:build unix

package e2e_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestServeOperation checks what an operator sees of a service: the metrics at their own
// address, a log in JSON, and /readyz, which fails before the service stops.
func TestServeOperation(t *testing.T) {
	t.Parallel()
	get := func(url string) (int, string) {
		resp, err := http.Get(url) //nolint:noctx // it is answered at once
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	serve := exec.Command("foretell", "serve", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--metrics-listen", "127.0.0.1:0",
		"--drain-delay", "2s", "--clamav", "127.0.0.1:3310", "--log-level", "debug", "--trust-proxy", "10.0.0.5,0.0.0.0/0")
	serve.Env = append(serve.Environ(), "FORETELL_LOG_FORMAT=json")
	metrics, base, draining := "", "", false
	_, messages, err := follow(t, serve, func(line string) {
		var notice struct{ Msg, URL string }
		if err := json.Unmarshal([]byte(line), &notice); err != nil {
			t.Errorf("%v in %s", err, line)
		}
		if notice.Msg == "metrics on" {
			metrics = notice.URL
		}
		if notice.Msg == "listening on" {
			base = notice.URL
			if status, body := get(base + "/metrics"); status != http.StatusNotFound {
				t.Errorf("/metrics is public: %d %s", status, body)
			}
			if status, body := get(base + "/readyz"); status != http.StatusOK {
				t.Errorf("/readyz: %d %s", status, body)
			}
			status, body := get(metrics)
			for _, name := range []string{
				`foretell_jobs_oldest_queued_seconds{kind="train"} 0`, `foretell_job_duration_seconds_count{kind="train"} 0`, "foretell_http_connections ",
				`foretell_storage_bytes{kind="models"} 0`, "foretell_disk_free_bytes ", `foretell_login_failures_total{reason="credentials"} 0`,
				`foretell_storage_objects{kind="files"} 0`, `foretell_storage_errors_total{operation="read"} 0`, `foretell_malware_scans_total{result="unavailable"} 0`,
				`foretell_jobs_finished_total{kind="train",outcome="FAILED"} 0`, `foretell_jobs_finished_total{kind="predict",outcome="TIMEOUT"} 0`,
				`foretell_build_info{goversion="` + runtime.Version() + `",version="`, "foretell_database_up 1", "foretell_storage_up 1",
			} {
				if status != http.StatusOK || !strings.Contains(body, name) {
					t.Errorf("%d, no %s in %s", status, name, body)
				}
			}
			profiles := strings.TrimSuffix(metrics, "/metrics") + "/debug/pprof/"
			for path, want := range map[string]int{"": http.StatusOK, "heap?debug=1": http.StatusOK, "profile?seconds=0.1": http.StatusOK, "profile?seconds=0": http.StatusBadRequest, "cmdline": http.StatusNotFound} {
				if status, body := get(profiles + path); status != want {
					t.Errorf("%s: %d %.200s", path, status, body)
				}
			}
			if status, _ := get(base + "/debug/pprof/heap"); status != http.StatusNotFound {
				t.Errorf("the profiles are public: %d", status)
			}
			_ = serve.Process.Signal(syscall.SIGTERM)
			_ = serve.Process.Signal(syscall.SIGTERM)              // as from timeout(1), which signals the process and its group
			for status = http.StatusOK; status == http.StatusOK; { // until the signal arrives
				status, body = get(base + "/readyz")
			}
			draining = status == http.StatusServiceUnavailable && strings.Contains(body, "about to stop")
			if status, body := get(base + "/"); status != http.StatusOK {
				t.Errorf("while draining: %d %s", status, body)
			}
		}
	})
	if err != nil || !draining {
		t.Errorf("ended with %v; readiness failed first: %v", err, draining)
	}
	logged := map[string]bool{} // first words of messages
	for line := range strings.Lines(messages) {
		var entry struct{ Level, Msg, RequestID, Link string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%v in %s", err, line)
		}
		if entry.Msg == "request" && entry.RequestID != "" || strings.HasPrefix(entry.Link, base+"/password?code=") || strings.HasPrefix(entry.Msg, "stopped;") || strings.HasPrefix(entry.Msg, "--trust-proxy trusts a network of all addresses") {
			logged[strings.Fields(entry.Msg)[0]] = true
		}
	}
	if len(logged) != 4 {
		t.Errorf("the log has only %v: %s", logged, messages)
	}
}

// TestGracePeriod stops a service while a request is in progress that does not end within the grace
// period. The service must abort the request and end as after any other signal.
func TestGracePeriod(t *testing.T) {
	t.Parallel()
	serve := exec.Command("foretell", "serve", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--grace-period", "200ms")
	var conn net.Conn
	_, messages, err := follow(t, serve, func(line string) {
		_, address, ok := strings.Cut(line, "listening on http://")
		if !ok {
			return
		}
		var err error
		if conn, err = net.Dial("tcp", address); err != nil { //nolint:noctx // it is connected at once
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n")
		_, _ = io.ReadFull(conn, make([]byte, 12)) // the service waits for the body
		_ = serve.Process.Signal(syscall.SIGTERM)
	})
	if conn != nil {
		_ = conn.Close()
	}
	if err != nil || !strings.Contains(messages, "were aborted") || !strings.Contains(messages, "back in the queue") {
		t.Errorf("%v: %s", err, messages)
	}
}

// TestStopWithoutJobs stops a service that runs no jobs. The log must say that the service is about
// to stop, and no notice may be about jobs.
func TestStopWithoutJobs(t *testing.T) {
	t.Parallel()
	got := runUntil(t, os.Environ(), []string{"serve", "--no-work", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir()}, "listening on", syscall.SIGTERM)
	if got.code != 0 || !strings.Contains(got.stderr, `msg="stopping: `) || !strings.HasSuffix(got.stderr, "stopped\n") || strings.Contains(got.stderr, "queue") {
		t.Errorf("exit status %d: %s", got.code, got.stderr)
	}
}

// TestUnknownVariables checks that serve and worker warn about misspelt variables, but not about the
// variables of each other and of Kubernetes.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"worker"}} {
		env := append(os.Environ(), "FORETELL_NOWORK=true", "FORETELL_NO_WORK=false", "FORETELL_DATABSE=x", "FORETELL_EMPTY=", "FORETELL_PORT=tcp://10.0.0.1:80", "FORETELL_PORT_80_TCP_ADDR=10.0.0.1", "FORETELL_MEMORY=12GB")
		got := runUntil(t, env, append(command, "--data-dir", t.TempDir()), map[string]string{"serve": "listening on", "worker": "running the jobs of"}[command[0]], syscall.SIGTERM)
		var named []string
		for line := range strings.Lines(got.stderr) {
			if _, variable, ok := strings.Cut(strings.TrimSpace(line), `level=WARN msg="no command reads this environment variable" variable=`); ok {
				named = append(named, variable)
			}
		}
		if want := []string{"FORETELL_DATABSE", "FORETELL_NOWORK"}; got.code != 0 || !slices.Equal(named, want) {
			t.Errorf("%s: status %d, warnings about %q, want %q: %s", command[0], got.code, named, want, got.stderr)
		}
	}
}
