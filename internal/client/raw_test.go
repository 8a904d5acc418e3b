package client_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"foretell/internal/client"
)

// TestCutResponse reads a response that ends early. Its error is that of a lost connection.
func TestCutResponse(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"text/csv", "application/json"} {
		c := newDeployment(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "a,b")
		}).client(t, client.Options{})
		resp, err := c.DoRaw(t.Context(), client.RawRequest{Method: http.MethodGet, Path: "/x"})
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		var lost *client.NetworkError
		if !errors.As(err, &lost) || lost.Kind != client.ConnectionLost {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
