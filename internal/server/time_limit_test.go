package server_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
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

// TestResetConnection checks that a JSON body that cannot be read, because the client has reset the
// connection, is not reported as a failure of the service.
func TestResetConnection(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/datasets", iotest.ErrReader(syscall.ECONNRESET))
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	server.New(s.app, server.Options{Log: slog.New(slog.DiscardHandler), Now: time.Now}).ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"code":"malformed"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
