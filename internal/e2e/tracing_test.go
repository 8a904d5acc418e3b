//go:build unix

package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// collector is an OpenTelemetry collector that stores the spans it receives.
type collector struct {
	mu    sync.Mutex
	spans []collectedSpan
}

type collectedSpan struct {
	TraceID      string `json:"traceId"`
	SpanID       string `json:"spanId"`
	ParentSpanID string `json:"parentSpanId"`
	Name         string `json:"name"`
	Kind         int    `json:"kind"`
}

// ServeHTTP receives spans as OTLP in JSON.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		ResourceSpans []struct {
			ScopeSpans []struct{ Spans []collectedSpan }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range body.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// find returns the first span with the given name.
func (c *collector) find(t *testing.T, name string) collectedSpan {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, span := range c.spans {
		if span.Name == name {
			return span
		}
	}
	t.Errorf("no span %q among %d", name, len(c.spans))
	return collectedSpan{}
}

// TestTracing runs a race with a collector. The spans of the client and of the service must
// continue the trace of the calling program.
func TestTracing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	c := &collector{}
	server := httptest.NewServer(c)
	defer server.Close()
	const traceID, callerID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	run := exec.Command("foretell", "run", firstRows(t, "../../testdata/credit-g/train.csv", 150), "--algorithm", "BSIX01,BFIF01", "--progress", "none")
	run.Env = []string{"HOME=" + t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL, "TRACEPARENT=00-" + traceID + "-" + callerID + "-01"}
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := c.find(t, "foretell run")
	request, handled := c.find(t, "POST createTraining"), c.find(t, "POST /api/v1/training/datasets/{datasetKey}")
	if command.TraceID != traceID || command.ParentSpanID != callerID || request.TraceID != traceID || handled.TraceID != traceID {
		t.Errorf("the trace of the caller is not continued: %+v, %+v, %+v", command, request, handled)
	}
	if request.ParentSpanID != command.SpanID || request.Kind != 3 || handled.ParentSpanID != request.SpanID || handled.Kind != 2 {
		t.Errorf("the request is not in the command: %+v, %+v", request, handled)
	}
	job := c.find(t, "job train")
	for _, name := range []string{"train BSIX01", "train BFIF01"} {
		if run := c.find(t, name); run.ParentSpanID != job.SpanID || run.TraceID != job.TraceID {
			t.Errorf("%s is not in the race: %+v", name, run)
		}
	}
	for _, name := range []string{"job prepare", "store write", "store read", "file write", "file read"} {
		c.find(t, name)
	}
}

// TestUnavailableCollector checks that a command succeeds if its collector is unavailable, and
// that an invalid configuration is an error.
func TestUnavailableCollector(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"http://127.0.0.1:1": "cannot send spans to the collector", "127.0.0.1:4318": "must be an http or https URL"} {
		command := exec.Command("foretell", "datasets", "list")
		command.Env = []string{"HOME=" + t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT=" + value}
		out, err := command.CombinedOutput()
		if !strings.Contains(string(out), want) || (err != nil) != strings.HasPrefix(want, "must be") {
			t.Errorf("%s: %v: %s", value, err, out)
		}
	}
}

// TestCompletionIsNotTraced checks that the completion in a shell sends nothing to the collector, which
// may be slow.
func TestCompletionIsNotTraced(t *testing.T) {
	t.Parallel()
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the collector received spans") }))
	defer collector.Close()
	command := exec.Command("foretell", "__complete", "status", "")
	command.Env = []string{"HOME=" + t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestProbesAreNotTraced checks that a service records no spans for the probes of its health.
func TestProbesAreNotTraced(t *testing.T) {
	t.Parallel()
	c := &collector{}
	server := httptest.NewServer(c)
	defer server.Close()
	service, address := serveWith(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL}, "127.0.0.1:0", t.TempDir(), "--no-work")
	for _, path := range []string{"/healthz", "/readyz", "/api/v1/datasets"} {
		response, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	_ = service.Process.Signal(os.Interrupt)
	_ = service.Wait()
	if request := c.find(t, "GET /api/v1/datasets"); len(c.spans) == 0 || c.spans[0] != request {
		t.Errorf("the spans are %+v", c.spans)
	}
}
