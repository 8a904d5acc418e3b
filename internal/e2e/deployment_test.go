//go:build unix

package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestOtherDeployment uses a simulated deployment that has other paths and older names of
// states, sends numbers as strings and lists as arrays, and has its uploads and results on
// another host. That host must not receive the token.
func TestOtherDeployment(t *testing.T) {
	t.Parallel()
	const (
		dataset = "00000000-0000-4000-8000-00000000000d"
		race    = "00000000-0000-4000-8000-00000000000e"
		model   = "00000000-0000-4000-8000-00000000000f"
	)
	var mu sync.Mutex
	leaked, uploaded := "", 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		leaked += r.Header.Get("Authorization")
		if r.Method == http.MethodPut && r.Header.Get("X-Vendor-Content-Length-Range") == "10,534773760" {
			uploaded = len(body)
		}
	}))
	defer elsewhere.Close()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		say := func(format string, args ...any) { fmt.Fprintf(w, format, args...) }
		switch r.Method + " " + r.URL.Path {
		case "GET /api/v1/datasets":
			say(`{"datasets":[{"datasetKey":%q,"datasetName":"shop","status":"COMPLETED","numberOfBuckets":"64"}],"offset":"0","limit":"1000","total":"1"}`, dataset)
		case "GET /api/v1/datasets/" + dataset:
			mu.Lock()
			state := "PENDING"
			if uploaded > 0 {
				state = "COMPLETED"
			}
			mu.Unlock()
			say(`{"datasetKey":%q,"datasetName":"shop","status":%q,"rows":"60","datasetUploadInfo":{"uploadUrl":"%s/bucket?X-Signature=s","extraHeaders":"X-Vendor-Content-Length-Range:10,534773760"}}`,
				dataset, state, elsewhere.URL)
		case "GET /api/v1/training/" + race:
			say(`{"trainingJobKey":%q,"datasetKey":%q,"datasetName":"shop","status":"TIMEOUT","targetPerformance":"1","achievedPerformance":"0.75","modelKey":%q}`, race, dataset, model)
		case "GET /api/v1/training/" + race + "/progress":
			say(`{"status":"TIMEOUT","jobs":[{"trainingJobKey":%q,"algorithm":"BSIX01","status":"PROCESSING","latestPerformance":"0.75","recentPerformances":["0.7","0.75"]}]}`, race)
		case "GET /v2/model/" + model:
			say(`{"modelKey":%q,"version":"3","datasetKey":%q,"achievedPerformance":0.75}`, model, dataset)
		case "GET /api/v1/models/" + model + "/report":
			http.Redirect(w, r, elsewhere.URL+"/report", http.StatusTemporaryRedirect)
		default:
			w.Header().Set("Content-Type", "text/html")
			say("<html>no such page</html>")
		}
	}))
	defer service.Close()
	large := filepath.Join(t.TempDir(), "large.csv")
	if err := os.WriteFile(large, []byte("id,a,b,class\n"+rowsOf(52_000, 640)), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + t.TempDir(), "FORETELL_SERVER=" + service.URL, "FORETELL_TOKEN=secret"}
	for _, c := range []struct {
		name, args string
		exit       int
		prints     string
	}{
		{"a_path_is_overridden_in_the_profile", "config set paths.getModel /v2/model/{modelKey}", 0, ""},
		{"and_used", "models get " + model + " --json --jq [.version,.achievedPerformance]", 0, "[3,0.75]"},
		{"lists_are_arrays_and_numbers_numbers", "datasets list --json --jq .[0].numberOfBuckets", 0, "64"},
		{"older_states_are_ours", "training wait " + race + " --json --jq .status", 0, "TIMED_OUT"},
		{"progress_too", "training progress " + race + " --json --jq .jobs[0].status", 0, "RUNNING"},
		{"an_upload_goes_to_another_host", "datasets upload shop " + large + " --json --jq .status", 0, "COMPLETED"},
		{"a_page_is_no_consent_to_data", "datasets upload shop ../../testdata/steps/train.csv", 7, ""},
		{"a_redirect_takes_no_token_along", "models report " + model, 7, ""},
		{"its_dashboard_is_opened", "open", 0, service.URL + "/"},
		{"and_the_page_of_a_thing", "open shop", 0, service.URL + "/datasets/" + dataset},
		{"what_is_not_there_is_a_web_page", "predictions get " + model, 7, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			command := exec.Command("foretell", strings.Fields(c.args)...)
			command.Env = env
			var stdout, stderr bytes.Buffer
			command.Stdout, command.Stderr = &stdout, &stderr
			_ = command.Run() // the exit status is used instead of the error
			got := strings.TrimSpace(stdout.String())
			if command.ProcessState.ExitCode() != c.exit || c.prints != "" && got != c.prints {
				t.Errorf("exit %d, printed %q: %s", command.ProcessState.ExitCode(), got, stderr.String())
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	if leaked != "" {
		t.Errorf("another host saw the token: %q", leaked)
	}
}

// serveWithAccount starts a service with the account a@example.com, and returns its address.
func serveWithAccount(t *testing.T) *url.URL {
	t.Helper()
	address, dir := serve(t)
	if err := addAccount("a@example.com", []string{"--data-dir", dir}); err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// TestGateWithoutModelStates uses a deployment that cannot store the state of a model, or fails to
// do so. A missed requirement still ends the command with exit status 10, and a warning says that
// the model may become the champion.
func TestGateWithoutModelStates(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("races several times, one race after another")
	}
	target := serveWithAccount(t)
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusForbidden, http.StatusServiceUnavailable} {
		proxy := httputil.NewSingleHostReverseProxy(target)
		deployment := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/state") {
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"title":"no such operation","status":%d}`, status)
				return
			}
			proxy.ServeHTTP(w, r)
		}))
		run := exec.Command("foretell", "run", "../../testdata/steps/train.csv", "--name", fmt.Sprint("status ", status), "--algorithm", "BSIX01", "--effort", "fast", "--require", "logLoss<0", "--progress", "none")
		run.Env = []string{"HOME=" + t.TempDir(), "FORETELL_SERVER=" + deployment.URL, "FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password"}
		out, _ := run.CombinedOutput() // the exit status is used instead of the error
		if run.ProcessState.ExitCode() != 10 || !bytes.Contains(out, []byte("as rejected, so the model can become the champion of its series")) {
			t.Errorf("%d: exit %d: %s", status, run.ProcessState.ExitCode(), out)
		}
		deployment.Close()
	}
}

// TestRaceOptionsThatAreNotReported uses a deployment that reports the metric of its models and races,
// but none of their other options, such as the group column. A run with --group must not warn that the
// champion has no --group. A run that resumes a race must accept the flags of that race.
func TestRaceOptionsThatAreNotReported(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("races several times, one race after another")
	}
	target := serveWithAccount(t)
	options := regexp.MustCompile(`"(groupColumn|timeColumn|effort|classWeights|monotone|seed|championReason)":("[^"]*"|\d+|\{[^}]*\}),?`)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			body = bytes.ReplaceAll(options.ReplaceAll(body, nil), []byte(",}"), []byte("}"))
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.ContentLength = int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return err
		},
	}
	deployment := httptest.NewServer(proxy)
	defer deployment.Close()
	home := t.TempDir()
	for range 2 { // the second run is compared with the champion, the model of the first
		args := []string{"run", "../../testdata/steps/train.csv", "--name", "shop", "--algorithm", "BSIX01", "--effort", "fast", "--group", "colour", "--class-weight", "balanced", "--progress", "none"}
		for _, more := range [][]string{{"--json", "--jq", ".trainingJobKey"}, {}} {
			run := exec.Command("foretell", append(args, more...)...)
			run.Env = []string{"HOME=" + home, "FORETELL_SERVER=" + deployment.URL, "FORETELL_USERNAME=a@example.com", "FORETELL_PASSWORD=a long password"}
			var stderr bytes.Buffer
			run.Stderr = &stderr
			key, err := run.Output()
			if err != nil || bytes.Contains(stderr.Bytes(), []byte("cannot be compared")) {
				t.Errorf("%v: %v: %s", more, err, stderr.String())
			}
			args = append(args, "--resume", strings.TrimSpace(string(key)))
		}
	}
}
