package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/server"
)

// TestMessageBoundaries sends requests whose end is ambiguous, as in attacks that hide a request in
// the body of another one. The service must refuse them and close the connection, or use
// Transfer-Encoding as RFC 9112, section 6.3, says. It must never respond to bytes of a body.
func TestMessageBoundaries(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	const hidden = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for name, c := range map[string]struct {
		headers, body string
		want          []int
	}{
		"both_lengths":         {"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden), []int{404}},
		"two_lengths":          {"Content-Length: 4\r\nContent-Length: 5\r\n", "abcd" + hidden, []int{400}},
		"list_of_lengths":      {"Content-Length: 4, 5\r\n", "abcd" + hidden, []int{400}},
		"signed_length":        {"Content-Length: +4\r\n", "abcd" + hidden, []int{400}},
		"unknown_encoding":     {"Transfer-Encoding: xchunked\r\n", "0\r\n\r\n" + hidden, []int{501}},
		"two_encodings":        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n" + hidden, []int{501}},
		"space_before_colon":   {"Transfer-Encoding : chunked\r\n", "0\r\n\r\n" + hidden, []int{400}},
		"invalid_chunk_length": {"Transfer-Encoding: chunked\r\n", "0x4\r\nabcd\r\n0\r\n\r\n" + hidden, []int{404}},
		"body_of_that_length":  {fmt.Sprintf("Content-Length: %d\r\n", len(hidden)), hidden, []int{404}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, _ := w.dial(t, w.url)
			if _, err := io.WriteString(conn, "POST /nowhere HTTP/1.1\r\nHost: localhost\r\n"+c.headers+"\r\n"+c.body); err != nil {
				t.Fatal(err)
			}
			if tcp, ok := conn.(interface{ CloseWrite() error }); ok {
				_ = tcp.CloseWrite() // so that the server closes the connection after its last response
			}
			var got []int
			for responses := bufio.NewReader(conn); ; {
				resp, err := http.ReadResponse(responses, nil)
				if err != nil {
					break
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				got = append(got, resp.StatusCode)
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("statuses %v, want %v", got, c.want)
			}
		})
	}
}

// TestDecodedOnce checks that path segments, query parameters and JSON are decoded exactly once: what
// is encoded twice is not found or is stored as it is.
func TestDecodedOnce(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	var created api.CreatedDataset
	w.must(t, call{method: "POST", path: "/api/v1/datasets", json: `{"datasetName":"a%2562 \\u0062"}`}, &created)
	var dataset api.Dataset
	once := strings.ReplaceAll(created.DatasetKey, "-", "%2D")
	w.must(t, call{method: "GET", path: "/api/v1/datasets/" + once}, &dataset)
	if dataset.DatasetName != `a%2562 \u0062` {
		t.Errorf("the name is %q", dataset.DatasetName)
	}
	w.must(t, call{method: "GET", path: "/api/v1/datasets?offset=0&limit=%31"}, nil)
	for path, want := range map[string]int{
		"/api/v1/datasets/" + strings.ReplaceAll(once, "%", "%25"):        400,
		"/api/v1/datasets/x%2F..%2F" + created.DatasetKey:                 400,
		"/api/v1/datasets%2F" + created.DatasetKey:                        404,
		"/api/v1/datasets?offset=0&limit=%2531":                           400,
		"/api/v1/datasets?offset=0&limit=1&state=%2550ENDING":             422,
		"/api/v1/training/datasets%2Fprogress?offset=0&limit=1&x=%252500": 400,
	} {
		if resp, body := w.send(t, call{method: "GET", path: path}); resp.StatusCode != want {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
}

// TestNoFilesServed requests paths that would lead to files if the service served a folder.
func TestNoFilesServed(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	_, page := w.send(t, call{method: "GET", path: "/sign-in", header: map[string]string{"Accept": "text/html"}})
	_, assets, found := strings.Cut(string(page), `"/assets/`)
	version, _, ok := strings.Cut(assets, "/")
	if !found || !ok {
		t.Fatal("the page has no asset")
	}
	w.must(t, call{method: "GET", path: "/assets/" + version + "/htmx.min.js"}, nil)
	for _, path := range []string{
		"/../foretell.db", "/foretell.db", "/blobs/", "/blobs", "/blobs/..%2fforetell.db", "/assets/", "/assets/" + version, "/assets/" + version + "/",
		"/assets/" + version + "/../../foretell.db", "/assets/" + version + "/..%2ftemplates%2faccount.html", "/assets/" + version + "/%2e%2e%2fassets",
		"/assets/" + version + "/..", "/assets/..%2f..%2f/etc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", `/..%5c..%5cforetell.db`, "/assets/" + version + "/htmx.min.js%00.css",
	} {
		conn, _ := w.dial(t, w.url) // package http would clean the path
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(path, err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s %.100s", path, resp.Status, body)
		}
	}
}

// TestErrorRollsBack disables the only administrator. The transaction ends the sessions of the account
// before it finds that no administrator remains. The error must undo this.
func TestErrorRollsBack(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	admin := w.administrator(t)
	var own api.Account
	admin.must(t, call{method: "GET", path: "/api/v1/account"}, &own)
	admin.refused(t, refusal{call: call{method: "PATCH", path: "/api/v1/admin/accounts/" + own.AccountKey + "/disable"}, want: 409, code: api.CodeWrongState})
	admin.must(t, call{method: "GET", path: "/api/v1/admin/accounts/" + own.AccountKey}, &own)
	if own.State != "ACTIVE" {
		t.Errorf("the account is %s", own.State)
	}
}
