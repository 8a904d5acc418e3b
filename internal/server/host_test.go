package server_test

import (
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
