package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel/propagation"

	"foretell/internal/build"
	"foretell/internal/exit"
	"foretell/internal/otlp"
	"foretell/internal/span"
)

// flushTimeout limits how long a command waits at its end until the collector has
// received the spans.
const flushTimeout = 5 * time.Second

// The environment variables in which the calling program passes its trace context. Their values have the
// format of the W3C headers of the same names.
const (
	envTraceParent = "TRACEPARENT"
	envTraceState  = "TRACESTATE"
)

// StartTracing sets f.Tracer if the environment configures tracing. The returned function ends the
// span of the command and sends the remaining spans. It must be called with the error of the
// command. A request for completions is not traced, because the shell would wait for the collector.
func (f *Factory) StartTracing() (stop func(err error), err error) {
	if IsCompletionRequest(f.Args) {
		return func(error) {}, nil
	}
	tracer, shutdown, err := otlp.Setup(otlp.Options{
		Getenv: f.Env, Version: build.Current().Version, Log: slog.New(slog.NewTextHandler(f.Console.Err, nil)),
	})
	if err != nil {
		return nil, exit.Usagef("%w", err).WithHint("correct or unset the variable")
	}
	f.Tracer = tracer
	return func(err error) {
		if f.Span != nil {
			span.End(f.Span, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		_ = shutdown(ctx) // the tracer has logged a failed export
	}, nil
}

// StartCommandSpan passes the span of the calling program, if there is one, to the context of cmd. If
// own is true, it also starts a span of the command.
func (f *Factory) StartCommandSpan(cmd *cobra.Command, own bool) {
	ctx := cmd.Context()
	if parent := f.Env(envTraceParent); parent != "" {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent, "tracestate": f.Env(envTraceState)})
	}
	if f.Tracer != nil && own {
		ctx, f.Span = f.Tracer.Start(ctx, cmd.CommandPath())
	}
	cmd.SetContext(ctx)
}
