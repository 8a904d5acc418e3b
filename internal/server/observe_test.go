package server_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/server"
)

// logs is the log of a service.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestPanic checks that a panic is logged, and that the client gets only a request ID.
func TestPanic(t *testing.T) {
	t.Parallel()
	var log logs
	metrics := server.NewMetrics(newTestServer(t, server.Options{}).app, slog.New(slog.DiscardHandler), time.Now)
	handler := server.New(&app.App{}, server.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now, Metrics: metrics}) // no app to call
	rec := httptest.NewRecorder()
	req := httptest.NewRequest("GET", "/api/v1/datasets?offset=0&limit=1", nil)
	req.Header.Set("Authorization", "Bearer x")
	handler.ServeHTTP(rec, req)
	var p api.Problem
	if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil {
		t.Fatalf("%v in %s", err, rec.Body)
	}
	if rec.Code != http.StatusInternalServerError || p.Code != api.CodeInternal || p.RequestID == "" || p.RequestID != rec.Header().Get("X-Request-Id") {
		t.Errorf("%d %+v", rec.Code, p)
	}
	if strings.Contains(rec.Body.String(), "nil pointer") || !strings.Contains(log.String(), "nil pointer") || !strings.Contains(log.String(), p.RequestID) {
		t.Errorf("answered %s, logged %s", rec.Body, log.String())
	}
}

// TestAccessLog checks what the log has about a request, and what it must not have.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	var log logs
	w := newTestServer(t, server.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	w.send(t, call{method: "GET", path: "/api/v1/predictions/" + noKey + "/result?expires=1&signature=hidden", header: map[string]string{"X-Request-Id": "from-outside_1"}})
	w.send(t, call{method: "GET", path: "/healthz", header: map[string]string{"X-Request-Id": "not plain\u00a0"}})
	for _, want := range []string{"requestId=from-outside_1", "operation=downloadResult", "status=403", "remote=127.0.0.1", "path=/api/v1/predictions/" + noKey + "/result"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s is not logged", want)
		}
	}
	for _, unwanted := range []string{"hidden", w.token, "healthz", "not plain"} {
		if strings.Contains(log.String(), unwanted) {
			t.Errorf("%s is logged: %s", unwanted, log.String())
		}
	}
}

