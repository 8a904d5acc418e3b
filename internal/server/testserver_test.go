package server_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/blob"
	"foretell/internal/listen"
	"foretell/internal/server"
	"foretell/internal/store"
)

const (
	testUser     = "ada@example.com"
	testPassword = "correct horse"
)

// testServer is the complete service on a temporary folder and a local port.
type testServer struct {
	app        *app.App
	handler    http.Handler
	url, token string
	clock      *testClock // the clock of the service, unless the test has passed Options.Now
}

// testClock is a clock that can be set forward.
type testClock struct{ ahead atomic.Int64 } // nanoseconds

func (c *testClock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// advanceTo sets the clock forward to t, if t is in the future.
func (c *testClock) advanceTo(t time.Time) { c.ahead.Add(int64(max(0, t.Sub(c.now())))) }

// newTestServer starts a service. The accounts are configured by the parameter accounts, if it is
// given. The requests of the testServer have the token of the local account.
func newTestServer(tb testing.TB, opts server.Options, accounts ...account.Options) *testServer {
	tb.Helper()
	dir := tb.TempDir()
	rows, err := store.Open(tb.Context(), filepath.Join(dir, "foretell.db"))
	if err != nil {
		tb.Fatal(err)
	}
	files, err := blob.OpenFolder(filepath.Join(dir, "blobs"), rows.ProcessName())
	if err != nil {
		tb.Fatal(err)
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.NewTextHandler(tb.Output(), nil))
	}
	clock := &testClock{}
	if opts.Now == nil {
		opts.Now = clock.now
	}
	config := app.Config{Store: rows, Blobs: files, Now: opts.Now, Rand: rand.Reader, Log: opts.Log}
	for _, options := range accounts {
		config.Accounts = options
	}
	config.Accounts.PasswordMemory = 64 // hashes of 19 MiB would take most of the tests' time
	a, err := app.New(config)
	if err != nil {
		tb.Fatal(err)
	}
	session, err := a.OpenLocalSession(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	opts.Version = "test"
	w := &testServer{app: a, handler: server.New(a, opts), clock: clock}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = listen.NewServer(w.handler, opts.Log)
	srv.Start()
	tb.Cleanup(func() {
		w.checkDocumented(tb)
		srv.Close()
		stop()
		if err := <-ended; err != nil && ctx.Err() == nil {
			tb.Error(err)
		}
		a.Close()
		if err := rows.Close(); err != nil {
			tb.Error(err)
		}
	})
	w.url, w.token = srv.URL, session.AccessToken
	return w
}

// addUser creates an account that can log in.
func (s *testServer) addUser(t *testing.T) {
	t.Helper()
	if err := s.app.AddUser(t.Context(), api.NewAccount{Email: testUser}, testPassword); err != nil {
		t.Fatal(err)
	}
}

// call is one request.
type call struct {
	method, path string
	json         string // body, with its content type
	form         string // CSV as the part file
	body         string // any other body
	header       map[string]string
	anonymous    bool
}

// reply is a response whose body has been read.
type reply struct {
	StatusCode    int
	Header        http.Header
	ContentLength int64
}

func (s *testServer) send(tb testing.TB, c call) (reply, []byte) {
	tb.Helper()
	body, kind := c.body, ""
	switch {
	case c.json != "":
		body, kind = c.json, "application/json"
	case c.form != "":
		body, kind = form(tb, "file", c.form)
	}
	address := c.path
	if strings.HasPrefix(address, "/") {
		address = s.url + address
	}
	req, err := http.NewRequestWithContext(tb.Context(), c.method, address, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if !c.anonymous && s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	checkResponse(tb, c.method, address, reply{resp.StatusCode, resp.Header, resp.ContentLength}, answer)
	return reply{resp.StatusCode, resp.Header, resp.ContentLength}, answer
}

// must sends a call, which must succeed, and decodes its JSON into out, unless out is nil.
func (s *testServer) must(tb testing.TB, c call, out any) reply {
	tb.Helper()
	resp, body := s.send(tb, c)
	if resp.StatusCode >= 300 {
		tb.Fatalf("%s %s: %d %s", c.method, c.path, resp.StatusCode, body)
	}
	if out != nil {
		if err := json.Unmarshal(body, out); err != nil {
			tb.Fatalf("%s %s: %v in %s", c.method, c.path, err, body)
		}
	}
	return resp
}

// form returns a multipart body. The pairs are alternating names and values, and the value of the
// name file is sent as a file.
func form(tb testing.TB, pairs ...string) (body, contentType string) {
	tb.Helper()
	var buf bytes.Buffer
	m := multipart.NewWriter(&buf)
	for i := 0; i < len(pairs); i += 2 {
		create := m.CreateFormField
		if pairs[i] == "file" {
			create = func(name string) (io.Writer, error) { return m.CreateFormFile(name, "data.csv") }
		}
		part, err := create(pairs[i])
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(part, pairs[i+1]); err != nil {
			tb.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.String(), m.FormDataContentType()
}

// newDataset creates an empty dataset.
func (s *testServer) newDataset(tb testing.TB, name string) api.CreatedDataset {
	tb.Helper()
	var created api.CreatedDataset
	s.must(tb, call{method: "POST", path: "/api/v1/datasets", json: `{"datasetName":"` + name + `"}`}, &created)
	return created
}

// poll reads path until its status is final.
func (s *testServer) poll(tb testing.TB, path string) string {
	tb.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var state struct{ Status string }
		s.must(tb, call{method: "GET", path: path}, &state)
		switch state.Status {
		case "PENDING", "PROCESSING", "RUNNING":
		default:
			return state.Status
		}
		select {
		case <-tick.C:
		case <-tb.Context().Done():
			tb.Fatal("the test ended first")
		}
	}
}
