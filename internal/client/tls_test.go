package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestTLSErrors calls a server with TLS by plain HTTP, and without its certificate authority.
func TestTLSErrors(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	nginx := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte("<center>The plain HTTP request was sent to HTTPS port</center>"))
	}))
	t.Cleanup(nginx.Close)
	missing := filepath.Join(t.TempDir(), "missing.pem")
	for name, c := range map[string]struct {
		opts client.Options
		want string
	}{
		"plain":        {client.Options{BaseURL: strings.Replace(server.URL, "https", "http", 1)}, "the server expects TLS: begin the URL with https://"},
		"nginx":        {client.Options{BaseURL: nginx.URL}, "the server expects TLS: begin the URL with https://"},
		"unknown":      {client.Options{BaseURL: server.URL}, "set SSL_CERT_FILE to a file with the authority's certificate"},
		"missing_file": {client.Options{BaseURL: server.URL, CertificateFile: missing}, "the file of SSL_CERT_FILE, " + missing + ", cannot be read: "},
		"other_file":   {client.Options{BaseURL: server.URL, CertificateFile: "tls_test.go"}, "tls_test.go, does not contain the authority's certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Attempts = 1
			caller, err := client.New(c.opts)
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Call(t.Context(), caller, api.GetOwnAccount, &api.None{})
			var network *client.NetworkError
			if !errors.As(err, &network) || network.Kind != client.Untrusted || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
