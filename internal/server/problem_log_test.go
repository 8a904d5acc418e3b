package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestLogOfInternalErrors checks that the line of an error with status 500 has the error as a text, so
// that the log keeps the line during an outage (see package outage). Other errors are values.
func TestLogOfInternalErrors(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection refused")
	for _, tt := range []struct {
		err     error
		isValue bool
		want    string
	}{
		{fmt.Errorf("read: %w", cause), false, "read: connection refused"},
		{api.NewProblem(api.CodeInternal, "broken").WithCause(cause), false, "connection refused"},
		{api.NewProblem(api.CodeNotReady, "wait").WithCause(cause), true, "connection refused"},
	} {
		var log bytes.Buffer
		isValue := false
		s := &service{log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "error" {
				_, isValue = a.Value.Any().(error)
			}
			return a
		}}))}
		_ = s.toProblem(t.Context(), tt.err)
		if isValue != tt.isValue || !strings.Contains(log.String(), tt.want) {
			t.Errorf("%v: logged as a value: %v, in %s", tt.err, isValue, &log)
		}
	}
}

// TestLogOfCancelledRequest checks that a failed request whose client is gone, such as a probe of a
// proxy with a short time limit, is no error of the service.
func TestLogOfCancelledRequest(t *testing.T) {
	t.Parallel()
	err := api.NewProblem(api.CodeNotReady, "the database does not respond").WithCause(fmt.Errorf("ping: %w", context.Canceled))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		want string
	}{"waiting": {t.Context(), "level=ERROR"}, "gone": {gone, "level=DEBUG"}} {
		var log bytes.Buffer
		s := &service{log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
		_ = s.toProblem(c.ctx, err)
		if !strings.Contains(log.String(), c.want) {
			t.Errorf("a client that is %s: the log lacks %s: %s", name, c.want, &log)
		}
	}
}

// TestLogOfHumaErrors checks that an internal error that huma reports is logged with its cause.
func TestLogOfHumaErrors(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	req := &request{id: "4711", body: &requestBody{}, log: slog.New(slog.NewTextHandler(&log, nil))}
	p := humaProblem(context.WithValue(t.Context(), requestKey{}, req), 500, "cannot decode", []error{errors.New("broken schema")})
	if p.Status != 500 || !strings.Contains(log.String(), "requestId=4711") || !strings.Contains(log.String(), "broken schema") {
		t.Errorf("%d, logged %s", p.Status, &log)
	}
}
