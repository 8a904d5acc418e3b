package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/testenv"
)

// TestJobsDoNotWaitForCleanUp runs a job while the first clean-up waits a long time for the
// list of the stored files.
func TestJobsDoNotWaitForCleanUp(t *testing.T) {
	t.Parallel()
	location := testenv.S3(t)
	target, err := url.Parse(location.Query().Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	var slow atomic.Bool
	listed, release := make(chan struct{}, 9), make(chan struct{})
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // it is part of the signature
	}}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slow.Load() && r.Method == http.MethodGet && r.URL.Query().Has("list-type") {
			listed <- struct{}{}
			<-release
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	b, closeAll, err := openIn(t.Context(), t.TempDir(), appOptions{log: io.Discard, now: time.Now, storage: testenv.ReplaceEndpoint(location, proxy.URL).String()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	slow.Store(true)
	b.work(t)
	<-listed
	end := time.AfterFunc(30*time.Second, func() { close(release) })
	d := b.prepared(t, "flowers", labelled(300))
	if !end.Stop() || d.Status != api.DatasetCompleted {
		t.Errorf("at the end of the list the dataset is %s: %s", d.Status, d.FailureReason)
		return
	}
	close(release)
}
