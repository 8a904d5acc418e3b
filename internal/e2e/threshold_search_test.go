package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
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
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// plainService is a proxy that removes the extensions from the responses of a service: the
// classes of datasets, the reports, and the models of races that miss their threshold.
type plainService struct {
	http.Handler
	mu         sync.Mutex
	thresholds []float64 // of the requested races
}

func newPlainService(t *testing.T, address string) *plainService {
	t.Helper()
	service, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &plainService{}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(service) },
		ModifyResponse: p.strip,
	}
	p.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/report") || r.URL.Path == "/" {
			http.NotFound(w, r)
			return
		}
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/api/v1/training/") {
			p.note(r)
		}
		proxy.ServeHTTP(w, r)
	})
	return p
}

// raced returns the thresholds of the races since the last call.
func (p *plainService) raced() []float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	thresholds := p.thresholds
	p.thresholds = nil
	return thresholds
}

// note records the threshold of a requested race.
func (p *plainService) note(r *http.Request) {
	body, _ := io.ReadAll(r.Body) // if reading fails, the service receives an incomplete request
	r.Body = io.NopCloser(bytes.NewReader(body))
	var race struct {
		PerformanceThreshold float64 `json:"performanceThreshold"`
	}
	if json.Unmarshal(body, &race) == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.thresholds = append(p.thresholds, race.PerformanceThreshold)
	}
}

// strip removes the extensions from a response.
func (p *plainService) strip(r *http.Response) error {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	var doc map[string]any
	if json.Unmarshal(body, &doc) == nil {
		for _, name := range []string{"columns", "classes", "rows", "metric", "outcome"} {
			delete(doc, name)
		}
		if doc["status"] == "NOT_COMPLETED" || doc["status"] == "TIMED_OUT" {
			for _, name := range []string{"modelKey", "achievedPerformance", "testPerformance", "trainingPerformance"} {
				delete(doc, name)
			}
		}
		if body, err = json.Marshal(doc); err != nil {
			return err
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Del("Content-Length")
	return nil
}

// TestThresholdSearch runs --threshold auto on a service whose races require a threshold.
func TestThresholdSearch(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("races several times, one race after another")
	}
	address, data := serve(t)
	service := newPlainService(t, address)
	front := httptest.NewServer(service)
	defer front.Close()
	archive, err := txtar.ParseFile("../../testdata/script/run.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, file.Name), file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	add := exec.Command("foretell", "users", "add", "ann@example.com", "--password-stdin", "--data-dir", data)
	add.Stdin = strings.NewReader("a long password\n")
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("users add: %v: %s", err, out)
	}
	run := func(args ...string) (stdout, stderr string) {
		t.Helper()
		service.raced()
		command := exec.Command("foretell", args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "FORETELL_SERVER="+front.URL,
			"FORETELL_USERNAME=ann@example.com", "FORETELL_PASSWORD=a long password", "FORETELL_PROGRESS=none")
		var out, errs strings.Builder
		command.Stdout, command.Stderr = &out, &errs
		if err := command.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, errs.String())
		}
		return out.String(), errs.String()
	}

	out, _ := run("run", "train.csv", "--blind", "blind.csv", "--algorithm", "BSIX01,BSEV02", "--threshold", "auto", "--json")
	var doc struct {
		ModelKey, Status, Path string
		TargetPerformance      float64
		AchievedPerformance    float64
		Steps                  []struct {
			Threshold float64
			Status    string
		} `json:"stairs"`
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	steps, thresholds := len(doc.Steps), service.raced()
	if steps < 2 || steps != len(thresholds) || !slices.IsSorted(thresholds) {
		t.Fatalf("raced for %v; %s", thresholds, out)
	}
	for i, s := range doc.Steps {
		want := "COMPLETED"
		if i == steps-1 && s.Threshold <= 1 && doc.AchievedPerformance < 1 {
			want = "NOT_COMPLETED"
		}
		if s.Threshold != thresholds[i] || s.Status != want {
			t.Errorf("race %d: %+v, want %s for %v", i+1, s, want, thresholds[i])
		}
	}
	if doc.Steps[0].Threshold != 0.58 { // 35 of 60 rows have the label small
		t.Errorf("the first threshold is %v", doc.Steps[0].Threshold)
	}
	if doc.Status != "COMPLETED" || doc.ModelKey == "" || doc.AchievedPerformance < doc.TargetPerformance || doc.TargetPerformance < doc.Steps[0].Threshold {
		t.Errorf("the best is not of a race that reached its threshold: %s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, doc.Path)); err != nil {
		t.Error(err)
	}

	_, messages := run("training", "create", "train", "--algorithm", "BSIX01", "--threshold", "auto")
	if !strings.Contains(messages, "race 1: threshold 0.5 reached with ") || !strings.Contains(messages, " has the best model with ") {
		t.Errorf("messages: %s", messages)
	}
}
