package client_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
)

const key = "11111111-2222-4333-8444-555555555555"

// deployment simulates another deployment of the service. It records the requests of the
// client, and the delays that the client would wait.
type deployment struct {
	*httptest.Server
	mu    sync.Mutex
	seen  []*http.Request
	waits []time.Duration
}

// newDeployment starts a deployment. It calls handler for one request at a time, so that handler may
// use variables without a lock.
func newDeployment(t *testing.T, handler http.HandlerFunc) *deployment {
	t.Helper()
	d := &deployment{}
	var handling sync.Mutex
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.seen = append(d.seen, r)
		d.mu.Unlock()
		handling.Lock()
		defer handling.Unlock()
		handler(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

// requests returns the requests so far.
func (d *deployment) requests() []*http.Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.seen)
}

// client returns a client of the deployment that records delays instead of waiting.
func (d *deployment) client(t *testing.T, opts client.Options) *client.Client {
	t.Helper()
	if opts.BaseURL == "" {
		opts.BaseURL = d.URL
	}
	if opts.Token == "" {
		opts.Token = "secret-token"
	}
	opts.Wait = func(ctx context.Context, wait time.Duration) error {
		d.waits = append(d.waits, wait)
		return ctx.Err()
	}
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// respondJSON returns a handler that responds with JSON.
func respondJSON(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// respondInTurn returns a handler that calls the next of handlers for each request, and
// the last one for all further requests.
func respondInTurn(handlers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := handlers[min(n, len(handlers)-1)]
		n++
		mu.Unlock()
		h(w, r)
	}
}

func getDataset(t *testing.T, c *client.Client) (*api.Dataset, error) {
	t.Helper()
	return client.Call(t.Context(), c, api.GetDataset, &api.DatasetInput{DatasetKey: key})
}

func text(s string) client.Source {
	return client.Source{Name: "a.csv", Size: int64(len(s)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }}
}
