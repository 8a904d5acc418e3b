package server_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"foretell/internal/server"
)

// TestTimeLimit checks that a request whose time limit in the service has passed is not reported as a
// mistake of the client.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	passed, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	r := httptest.NewRequestWithContext(passed, http.MethodGet, "/api/v1/datasets", nil)
	r.Header.Set("Authorization", "Bearer "+s.token)
	w := httptest.NewRecorder()
	server.New(s.app, server.Options{Log: slog.New(slog.DiscardHandler), Now: time.Now}).ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "did not finish the request in time") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
