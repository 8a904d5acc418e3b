package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/receipt"
	"foretell/internal/server"
)

// verifyForm returns the multipart form of the page to verify a result, with a receipt of the result.
func verifyForm(t *testing.T, result string) (body, kind string) {
	t.Helper()
	r := &receipt.Receipt{Version: receipt.Version}
	var err error
	if r.Result.Digest, r.Result.Blocks, err = receipt.DigestResult(t.Context(), strings.NewReader(result)); err != nil {
		t.Fatal(err)
	}
	r.Result.Rows = strings.Count(result, "\n") - 1
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return form(t, "receipt", string(text), "file", result)
}

// beginVerify sends the form to verify a result except its last 20 bytes. It returns the connection.
func (b *browser) beginVerify(t *testing.T, s *testServer, result string) io.ReadWriter {
	t.Helper()
	body, kind := verifyForm(t, result)
	address, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	conn, _ := s.dial(t, s.url)
	fmt.Fprintf(conn, "POST /verify HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nSec-Fetch-Site: same-origin\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		address.Host, b.client.Jar.Cookies(address)[0], kind, len(body), body[:len(body)-20])
	return conn
}

// TestVerifyTurns verifies a result while another user has begun to send several.
func TestVerifyTurns(t *testing.T) {
	t.Parallel()
	// The clock is slow, so that the slow forms end after three seconds instead of 30.
	s := newTestServer(t, server.Options{Now: func() time.Time { return time.Now().Add(-27 * time.Second) }})
	s.addUser(t)
	if err := s.app.AddUser(t.Context(), api.NewAccount{Email: "bob@example.com"}, testPassword); err != nil {
		t.Fatal(err)
	}
	ada, bob := newBrowser(t, s.url), newBrowser(t, s.url)
	ada.signIn(t)
	bob.expect(t, "/sign-in", url.Values{"username": {"bob@example.com"}, "password": {testPassword}}, 200, "<title>Home")
	const result = "id,colour\n1,red\n2,green\n"
	slow := ada.beginVerify(t, s, result)
	for range 2 {
		ada.beginVerify(t, s, result)
	}
	for !strings.Contains(s.get(t, "/metrics"), "foretell_http_requests_in_flight 4\n") { // the forms and this request
	}
	answered := make(chan *http.Response)
	go func() {
		resp, err := http.ReadResponse(bufio.NewReader(slow), nil)
		if err != nil {
			t.Error(err)
		}
		answered <- resp
	}()
	body, kind := verifyForm(t, result)
	if resp, page := bob.send(t, http.MethodPost, "/verify", body, kind); resp.StatusCode != 200 || !strings.Contains(page, "Verified: 2 rows") {
		t.Errorf("%d %s", resp.StatusCode, page)
	}
	var resp *http.Response
	select {
	case resp = <-answered:
		t.Error("the other user waited until the slow form had ended")
	default:
		resp = <-answered
	}
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	if page, _ := io.ReadAll(resp.Body); resp.StatusCode != 400 || !strings.Contains(string(page), "interrupted") {
		t.Errorf("the slow form: %d %s", resp.StatusCode, page)
	}
}
