package listen_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"foretell/internal/listen"
)

// logs is the log of a listener.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve serves handler on a local port within limits.
func serve(t *testing.T, limits listen.Limits, handler http.Handler) (*listen.Listener, *logs) {
	t.Helper()
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := &logs{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	listener := listen.New(smallBuffers{inner}, limits, logger, time.Now)
	server := listen.NewServer(handler, logger)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return listener, log
}

// smallBuffers is a listener whose connections take little data that the client does not read. With
// the buffers that the kernel chooses, a write may wait until the client has read a megabyte.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		err = conn.(*net.TCPConn).SetWriteBuffer(64 << 10)
	}
	return conn, err
}

// hello responds to each request with a short text.
var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })

// dial connects to the listener.
func dial(t *testing.T, l *listen.Listener) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// get sends a request on the connection and returns the body of the response.
func get(conn net.Conn) (string, error) {
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return "", err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// TestLimitPerAddress checks that a connection above the limit of its address is closed, unless the
// address is exempt.
func TestLimitPerAddress(t *testing.T) {
	t.Parallel()
	limited, log := serve(t, listen.Limits{Connections: 9, PerAddress: 2}, hello)
	exempt, _ := serve(t, listen.Limits{Connections: 9, PerAddress: 2, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, hello)
	for _, c := range []struct {
		listener *listen.Listener
		served   int
	}{{limited, 2}, {exempt, 4}} {
		served := 0
		for range 4 {
			if body, err := get(dial(t, c.listener)); err == nil && body == "hello" {
				served++
			}
		}
		if served != c.served || c.listener.NumOpen() != c.served {
			t.Errorf("%d of 4 connections were served and %d are open, want %d", served, c.listener.NumOpen(), c.served)
		}
	}
	if n := strings.Count(log.String(), "the maximum number of connections from this address is reached"); n != 1 {
		t.Errorf("%d warnings: %s", n, log)
	}
}

// TestIdleConnectionsYield checks that, at the limit, the connection that has been idle for the
// longest time is closed to accept a new one.
func TestIdleConnectionsYield(t *testing.T) {
	t.Parallel()
	listener, log := serve(t, listen.Limits{Connections: 3, PerAddress: 99}, hello)
	for i := range 10 {
		if body, err := get(dial(t, listener)); err != nil || body != "hello" {
			t.Fatalf("connection %d: %q, %v", i, body, err)
		}
	}
	if open := listener.NumOpen(); open > 3 {
		t.Errorf("%d connections are open", open)
	}
	if !strings.Contains(log.String(), "the maximum number of open connections is reached") {
		t.Errorf("no warning: %s", log)
	}
}

// TestNextIdleConnectionYields checks that a connection that becomes idle while a new client waits is
// closed, and that the new connection then stays open when it is idle.
func TestNextIdleConnectionYields(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l := listen.New(inner, listen.Limits{Connections: 1, PerAddress: 9}, slog.New(slog.DiscardHandler), time.Now)
		t.Cleanup(func() { _ = l.Close() })
		firstClient, _ := dial(t, l), dial(t, l)
		first, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		accepted := make(chan net.Conn, 1)
		go func() {
			if conn, err := l.Accept(); err == nil {
				accepted <- conn
			}
		}()
		synctest.Wait() // Accept waits for a connection to be closed
		listen.TrackIdle(first, http.StateIdle)
		synctest.Wait()
		select {
		case second := <-accepted:
			listen.TrackIdle(second, http.StateIdle)
			t.Cleanup(func() { _ = second.Close() })
		default:
			t.Fatal("the new client waits, although a connection is idle")
		}
		if _, err := firstClient.Read(make([]byte, 1)); err == nil || l.NumOpen() != 1 {
			t.Errorf("the idle connection: %v; %d are open", err, l.NumOpen())
		}
	})
}

// TestClientThatDoesNotRead checks that the connection of a client that reads nothing
// is closed.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	listener, _ := serve(t, listen.Limits{WriteTimeout: 100 * time.Millisecond}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		block := make([]byte, 1<<20)
		for {
			if _, err := w.Write(block); err != nil {
				failed <- err
				return
			}
		}
	}))
	conn := dial(t, listener)
	if _, err := fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	var timeout net.Error
	if err := <-failed; !asTimeout(err, &timeout) {
		t.Errorf("the write ended with %v", err)
	}
}

// TestSlowReader checks that a client that reads slowly gets the whole response.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	listener, _ := serve(t, listen.Limits{WriteTimeout: 2 * time.Second}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, size))
	}))
	conn := dial(t, listener)
	if _, err := fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	total, buf := 0, make([]byte, 64<<10)
	for {
		n, err := conn.Read(buf)
		total += n
		if err != nil {
			break
		}
		<-tick.C
	}
	if total < size {
		t.Errorf("got %d bytes of %d", total, size)
	}
}
