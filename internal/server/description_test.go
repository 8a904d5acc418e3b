package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"foretell/internal/api"
	"foretell/internal/server"
)

// heldWriter is the response to a client that does not read. It signals the first call of Write, and
// blocks it until release is closed.
type heldWriter struct {
	*httptest.ResponseRecorder
	written, release chan struct{}
	once             sync.Once
}

func (w *heldWriter) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.written) })
	<-w.release
	return w.ResponseRecorder.Write(b)
}

// TestSlowReadersOfDescriptions requests the description of a dataset with clients that do not read
// the response. Only four responses of an account may be in memory. Requests of other accounts, and
// for other operations, must not wait.
func TestSlowReadersOfDescriptions(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	w.addUser(t)
	path := "/api/v1/datasets/" + w.newDataset(t, "wide").DatasetKey
	request := func(path, token string) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		return r
	}
	var handled sync.WaitGroup
	release := make(chan struct{})
	var last *heldWriter
	for range 5 {
		if last != nil { // the first four requests are answered
			<-last.written
		}
		slow := &heldWriter{ResponseRecorder: httptest.NewRecorder(), written: make(chan struct{}), release: release}
		handled.Go(func() { w.handler.ServeHTTP(slow, request(path, w.token)) })
		last = slow
	}
	ctx, disconnect := context.WithCancel(t.Context())
	left, leftHandled := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(leftHandled)
		w.handler.ServeHTTP(left, request(path, w.token).WithContext(ctx))
	}()
	var session api.Session
	w.must(t, call{method: "POST", path: api.LogIn.Path, json: `{"username":"` + testUser + `","password":"` + testPassword + `"}`, anonymous: true}, &session)
	for _, c := range []struct {
		path, token string
		want        int
	}{
		{path, session.AccessToken, http.StatusNotFound},
		{"/api/v1/account", w.token, http.StatusOK},
	} {
		other := httptest.NewRecorder()
		w.handler.ServeHTTP(other, request(c.path, c.token))
		if other.Code != c.want {
			t.Errorf("GET %s got %d, want %d: %s", c.path, other.Code, c.want, other.Body)
		}
	}
	select {
	case <-last.written:
		t.Error("a fifth request of the account was answered")
	default:
	}
	disconnect()
	<-leftHandled
	if left.Code != http.StatusBadRequest {
		t.Errorf("a request that ended while it waited got %d, want %d: %s", left.Code, http.StatusBadRequest, left.Body)
	}
	close(release)
	handled.Wait()
	if r, body := w.send(t, call{method: "GET", path: path}); r.StatusCode != http.StatusOK {
		t.Errorf("after the slow requests, a request got %d %s", r.StatusCode, body)
	}
}
