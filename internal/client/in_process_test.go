package client_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"foretell/internal/client"
)

// TestInProcess tests the transport that passes requests to a handler through a pipe.
func TestInProcess(t *testing.T) {
	t.Parallel()
	t.Run("answers_stream", func(t *testing.T) {
		next := make(chan struct{})
		transport, closer := client.NewInProcessTransport(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for _, word := range []string{"one", "two"} {
				_, _ = io.WriteString(w, word)
				_ = http.NewResponseController(w).Flush()
				<-next
			}
		}))
		defer closer.Close()
		resp := get(t, transport, t.Context())
		defer resp.Body.Close()
		for _, want := range []string{"one", "two"} {
			word := make([]byte, 3)
			if _, err := io.ReadFull(resp.Body, word); err != nil || string(word) != want {
				t.Errorf("read %q, %v", word, err)
			}
			next <- struct{}{}
		}
	})
	t.Run("cancellation_carries", func(t *testing.T) {
		begun, ended := make(chan struct{}), make(chan struct{})
		transport, closer := client.NewInProcessTransport(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			close(ended)
		}))
		defer closer.Close()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://x/", nil)
		if resp, err := transport.RoundTrip(req); err == nil {
			_ = resp.Body.Close()
			t.Error("answered")
		}
		<-ended
	})
	t.Run("close_waits_for_handlers", func(t *testing.T) {
		begun, finished := make(chan struct{}), false
		transport, closer := client.NewInProcessTransport(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			finished = true
		}))
		go func() {
			req, _ := http.NewRequestWithContext(context.Background(), "GET", "http://x/", nil)
			if resp, err := transport.RoundTrip(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
		<-begun
		if err := closer.Close(); err != nil || !finished {
			t.Errorf("finished %v, %v", finished, err)
		}
		if err := closer.Close(); err != nil {
			t.Errorf("twice: %v", err)
		}
	})
	t.Run("closed_means_unreachable", func(t *testing.T) {
		transport, closer := client.NewInProcessTransport(http.NotFoundHandler())
		_ = closer.Close()
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://x/", nil)
		if resp, err := transport.RoundTrip(req); err == nil {
			_ = resp.Body.Close()
			t.Error("answered")
		}
	})
}

func get(t *testing.T, transport http.RoundTripper, ctx context.Context) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", "http://x/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}
