package client_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestTraceRedactsSecrets checks that traces and errors have no secrets.
func TestTraceRedactsSecrets(t *testing.T) {
	t.Parallel()
	d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=hidden-cookie")
		w.Header().Set("Link", "<https://s.example/x?signature=hidden-signature>; rel=next")
		switch r.URL.Path {
		case "/api/v1/admin/accounts":
			respondJSON(201, `{"email":"bob","link":"http://s.example/password?code=hidden-code"}`)(w, r)
		case "/api/v1/account/second-factor":
			respondJSON(200, `{"secret":"hidden-secret","url":"otpauth://totp/foretell:ada@s.example?secret=hidden-secret&issuer=foretell"}`)(w, r)
		case "/lost":
			panic(http.ErrAbortHandler)
		case "/api/login":
			respondJSON(200, `{"access_token":"hidden-token","username":"ada"}`)(w, r)
		default:
			respondJSON(500, `{"code":"internal","detail":"failed","datasetUploadInfo":{"extraHeaders":"X-Key:hidden-header","uploadUrl":"https://s.example/x?expires=1&signature=hidden-signature"}}`)(w, r)
		}
	})
	var traced strings.Builder
	c := d.client(t, client.Options{Token: "hidden-bearer", Trace: func(e client.TraceEvent) { fmt.Fprintf(&traced, "%+v\n", e) }})
	if _, err := client.Call(t.Context(), c, api.LogIn, &api.LogInInput{Body: api.Credentials{Username: "ada", Password: "hidden-password", AuthenticatorCode: "hidden-code"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Call(t.Context(), c, api.CreateAccount, &api.CreateAccountInput{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Call(t.Context(), c, api.AddSecondFactor, &api.AddSecondFactorInput{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Call(t.Context(), c, api.SetPassword, &api.SetPasswordInput{Body: api.NewPassword{Code: "hidden-code"}}); err == nil {
		t.Fatal("no error")
	}
	_, err := c.Download(t.Context(), d.URL+"/lost?signature=hidden-signature", failingWriter{})
	fmt.Fprintf(&traced, "%v", err)
	_, err = c.Download(t.Context(), d.URL+"/result?X-Amz-Credential=hidden-credential&signature=hidden-signature&page=3", failingWriter{})
	fmt.Fprintf(&traced, "%v %#v", err, err)
	d.Close()
	_, err = c.Download(t.Context(), d.URL+"/result?signature=hidden-signature&page=3", failingWriter{})
	fmt.Fprintf(&traced, "%v", err)
	if strings.Contains(traced.String(), "hidden") {
		t.Errorf("revealed a secret:\n%s", traced.String())
	}
	for _, want := range []string{"ada", "page=3", "[cut]", "POST", "bob", "code=[cut]", "issuer=foretell", `"code":"internal"`, "the connection was lost (EOF)"} {
		if !strings.Contains(traced.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// TestNetworkErrors checks the kinds of network errors.
func TestNetworkErrors(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(respondJSON(200, "{}"))
	t.Cleanup(secure.Close)
	plain := newDeployment(t, respondJSON(200, "{}"))
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	_ = closed.Close()
	proxied := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: nobody}), TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	for _, c := range []struct {
		name      string
		base      string
		transport http.RoundTripper
		kind      client.ErrorKind
		says      string
	}{
		{"nobody_listens", "http://" + nobody, nil, client.Unreachable, "no connection"},
		{"no_such_host", "http://foretell.invalid", nil, client.Unreachable, "unknown host"},
		{"an_unknown_certificate", secure.URL, nil, client.Untrusted, "certificate"},
		{"no_tls_at_all", strings.Replace(plain.URL, "http:", "https:", 1), nil, client.Untrusted, "http://"},
		{"a_proxy_that_is_not_there", "http://example.com", proxied, client.ProxyFailed, "proxy"},
		{"a_proxy_for_tls_that_is_not_there", "https://example.com", proxied, client.ProxyFailed, "proxy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := getDataset(t, plain.client(t, client.Options{BaseURL: c.base, Transport: c.transport}))
			var network *client.NetworkError
			if !errors.As(err, &network) || network.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v (%+v)", err, network)
			}
		})
	}
}

// TestOptions checks that invalid options are rejected.
func TestOptions(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]client.Options{
		"no_scheme":          {BaseURL: "foretell.example.com"},
		"another_scheme":     {BaseURL: "ftp://foretell.example.com"},
		"no_host":            {BaseURL: "https://"},
		"credentials":        {BaseURL: "https://ada:hidden@foretell.example.com"},
		"a_query":            {BaseURL: "https://foretell.example.com?a=b"},
		"unknown_operation":  {BaseURL: "https://a.example", Paths: map[string]string{"getLuck": "/x"}},
		"path_without_a_key": {BaseURL: "https://a.example", Paths: map[string]string{"getModel": "/models"}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := client.New(opts); err == nil || strings.Contains(err.Error(), "hidden") {
				t.Errorf("got %v", err)
			}
		})
	}
}
