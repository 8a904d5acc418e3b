package server

import (
	"bytes"
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
