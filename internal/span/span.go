// Package span creates the spans of traces inside the program: database transactions, reads and
// writes of stored files, and the client's requests. It creates a span only as a child of a
// recorded span. Therefore spans cost almost nothing without tracing, and background work such as
// polling has none.
package span

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Scope names the tracer that creates all spans of this program.
const Scope = "foretell"

// Start starts a child of the span of ctx. If that span is not recorded, Start returns ctx
// and a span that does nothing. The caller must call [End].
func Start(ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (spanCtx context.Context, span trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, trace.SpanFromContext(context.Background())
	}
	return parent.TracerProvider().Tracer(Scope).Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
}

// End ends a span. If err is not nil, the span has the status of an error, but not the message of
// err, which may have values of a file.
func End(s trace.Span, err error) {
	if err != nil {
		s.SetStatus(codes.Error, "")
	}
	s.End()
}

// WithoutSpan returns a context without a span, for background work.
func WithoutSpan(ctx context.Context) context.Context { return trace.ContextWithSpan(ctx, nil) }
