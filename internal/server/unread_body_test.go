package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"foretell/internal/server"
)

// TestUnsentBody announces a body and does not send it, or sends it very slowly. The responses are
// larger than the buffer of net/http, which would wait for the body before it sends them.
func TestUnsentBody(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	for i := range 10 {
		w.newDataset(t, fmt.Sprintf("dataset-%d", i))
	}
	token := "Authorization: Bearer " + w.token + "\r\n"
	const length, chunked, form = "Content-Length: 10\r\n", "Transfer-Encoding: chunked\r\n", "Content-Type: multipart/form-data; boundary=b\r\n"
	for name, c := range map[string]struct {
		request, headers, trickle string
		want                      int
	}{
		"get":              {"GET /openapi.json", length, "", 200},
		"head":             {"HEAD /openapi.json", length, "", 200},
		"chunked":          {"GET /openapi.json", chunked, "", 200},
		"slow":             {"GET /openapi.json", "Content-Length: 1000\r\n", "x", 200},
		"slow_chunks":      {"GET /openapi.json", chunked, "1\r\nx\r\n", 200},
		"metrics":          {"GET /metrics", length, "", 200},
		"page":             {"GET /sign-in", "Accept: text/html\r\n" + length, "", 200},
		"head_of_page":     {"HEAD /sign-in", "Accept: text/html\r\n" + length, "", 200},
		"not_found":        {"GET /nowhere", "Accept: text/html\r\n" + length, "", 404},
		"multipart_form":   {"POST /sign-in", "Accept: text/html\r\nSec-Fetch-Site: same-origin\r\n" + form + length, "", 422},
		"slow_multipart":   {"POST /sign-in", "Accept: text/html\r\nSec-Fetch-Site: same-origin\r\n" + form + "Content-Length: 1000\r\n", "x", 422},
		"list_of_an_owner": {"GET /api/v1/datasets?offset=0&limit=100", token + length, "", 200},
		"slow_owner":       {"GET /api/v1/datasets?offset=0&limit=100", token + "Content-Length: 1000\r\n", "x", 200},
		"expects_continue": {"GET /openapi.json", "Expect: 100-continue\r\n" + length, "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, _ := w.dial(t, w.url)
			fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", c.request, c.headers)
			answered := make(chan error, 1)
			go func() {
				method, _, _ := strings.Cut(c.request, " ")
				resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
				if err == nil {
					body, _ := io.ReadAll(resp.Body)
					_ = resp.Body.Close()
					if resp.StatusCode != c.want || len(body) < 2<<10 && method != http.MethodHead {
						err = fmt.Errorf("%s with %d bytes: %.200s", resp.Status, len(body), body)
					}
				}
				answered <- err
			}()
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for began := time.Now(); time.Since(began) < 20*time.Second; {
				select {
				case err := <-answered:
					if err != nil {
						t.Error(err)
					}
					return
				case <-tick.C:
					_, _ = io.WriteString(conn, c.trickle) // fails when the server has closed the connection
				}
			}
			t.Error("no response after 20 seconds")
		})
	}
}