// TestLoggedAccount checks that the log has the email of a log-in, also of one that failed, but no
// other name, and never the password.
func TestLoggedAccount(t *testing.T) {
	t.Parallel()
	var log logs
	w := newTestServer(t, server.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	w.addUser(t)
	for _, name := range []string{"nobody@example.com", "correct horse", "P@ssw0rd", `x\u001b[31m\u202e@y.example`} {
		w.send(t, call{method: "POST", path: "/api/login", json: `{"username":"` + name + `","password":"a secret"}`, anonymous: true})
	}
	var session api.Session
	w.must(t, call{method: "POST", path: "/api/login", json: `{"username":"` + testUser + `","password":"` + testPassword + `"}`, anonymous: true}, &session)
	for _, want := range []string{`"account":"nobody@example.com"`, `"account":"` + testUser + `"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s is not logged: %s", want, log.String())
		}
	}
	for _, secret := range []string{"a secret", "correct horse", "P@ss", "p@ss", "y.example", testPassword, session.AccessToken} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%s is logged: %s", secret, log.String())
		}
	}
}

// TestRequestIDOfPage checks that the log has one request ID for a page and its calls of the API.
func TestRequestIDOfPage(t *testing.T) {
	t.Parallel()
	var log logs
	w := newTestServer(t, server.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	w.addUser(t)
	b := newBrowser(t, w.url)
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, _ := b.visit(t, "/sign-in", url.Values{"username": {testUser}, "password": {testPassword}})
	if id := resp.Header.Get("X-Request-Id"); id == "" || !strings.Contains(log.String(), "requestId="+id+" method=POST path=/api/login") {
		t.Errorf("the call of the API does not have the ID %s: %s", id, log.String())
	}
}

// TestDefaultHeaders checks the headers for browsers.
func TestDefaultHeaders(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{TrustedProxies: loopback})
	for _, path := range []string{"/healthz", "/none", "/api/v1/datasets?offset=0&limit=1", "/openapi.json"} {
		for scheme, security := range map[string]string{"http": "", "https": "max-age=31536000"} {
			resp, _ := w.send(t, call{method: "GET", path: path, header: map[string]string{"X-Forwarded-Proto": scheme}})
			for name, want := range map[string]string{
				"Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
				"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Strict-Transport-Security": security,
			} {
				if got := resp.Header.Get(name); got != want {
					t.Errorf("%s: %s is %q, want %q", path, name, got, want)
				}
			}
		}
	}
}

// loopback is the network from which the tests send requests. Tests of proxies trust it.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// TestProxy checks the headers of a trusted proxy.
func TestProxy(t *testing.T) {
	t.Parallel()
	var log logs
	w := newTestServer(t, server.Options{TrustedProxies: loopback, Log: slog.New(slog.NewTextHandler(&log, nil))})
	var root struct{ OpenAPI string }
	w.must(t, call{method: "GET", path: "/", header: map[string]string{"X-Forwarded-Proto": "https", "X-Forwarded-Host": "f.example"}}, &root)
	if root.OpenAPI != "https://f.example/openapi.json" {
		t.Errorf("openapi at %s", root.OpenAPI)
	}
	for forwarded, want := range map[string]string{
		"203.0.113.7":               "remote=203.0.113.7 ",
		"evil, 203.0.113.8":         "remote=203.0.113.8 ",
		"2001:db8:1:2:3:4:5:6":      "remote=2001:db8:1:2::/64",
		"::ffff:203.0.113.9":        "remote=203.0.113.9 ",
		"2001:db8::1, 203.0.113.10": "remote=203.0.113.10 ",
		"203.0.113.11, 127.0.0.2":   "remote=203.0.113.11 ", // two proxies
		"203.0.113.12, nonsense":    "remote=127.0.0.1 ",
	} {
		w.send(t, call{method: "GET", path: "/none", header: map[string]string{"X-Forwarded-For": forwarded}})
		if !strings.Contains(log.String()+" ", strings.TrimSpace(want)) {
			t.Errorf("%s is not logged as %s", forwarded, want)
		}
	}
}

// TestOtherProxy checks that the headers of a proxy have no effect if they come from a peer that is
// not trusted.
func TestOtherProxy(t *testing.T) {
	t.Parallel()
	var log logs
	w := newTestServer(t, server.Options{
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	_, body := w.send(t, call{method: "GET", path: "/", header: map[string]string{
		"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https",
	}})
	w.send(t, call{method: "GET", path: "/none", header: map[string]string{"X-Forwarded-For": "203.0.113.7, 192.0.2.1"}})
	if strings.Contains(string(body), "evil") || strings.Contains(string(body), "https") || strings.Contains(log.String(), "203.0.113.7") {
		t.Errorf("the headers were used: %s %s", body, log.String())
	}
}

// TestEquivalentRequests checks that other spellings of a key and of the token's scheme, and other
// accepted types, get the same kind of response.
func TestEquivalentRequests(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	created := w.newDataset(t, "forms")
	for name, c := range map[string]call{
		"key_in_capitals":   {method: "GET", path: "/api/v1/datasets/" + strings.ToUpper(created.DatasetKey)},
		"scheme_in_capital": {method: "GET", path: "/api/v1/datasets/" + created.DatasetKey, header: map[string]string{"Authorization": "BEARER " + w.token}},
		"accept_problems":   {method: "GET", path: "/api/v1/datasets/" + created.DatasetKey, header: map[string]string{"Accept": "application/problem+json"}},
		"accept_pages":      {method: "GET", path: "/api/v1/datasets/" + created.DatasetKey, header: map[string]string{"Accept": "text/html"}},
	} {
		t.Run(name, func(t *testing.T) {
			resp := w.must(t, c, nil)
			if got := resp.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type %s", got)
			}
		})
	}
}
