package server

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/api"
)

// startSpan starts the span of a request, as a child of the span in the header traceparent, if any.
// It returns the context for handling the request, and a function that ends the span with the
// status of the response. Without a tracer, and for health probes, it starts no span.
func (s *service) startSpan(r *http.Request, req *request) (ctx context.Context, end func(status int)) {
	if s.opts.Tracer == nil || isProbe(r) {
		return r.Context(), func(int) {}
	}
	ctx = propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := s.opts.Tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
	return ctx, func(status int) {
		span.SetAttributes(
			attribute.String("http.request.method", r.Method), attribute.String("url.path", r.URL.Path),
			attribute.Int("http.response.status_code", status), attribute.String("foretell.request_id", req.id),
		)
		if op, ok := operationsByID[req.operation]; ok {
			span.SetName(op.Method + " " + op.Path)
			span.SetAttributes(attribute.String("http.route", op.Path))
		}
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// operationsByID has every operation of the API, by its ID.
var operationsByID = func() map[string]api.Operation {
	byID := map[string]api.Operation{}
	for _, op := range api.Operations() {
		byID[op.ID] = op
	}
	return byID
}()
