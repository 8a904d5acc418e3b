package server

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"foretell/internal/api"
)

func TestRequestBodyLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit, size int64
		want        int64 // bytes
		tooLarge    bool
	}{
		"no_limit":    {0, 100, 100, false},
		"below_limit": {101, 100, 100, false},
		"at_limit":    {100, 100, 100, false},
		"above_limit": {99, 100, 99, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, read := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.DataErrReader, func(r io.Reader) io.Reader { return r }} {
				body := &requestBody{ReadCloser: io.NopCloser(read(strings.NewReader(strings.Repeat("a", int(c.size))))), limit: c.limit}
				got, err := io.ReadAll(body)
				var large *http.MaxBytesError
				if int64(len(got)) != c.want || errors.As(err, &large) != c.tooLarge {
					t.Errorf("%d bytes, %v", len(got), err)
				}
				if _, again := body.Read(make([]byte, 1)); c.tooLarge && !errors.Is(again, err) {
					t.Errorf("the next read returned %v, want %v", again, err)
				}
				if problem := body.problem(); (api.CodeFromError(problem) == api.CodeTooLarge) != c.tooLarge || (problem == nil) == c.tooLarge {
					t.Errorf("problem %v", problem)
				}
			}
		})
	}
}

func TestRequestBodyRemembersItsError(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	body := &requestBody{ReadCloser: io.NopCloser(io.MultiReader(strings.NewReader("id,a"), iotest.ErrReader(broken)))}
	if body.hasBegun || body.problem() != nil {
		t.Error("an unread body has begun or has a problem")
	}
	got, err := io.ReadAll(body)
	if string(got) != "id,a" || !errors.Is(err, broken) || body.bytesRead != 4 || !body.hasEnded {
		t.Errorf("%q, %v, %+v", got, err, body)
	}
	if err := body.problem(); api.CodeFromError(err) != api.CodeMalformed || !errors.Is(err, broken) {
		t.Errorf("problem %v", err)
	}
}

// TestRequestBodyFormEnd checks that a line break is appended to a form that does not end with
// one, so that the end of the form is recognized. It also checks that the body then ends with an
// error that no reader takes for the end of a complete form.
func TestRequestBodyFormEnd(t *testing.T) {
	t.Parallel()
	body := &requestBody{ReadCloser: io.NopCloser(strings.NewReader("--b--")), form: true}
	got, err := io.ReadAll(iotest.OneByteReader(body))
	if string(got) != "--b--\r\n" || !errors.Is(err, io.ErrUnexpectedEOF) || body.problem() != nil {
		t.Errorf("%q, %v, problem %v", got, err, body.problem())
	}
	if n, err := body.Read(make([]byte, 8)); n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the next read returned %d, %v", n, err)
	}
}

// TestRequestBodyIdleTimeout checks that an upload may pause several times for less than the idle
// timeout, and that it ends after a pause of that length.
func TestRequestBodyIdleTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := make(chan error, 1)
		serve := func(w http.ResponseWriter, r *http.Request) {
			body := &requestBody{ReadCloser: r.Body}
			defer body.setIdleTimeout(w, uploadIdleTimeout, time.Now)()
			_, err := io.ReadAll(body)
			read <- err
			w.WriteHeader(http.StatusOK)
		}
		client, conn := net.Pipe()
		srv := &http.Server{Handler: http.HandlerFunc(serve)} //nolint:gosec // no network
		go func() { _ = srv.Serve(&oneConn{conn: conn, closed: make(chan struct{})}) }()
		defer func() { _ = srv.Close() }()
		send := func(text string) {
			if _, err := io.WriteString(client, text); err != nil {
				t.Error(err)
			}
		}
		send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n")
		for range 3 {
			time.Sleep(uploadIdleTimeout - time.Second)
			send("1,2\n")
		}
		if err := <-read; err != nil {
			t.Fatalf("a slow upload failed: %v", err)
		}
		discardResponse(t, client)
		send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n1,2\n")
		began := time.Now()
		if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != uploadIdleTimeout {
			t.Errorf("an idle upload ended after %s with %v", time.Since(began), err)
		}
		discardResponse(t, client) // although the body is incomplete
		_ = client.Close()
	})
}

// discardResponse reads a response that has no body.
func discardResponse(t *testing.T, r io.Reader) {
	t.Helper()
	buf := make([]byte, 1)
	var head bytes.Buffer
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		if _, err := io.ReadFull(r, buf); err != nil {
			t.Fatal(err)
		}
		head.Write(buf)
	}
}

// oneConn is a listener that accepts one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (o *oneConn) Accept() (net.Conn, error) {
	if conn := o.conn; conn != nil {
		o.conn = nil
		return conn, nil
	}
	<-o.closed
	return nil, net.ErrClosed
}

func (o *oneConn) Close() error {
	select {
	case <-o.closed:
	default:
		close(o.closed)
	}
	return nil
}

func (o *oneConn) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
