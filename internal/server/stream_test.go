package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/server"
)

// rows is a reader that repeats a line of CSV until it has returned left bytes.
type rows struct {
	left int64
	line []byte
	at   int
}

func (r *rows) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && r.left > 0 {
		m := copy(p[n:min(len(p), n+int(min(r.left, int64(len(p)))))], r.line[r.at:])
		r.at = (r.at + m) % len(r.line)
		n += m
		r.left -= int64(m)
	}
	return n, nil
}

func largeCSV(size int64) io.Reader {
	header := "id,a,b,c\n"
	return io.MultiReader(strings.NewReader(header),
		&rows{left: size - int64(len(header)), line: []byte("1,2.5,3.5,x\n")})
}

// peakHeap samples the size of the heap until stop is called. The function stop returns how much
// the heap has grown.
func peakHeap(t *testing.T) (stop func() uint64) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	base, peak, end := m.HeapInuse, atomic.Uint64{}, make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak.Store(max(peak.Load(), m.HeapInuse))
			}
		}
	}()
	return func() uint64 {
		close(end)
		<-done
		return max(peak.Load(), base) - base
	}
}

// TestUploadStreams checks that an upload of 48 MB takes only a few MB of memory, in the client and
// the server together.
func TestUploadStreams(t *testing.T) {
	w := newTestServer(t, server.Options{})
	created := w.newDataset(t, "large")
	const size = 48 << 20
	req, err := http.NewRequestWithContext(t.Context(), "PUT", created.DatasetUploadInfo.UploadURL, largeCSV(size))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = size
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "text/csv")
	stop := peakHeap(t)
	resp, err := http.DefaultClient.Do(req)
	grown := stop()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	t.Logf("48 MB sent with %.1f MB", float64(grown)/1e6)
	if grown > 32<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

// TestAddDataLimit sends one form above the size limit and one exactly at it.
func TestAddDataLimit(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	created := w.newDataset(t, "bound")
	send := func(size int64) (status int, answer string) {
		head := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n"
		tail := "\r\n--b--\r\n"
		req, err := http.NewRequestWithContext(t.Context(), "POST", w.url+"/api/v1/datasets/"+created.DatasetKey+"/data",
			io.MultiReader(strings.NewReader(head), largeCSV(size), strings.NewReader(tail)))
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = int64(len(head)) + size + int64(len(tail))
		req.Header.Set("Authorization", "Bearer "+w.token)
		req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		req.Header.Set("Expect", "100-continue")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	if status, body := send(api.MaxAddDataBytes + 1); status != http.StatusRequestEntityTooLarge || !strings.Contains(body, `"too-large"`) {
		t.Errorf("one byte too many: %d %s", status, body)
	}
	if status, body := send(api.MaxAddDataBytes); status != http.StatusOK {
		t.Errorf("32 MB: %d %s", status, body)
	}
}

// TestUploadLimit announces a body above the limit and sends none of it.
func TestUploadLimit(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	created := w.newDataset(t, "bound")
	status, continued := w.announce(t, created.DatasetUploadInfo.UploadURL, api.MaxUploadBytes+1, "")
	if status != http.StatusRequestEntityTooLarge || continued {
		t.Errorf("status %d, body asked for: %v", status, continued)
	}
}

// TestPartialUpload sends the first lines of a file with the header Content-Range. The service must not
// take them for the whole file.
func TestPartialUpload(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	created := w.newDataset(t, "part")
	part := map[string]string{"Content-Range": "bytes 0-19/9711", "Content-Type": "text/csv"}
	w.refused(t, refusal{"upload", call{method: "PUT", path: created.DatasetUploadInfo.UploadURL, body: "id,a,b\n1,2,3\n2,3,4\n", header: part}, 400, api.CodeMalformed, ""})
	delete(part, "Content-Type")
	w.refused(t, refusal{"form", call{method: "POST", path: "/api/v1/datasets/" + created.DatasetKey + "/data", form: "id,a,b\n1,2,3\n2,3,4\n", header: part}, 400, api.CodeMalformed, ""})
	var dataset api.Dataset
	w.must(t, call{method: "GET", path: "/api/v1/datasets/" + created.DatasetKey}, &dataset)
	if dataset.Status != api.DatasetPending {
		t.Errorf("the dataset is %s", dataset.Status)
	}
}

// TestExpectContinue checks that a client that waits for 100 Continue gets an error without sending
// the body.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	created := w.newDataset(t, "taken")
	w.must(t, call{method: "POST", path: "/api/v1/datasets/" + created.DatasetKey + "/data", form: "id,a,b\n1,2,3\n2,3,4\n"}, nil)
	for name, address := range map[string]string{
		"not_pending": created.DatasetUploadInfo.UploadURL,
		"unknown":     strings.Replace(created.DatasetUploadInfo.UploadURL, created.DatasetKey, noKey, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if status, continued := w.announce(t, address, 1<<20, ""); continued || status < 400 {
				t.Errorf("status %d, body asked for: %v", status, continued)
			}
		})
	}
	t.Run("form_of_one_not_pending", func(t *testing.T) {
		address := w.url + "/api/v1/datasets/" + created.DatasetKey + "/data"
		if status, continued := w.announce(t, address, 1<<20, "multipart/form-data; boundary=b"); continued || status != http.StatusConflict {
			t.Errorf("status %d, body asked for: %v", status, continued)
		}
	})
}

// announce sends the head of a request with a body of size bytes and returns
// the first status. A form is POSTed.
func (s *testServer) announce(t *testing.T, address string, size int64, form string) (status int, continued bool) {
	t.Helper()
	conn, path := s.dial(t, address)
	method, kind := "PUT", "text/csv"
	if form != "" {
		method, kind = "POST", form
	}
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		method, path, s.token, kind, size)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, resp.StatusCode == http.StatusContinue
}

func (s *testServer) dial(t *testing.T, address string) (conn net.Conn, path string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var d net.Dialer
	conn, err = d.DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn, u.RequestURI()
}

// TestInterruptedUpload closes connections in the middle of a body. The dataset must stay PENDING
// and accept the next upload.
func TestInterruptedUpload(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	created := w.newDataset(t, "broken")
	for _, head := range []string{
		"PUT %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\nid,a,b\n1,2,3\n",
		"PUT %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\ne\r\nid,a,b\n1,2,3\n\r\n",
	} {
		conn, path := w.dial(t, created.DatasetUploadInfo.UploadURL)
		fmt.Fprintf(conn, head, path, w.token)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), `"code":"malformed"`) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
	var dataset api.Dataset
	w.must(t, call{method: "GET", path: "/api/v1/datasets/" + created.DatasetKey}, &dataset)
	if dataset.Status != api.DatasetPending {
		t.Fatalf("the dataset is %s", dataset.Status)
	}
	w.must(t, call{method: "PUT", path: created.DatasetUploadInfo.UploadURL, body: "id,a,b\n1,2,3\n2,3,4\n"}, nil)
}
