package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"foretell/internal/server"
)

// TestDrainBody acts as a client that reads the response only after it has sent the whole body. The
// bodies are larger than the buffers of a connection, so the client could not send a whole body if
// the server closed the connection without reading.
func TestDrainBody(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	open, taken := w.newDataset(t, "open"), w.newDataset(t, "taken")
	w.must(t, call{method: "PUT", path: taken.DatasetUploadInfo.UploadURL, body: "id,a,b\n1,2,3\n2,3,4\n"}, nil)
	form := w.url + "/api/v1/datasets/" + open.DatasetKey + "/data"
	for _, c := range []struct {
		name, method, address, kind string
		declared, sent              int64 // if declared is -1, the body is chunked
		want                        int
	}{
		{"declared_too_large", "POST", form, "multipart/form-data; boundary=b", 40 << 20, 40 << 20, 413},
		{"found_too_large", "POST", form, "multipart/form-data; boundary=b", -1, 40 << 20, 413},
		{"wrong_state", "PUT", taken.DatasetUploadInfo.UploadURL, "text/csv", 20 << 20, 20 << 20, 409},
		{"wrong_type", "PUT", open.DatasetUploadInfo.UploadURL, "application/json", 20 << 20, 20 << 20, 415},
		{"no_operation", "POST", w.url + "/nowhere", "text/csv", 4 << 20, 4 << 20, 404},
		{"sender_that_waits", "POST", form, "multipart/form-data; boundary=b", 40 << 20, 0, 413},
		{"far_too_large_to_be_heard_out", "POST", form, "multipart/form-data; boundary=b", 900 << 20, 0, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			send := func() (status int, answer []byte, err error) {
				conn, path := w.dial(t, c.address)
				if err := conn.(*net.TCPConn).SetWriteBuffer(64 << 10); err != nil { // or the kernel may take several MB that nobody reads
					return 0, nil, err
				}
				length, body := fmt.Sprintf("Content-Length: %d", c.declared), largeCSV(c.sent)
				if c.declared < 0 {
					length = "Transfer-Encoding: chunked"
					part := "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n"
					size := int64(len(part)) + c.sent
					body = io.MultiReader(strings.NewReader(fmt.Sprintf("%x\r\n%s", size, part)), body, strings.NewReader("\r\n0\r\n\r\n"))
				}
				fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n%s\r\n\r\n",
					c.method, path, w.token, c.kind, length)
				if c.sent > 0 {
					if _, err := io.Copy(conn, body); err != nil {
						return 0, nil, err
					}
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					return 0, nil, err
				}
				defer resp.Body.Close()
				answer, err = io.ReadAll(resp.Body)
				return resp.StatusCode, answer, err
			}
			status, answer, err := send()
			for attempt := 1; err != nil && c.name == "no_operation" && attempt < 5; attempt++ {
				// The server waits only a second for the next byte of a client without a valid token.
				// On a busy machine, the next byte may come later.
				status, answer, err = send()
			}
			if err != nil || status != c.want {
				t.Errorf("%d %s, %v", status, answer, err)
			}
		})
	}
}

// TestDrainAnonymousBody checks that the server soon stops reading the body of a request without a
// token, even if the client continues to send.
func TestDrainAnonymousBody(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes five seconds")
	}
	w := newTestServer(t, server.Options{})
	conn, path := w.dial(t, w.url+"/api/v1/datasets/"+noKey+"/data")
	began := time.Now()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\n", path)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last, longest := began, time.Duration(0) // the last byte, and the longest pause between two
	for range tick.C {
		if _, err := conn.Write([]byte("x")); err != nil {
			break // closed
		}
		now := time.Now()
		last, longest = now, max(longest, now.Sub(last))
		if now.Sub(began) > 20*time.Second {
			t.Fatal("the body is read after 20 seconds")
		}
	}
	if took := time.Since(began); took < 2*time.Second && longest < time.Second/2 { // after a pause of a second, as on a busy machine, the server stops reading
		t.Errorf("closed after %s, before a client could read the response", took)
	}
}

// TestSlowForm sends the form to log in one byte at a time: the server must not read it for longer
// than a browser needs. So that the test need not wait 30 seconds, the clock of the server is
// 28 seconds slow.
func TestSlowForm(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{Now: func() time.Time { return time.Now().Add(-28 * time.Second) }})
	for path, kind := range map[string]string{"/sign-in": "application/x-www-form-urlencoded", "/nowhere": "application/x-www-form-urlencoded", "/datasets": "multipart/form-data; boundary=b"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			conn, _ := w.dial(t, w.url)
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nAccept: text/html\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n", path, kind)
			answered := make(chan int, 1)
			go func() {
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					answered <- 0
					return
				}
				_ = resp.Body.Close()
				answered <- resp.StatusCode
			}()
			began := time.Now()
			for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C {
				select {
				case status := <-answered:
					if status != 400 && status != 404 && status != 303 {
						t.Errorf("status %d", status)
					}
					return
				default:
				}
				if _, err := conn.Write([]byte("x")); err != nil && time.Since(began) < time.Second {
					t.Fatal(err)
				}
				if time.Since(began) > 15*time.Second {
					t.Fatal("the form is read after 15 seconds")
				}
			}
		})
	}
}

// TestDrainForm rejects an upload of the dashboard over a slow connection. The browser must see the
// reason, although it sends for longer than the server reads requests without a session.
func TestDrainForm(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes seven seconds")
	}
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	conn, _ := s.dial(t, s.url)
	address, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	const steps, step = 70, 1000
	head := "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n" + strings.Repeat("x", 300) +
		"\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"train.csv\"\r\n\r\n"
	tail := "\r\n--b--\r\n"
	fmt.Fprintf(conn, "POST /datasets HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nSec-Fetch-Site: same-origin\r\nHX-Request: true\r\n"+
		"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n%s",
		address.Host, b.client.Jar.Cookies(address)[0], len(head)+steps*step+len(tail), head)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range steps {
		<-tick.C
		if _, err := io.WriteString(conn, strings.Repeat("a,b,c,1\n", step/8)); err != nil {
			t.Fatal("sending:", err)
		}
	}
	if _, err := io.WriteString(conn, tail); err != nil {
		t.Fatal("sending:", err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal("reading the answer:", err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != 422 || !strings.Contains(string(answer), "3 to 30 characters") {
		t.Errorf("%d %s", resp.StatusCode, answer)
	}
}
