package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"foretell/internal/server"
)

// TestAllowedHosts sends requests with different Host headers.
func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	proxy := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for name, test := range map[string]struct {
		options server.Options
		host    string
		header  map[string]string
		path    string
		refused bool
	}{
		"any":                {server.Options{}, "evil.example", nil, "/", false},
		"listed":             {server.Options{AllowedHosts: []string{"A.example"}}, "a.example.:8080", nil, "/", false},
		"unlisted":           {server.Options{AllowedHosts: []string{"a.example"}}, "b.a.example", nil, "/", true},
		"unlisted page":      {server.Options{AllowedHosts: []string{"a.example"}}, "b.example", nil, "/request-access", true},
		"unlisted API":       {server.Options{AllowedHosts: []string{"a.example"}}, "b.example", nil, "/api/v1/datasets", true},
		"address":            {server.Options{AllowedHosts: []string{"a.example"}}, "127.0.0.1:8080", nil, "/", true},
		"health":             {server.Options{AllowedHosts: []string{"a.example"}}, "127.0.0.1:8080", nil, "/readyz", false},
		"public URL":         {server.Options{AllowedHosts: []string{"a.example"}, PublicURL: "https://b.example/x"}, "b.example", nil, "/", false},
		"rebound name":       {server.Options{AllowedHosts: server.LoopbackHosts}, "evil.example:8080", nil, "/", true},
		"localhost":          {server.Options{AllowedHosts: server.LoopbackHosts}, "localhost:8080", nil, "/", false},
		"loopback":           {server.Options{AllowedHosts: server.LoopbackHosts}, "[::1]:8080", nil, "/", false},
		"a word of ours":     {server.Options{AllowedHosts: server.LoopbackHosts}, "127.0.0.1.evil.example", nil, "/", true},
		"behind a proxy":     {server.Options{AllowedHosts: []string{"a.example"}, TrustedProxies: proxy}, "10.0.0.1", map[string]string{"X-Forwarded-Host": "a.example"}, "/", false},
		"forged by a client": {server.Options{AllowedHosts: []string{"a.example"}}, "evil.example", map[string]string{"X-Forwarded-Host": "a.example"}, "/", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestServer(t, test.options)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = test.host
			for name, value := range test.header {
				req.Header.Set(name, value)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if refused := resp.StatusCode == http.StatusBadRequest; refused != test.refused || refused && !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/problem+json") {
				t.Errorf("%s: %s", test.host, resp.Status)
			}
		})
	}
}

// TestInvalidHosts sends requests whose host could not be part of a URL. They must be refused, and
// must not cause an internal error.
func TestInvalidHosts(t *testing.T) {
	t.Parallel()
	proxy := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, options := range []server.Options{{}, {TrustedProxies: proxy}, {AllowedHosts: []string{"a.example"}}, {PublicURL: "https://a.example"}} {
		s := newTestServer(t, options)
		send := func(request string) int {
			t.Helper()
			conn, _ := s.dial(t, s.url)
			if _, err := io.WriteString(conn, request); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(request, err)
			}
			_ = resp.Body.Close()
			return resp.StatusCode
		}
		for _, path := range []string{"/", "/sign-in", "/request-access", "/api/v1/datasets?offset=0&limit=1"} {
			for _, host := range []string{"a%zz", "", "x:y:z", "[::1", "::1", "[::1]x", "[1.2.3.4]", "a.example:x", "a.example:65536", "a'b", "a<b", "u@a.example"} {
				if got := send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nAccept: text/html\r\n\r\n"); got != 400 {
					t.Errorf("%s of %q: status %d", path, host, got)
				}
			}
			if got := send("GET " + path + " HTTP/1.0\r\nAccept: text/html\r\n\r\n"); got != 400 {
				t.Errorf("%s without a host: status %d", path, got)
			}
			if options.TrustedProxies == nil {
				continue
			}
			for _, host := range []string{"u@h", "a?b", "a b", "a/b", "a#b", "a\\b"} {
				if got := send("GET " + path + " HTTP/1.1\r\nHost: a.example\r\nX-Forwarded-Host: " + host + "\r\nAccept: text/html\r\n\r\n"); got != 400 {
					t.Errorf("%s of %q behind a proxy: status %d", path, host, got)
				}
			}
		}
		for _, request := range []string{"GET /healthz HTTP/1.0\r\n\r\n", "GET /readyz HTTP/1.1\r\nHost: x:y:z\r\n\r\n"} {
			if got := send(request); got != 200 {
				t.Errorf("%q: status %d", request, got)
			}
		}
	}
}

// TestValidHosts sends requests with the forms that a host can have. Each of them must get the page
// to log in.
func TestValidHosts(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	for _, host := range []string{"localhost", "a.example.:8080", "a_b", "a-b:", "127.0.0.1:1", "[::1]", "[2001:db8::1]:443", "xn--mller-kva.example", "A.EXAMPLE"} {
		conn, _ := s.dial(t, s.url)
		fmt.Fprintf(conn, "GET /sign-in HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\n\r\n", host)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(host, err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("%s: %s", host, resp.Status)
		}
	}
}
