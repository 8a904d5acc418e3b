package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/span"
)

// environment returns a function that returns the values of variables.
func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// TestExport sends two spans to a collector and reads what it received.
func TestExport(t *testing.T) {
	var received []byte
	var header http.Header
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/traces" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		received, _ = io.ReadAll(r.Body)
		header = r.Header
		_, _ = io.WriteString(w, "{}")
	}))
	defer collector.Close()
	tracer, stop, err := Setup(Options{Version: "1.2", Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Getenv: environment(map[string]string{
		envEndpoint: collector.URL + "/", envHeaders: "Api-Key=a%20secret, other=b", envServiceName: "trainer", envAttributes: "zone=eu%2Fwest,service.name=ignored",
	})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, parent := tracer.Start(t.Context(), "parent", trace.WithSpanKind(trace.SpanKindServer))
	_, child := span.Start(ctx, "child", trace.SpanKindClient, attribute.Int("n", 7), attribute.Bool("b", true), attribute.Float64("x", 0.5), attribute.String("s", "é"))
	child.AddEvent("half")
	span.End(child, errors.New("a cell of the file"))
	parent.End()
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if header.Get("Content-Type") != "application/json" || header.Get("Api-Key") != "a secret" || header.Get("Other") != "b" {
		t.Errorf("the header is %v", header)
	}
	var request exportRequest
	if err := json.Unmarshal(received, &request); err != nil {
		t.Fatalf("%v in %s", err, received)
	}
	for _, part := range []string{
		`{"key":"service.name","value":{"stringValue":"trainer"}}`, `{"key":"zone","value":{"stringValue":"eu/west"}}`, `{"key":"service.version","value":{"stringValue":"1.2"}}`,
		`{"key":"n","value":{"intValue":"7"}}`, `{"key":"b","value":{"boolValue":true}}`, `{"key":"x","value":{"doubleValue":0.5}}`, `{"key":"s","value":{"stringValue":"é"}}`,
	} {
		if !bytes.Contains(received, []byte(part)) {
			t.Errorf("no %s in %s", part, received)
		}
	}
	if bytes.Contains(received, []byte("a cell")) {
		t.Errorf("the message of the error was sent: %s", received)
	}
	spans := request.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 2 || spans[0].Name != "child" || spans[0].ParentSpanID != spans[1].SpanID || spans[0].TraceID != spans[1].TraceID ||
		len(spans[0].TraceID) != 32 || len(spans[0].SpanID) != 16 || spans[0].Kind != 3 || spans[1].Kind != 2 || spans[0].Status.Code != 2 ||
		spans[1].ParentSpanID != "" || spans[0].Start < spans[1].Start || spans[0].End < spans[0].Start || spans[0].Events[0].Name != "half" {
		t.Errorf("the spans are %+v", spans)
	}
}

// TestUnavailableCollector checks that a batch is sent again, and dropped after
// maxAttempts.
func TestUnavailableCollector(t *testing.T) {
	for _, tt := range []struct {
		name     string
		statuses []int
		want     int // requests
		log      string
	}{
		{"available_again", []int{503, 429, 200}, 3, ""},
		{"never_available", []int{503, 503, 503}, 3, "503 Service Unavailable"},
		{"refused", []int{400}, 1, "400 Bad Request"},
		{"moved", []int{307}, 1, "307 Temporary Redirect"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				sent := 0
				transport := roundTrip(func(*http.Request) (*http.Response, error) {
					status := tt.statuses[sent]
					sent++
					return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{"Location": {"http://elsewhere/"}}, Body: http.NoBody}, nil
				})
				tracer, stop, err := Setup(Options{
					Log: slog.New(slog.NewTextHandler(&log, nil)), Transport: transport, Getenv: environment(map[string]string{envEndpoint: "http://collector:4318"}),
				})
				if err != nil {
					t.Fatal(err)
				}
				_, one := tracer.Start(t.Context(), "one")
				one.End()
				if err := stop(context.Background()); err != nil {
					t.Error(err)
				}
				want := strings.TrimLeft(tt.log, "0123456789 ")
				if sent != tt.want || !strings.Contains(log.String(), want) || tt.log == "" && log.Len() > 0 {
					t.Errorf("%d requests, and the log %s", sent, log.String())
				}
			})
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestConfiguration checks the variables.
func TestConfiguration(t *testing.T) {
	for name, tt := range map[string]struct {
		environment map[string]string
		want        string // endpoint
		isInvalid   bool
	}{
		"none":            {nil, "", false},
		"base":            {map[string]string{envEndpoint: "https://c/prefix"}, "https://c/prefix/v1/traces", false},
		"traces":          {map[string]string{envEndpoint: "http://x", envTracesEndpoint: "http://c/t"}, "http://c/t", false},
		"disabled":        {map[string]string{envEndpoint: "http://c", envDisabled: "TRUE"}, "", false},
		"no_exporter":     {map[string]string{envEndpoint: "http://c", envExporter: "none"}, "", false},
		"other_protocol":  {map[string]string{envEndpoint: "http://c:4317", envProtocol: "grpc"}, "", true},
		"no_scheme":       {map[string]string{envEndpoint: "collector:4318"}, "", true},
		"invalid_timeout": {map[string]string{envEndpoint: "http://c", envTimeout: "10s"}, "", true},
		"invalid_headers": {map[string]string{envEndpoint: "http://c", envHeaders: "secret"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			getenv := environment(tt.environment)
			tracer, _, err := Setup(Options{Getenv: getenv, Log: slog.New(slog.DiscardHandler)})
			if errors.Is(err, ErrConfiguration) != tt.isInvalid || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error is %v", err)
			}
			if (tracer != nil) != (tt.want != "") {
				t.Errorf("the tracer is %v", tracer)
			}
			if endpoint, _ := findEndpoint(getenv); tt.want != "" && endpoint != tt.want {
				t.Errorf("the endpoint is %s", endpoint)
			}
		})
	}
}

// TestWithoutTracing checks that a span without a recorded parent costs no memory.
func TestWithoutTracing(t *testing.T) {
	ctx := t.Context()
	allocations := testing.AllocsPerRun(100, func() {
		inner, own := span.Start(ctx, "store read", trace.SpanKindClient)
		if inner != ctx {
			t.Error("the context was changed")
		}
		span.End(own, nil)
	})
	if allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}
