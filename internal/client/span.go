package client

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/span"
)

// errRejected marks the span of an attempt that the service rejected.
var errRejected = errors.New("the service rejected the request")

// startSpan starts the span of an attempt to send a request, if ctx has a span. The returned
// function ends the new span.
func startSpan(ctx context.Context, req *request, attempt int) (spanCtx context.Context, end func(*http.Response, error)) {
	ctx, own := span.Start(ctx, req.method+" "+req.op, trace.SpanKindClient,
		attribute.String("http.request.method", req.method), attribute.String("server.address", req.url.Hostname()),
		attribute.String("url.path", req.url.Path), attribute.Int("http.request.resend_count", attempt-1))
	return ctx, func(resp *http.Response, err error) {
		if err == nil {
			own.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
			if resp.StatusCode >= http.StatusBadRequest {
				err = errRejected
			}
		}
		span.End(own, err)
	}
}
