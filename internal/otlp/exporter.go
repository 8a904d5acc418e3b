package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

const (
	// maxAttempts is the maximum number of times that a batch of spans is sent.
	maxAttempts = 3
	// maxRetryDelay is the longest delay that a collector can request before the next attempt.
	maxRetryDelay = 30 * time.Second
)

// exporter sends spans to a collector. It implements sdktrace.SpanExporter.
type exporter struct {
	endpoint string
	header   http.Header
	log      *slog.Logger
	http     *http.Client
}

// ExportSpans sends a batch of spans. If this fails, it logs the error and drops the batch. It does
// not return the error, because the SDK would print it.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := json.Marshal(toRequest(spans))
	if err == nil {
		err = e.sendWithRetries(ctx, body)
	}
	if err != nil {
		e.log.WarnContext(ctx, "cannot send spans to the collector", "spans", len(spans), "error", err)
	}
	return nil
}

// Shutdown does nothing: ExportSpans has already sent all spans.
func (e *exporter) Shutdown(context.Context) error { return nil }

// sendWithRetries sends a body. If the collector is unavailable, it tries again.
func (e *exporter) sendWithRetries(ctx context.Context, body []byte) error {
	for attempt := 1; ; attempt++ {
		delay, err := e.sendOnce(ctx, body)
		if err == nil || delay == 0 || attempt == maxAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(delay):
		}
	}
}

// sendOnce sends a body. If that fails, retryAfter is the delay before the next attempt, or 0 if
// there must be no further attempt.
func (e *exporter) sendOnce(ctx context.Context, body []byte) (retryAfter time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header = e.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "foretell")
	resp, err := e.http.Do(req)
	if err != nil {
		return time.Second, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	if resp.StatusCode < http.StatusMultipleChoices {
		return 0, nil
	}
	err = fmt.Errorf("the collector responded %s", resp.Status)
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if seconds, parseErr := strconv.Atoi(resp.Header.Get("Retry-After")); parseErr == nil && seconds > 0 {
			return min(time.Duration(seconds)*time.Second, maxRetryDelay), err
		}
		return time.Second, err
	}
	return 0, err
}
