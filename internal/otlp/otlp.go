// Package otlp exports traces to a collector of OpenTelemetry. It uses the SDK of OpenTelemetry,
// but not the exporters of the SDK: they would add gRPC and Protocol Buffers, a third of the
// program's size. Instead, the package itself sends OTLP over HTTP as JSON.
//
// The standard variables of OpenTelemetry configure it; see [Setup]. Without
// configuration, no span is created.
package otlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/span"
)

// The standard variables of OpenTelemetry that [Setup] reads. The SDK itself reads further
// variables, such as OTEL_TRACES_SAMPLER and OTEL_BSP_SCHEDULE_DELAY.
const (
	envEndpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envTracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	envHeaders        = "OTEL_EXPORTER_OTLP_HEADERS"
	envTracesHeaders  = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
	envTimeout        = "OTEL_EXPORTER_OTLP_TIMEOUT"
	envProtocol       = "OTEL_EXPORTER_OTLP_PROTOCOL"
	envExporter       = "OTEL_TRACES_EXPORTER"
	envDisabled       = "OTEL_SDK_DISABLED"
	envServiceName    = "OTEL_SERVICE_NAME"
	envAttributes     = "OTEL_RESOURCE_ATTRIBUTES"
)

// defaultTimeout is the default time limit of one request to the collector.
const defaultTimeout = 10 * time.Second

// ErrConfiguration is wrapped by the error of [Setup] if a variable is invalid.
var ErrConfiguration = errors.New("invalid configuration of OpenTelemetry")

// Options configures the exporter.
type Options struct {
	// Getenv returns the value of an environment variable.
	Getenv func(string) string
	// Version is the version of this program.
	Version string
	// Log receives the errors of sending spans.
	Log *slog.Logger
	// Transport sends the requests to the collector. Defaults to
	// http.DefaultTransport.
	Transport http.RoundTripper
}

// Setup returns the tracer that the environment configures, and a function that sends the
// remaining spans and stops the exporter. The tracer is nil if no endpoint is configured.
// The endpoint is OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_EXPORTER_OTLP_ENDPOINT
// followed by /v1/traces.
func Setup(opts Options) (tracer trace.Tracer, stop func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	endpoint, err := findEndpoint(opts.Getenv)
	if err != nil || endpoint == "" {
		return nil, nothing, err
	}
	header, err := parseHeaders(opts.Getenv)
	if err != nil {
		return nil, nothing, err
	}
	timeout := defaultTimeout
	if text := opts.Getenv(envTimeout); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return nil, nothing, fmt.Errorf("%w: %s=%s: must be milliseconds", ErrConfiguration, envTimeout, text)
		}
		timeout = time.Duration(ms) * time.Millisecond
	}
	e := &exporter{endpoint: endpoint, header: header, log: opts.Log, http: &http.Client{Transport: opts.Transport, Timeout: timeout, CheckRedirect: refuseRedirect}}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(e), sdktrace.WithResource(newResource(opts)),
	)
	return provider.Tracer(span.Scope), provider.Shutdown, nil
}

// findEndpoint returns the URL to which traces are sent. It is empty if tracing is not
// configured.
func findEndpoint(getenv func(string) string) (endpoint string, err error) {
	if strings.EqualFold(getenv(envDisabled), "true") || getenv(envExporter) == "none" {
		return "", nil
	}
	name, endpoint := envTracesEndpoint, getenv(envTracesEndpoint)
	if endpoint == "" {
		if endpoint = getenv(envEndpoint); endpoint == "" {
			return "", nil
		}
		name, endpoint = envEndpoint, strings.TrimSuffix(endpoint, "/")+"/v1/traces"
	}
	if protocol := getenv(envProtocol); protocol != "" && !strings.HasPrefix(protocol, "http/") {
		return "", fmt.Errorf("%w: %s=%s: must be http/json", ErrConfiguration, envProtocol, protocol)
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%w: %s: must be an http or https URL, such as http://127.0.0.1:4318", ErrConfiguration, name)
	}
	return endpoint, nil
}

// parseHeaders returns the headers of requests to the collector. The variable
// OTEL_EXPORTER_OTLP_TRACES_HEADERS or, if it is empty, OTEL_EXPORTER_OTLP_HEADERS lists them, as in
// api-key=value,other=value. The error contains no values, which may be secret.
func parseHeaders(getenv func(string) string) (http.Header, error) {
	name, text := envTracesHeaders, getenv(envTracesHeaders)
	if text == "" {
		name, text = envHeaders, getenv(envHeaders)
	}
	header := http.Header{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !ok || key == "" || err != nil {
			return nil, fmt.Errorf("%w: %s: must be NAME=VALUE,NAME=VALUE with escaped values", ErrConfiguration, name)
		}
		header.Set(key, value)
	}
	return header, nil
}

// newResource returns the attributes that describe this program in traces.
func newResource(opts Options) *resource.Resource {
	attributes := []attribute.KeyValue{attribute.String("service.name", "foretell"), attribute.String("service.version", opts.Version)}
	for pair := range strings.SplitSeq(opts.Getenv(envAttributes), ",") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			if text, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
				attributes = append(attributes, attribute.String(strings.TrimSpace(key), text))
			}
		}
	}
	if name := opts.Getenv(envServiceName); name != "" {
		attributes = append(attributes, attribute.String("service.name", name))
	}
	return resource.NewSchemaless(attributes...) // if two attributes have the same key, the later one is used
}

// refuseRedirect is an [http.Client.CheckRedirect] that follows no redirect. A redirect could send
// the headers of the request, which may contain a key, to another host.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
