package client

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// newTransport returns the default transport. It uses the proxies of the
// environment and has time limits for everything but bodies. The bodies of responses have the
// limit Options.IdleTimeout.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		ResponseHeaderTimeout: 2 * time.Minute,
		WriteBufferSize:       64 << 10,
		ReadBufferSize:        64 << 10,
	}
}

// NewInProcessTransport returns a transport that sends requests for any host to h in this process.
// Each connection is a pipe to an HTTP server, so bodies stream and cancellation propagates as over
// a network. Close closes all connections and returns when the last handler has returned.
func NewInProcessTransport(h http.Handler) (transport http.RoundTripper, closer io.Closer) {
	p := &inProcessServer{conns: make(chan net.Conn), closed: make(chan struct{})}
	p.transport = newTransport()
	p.transport.Proxy = nil
	p.transport.DialContext = p.dial
	p.transport.ResponseHeaderTimeout = 0
	p.server = &http.Server{
		Handler:           h,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ReadHeaderTimeout: 10 * time.Second,
		ConnState:         p.trackConn,
	}
	p.serving.Go(func() { p.serveErr = p.server.Serve(p) })
	return p.transport, p
}

// inProcessServer is a listener whose connections are pipes.
type inProcessServer struct {
	transport *http.Transport
	server    *http.Server
	conns     chan net.Conn
	closed    chan struct{}
	once      sync.Once
	serving   sync.WaitGroup // waits for the accept loop
	open      sync.WaitGroup // waits for open connections; a connection ends after its last handler
	serveErr  error
}

// trackConn counts the open connections, for which Close waits. It is the callback
// [http.Server.ConnState]. The accept loop calls it with StateNew, so after the end of this loop,
// the count includes every connection.
func (p *inProcessServer) trackConn(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		p.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		p.open.Done()
	}
}

func (p *inProcessServer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept returns the server's end of the next dialled connection.
func (p *inProcessServer) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Addr returns the name of the listener.
func (p *inProcessServer) Addr() net.Addr { return pipeAddr{} }

// Close closes the server and the listener. It may be called twice, because
// p.server.Close also closes its listener, which is p.
func (p *inProcessServer) Close() error {
	first := false
	p.once.Do(func() {
		first = true
		close(p.closed)
	})
	if !first {
		return nil
	}
	p.transport.CloseIdleConnections()
	err := p.server.Close()
	p.serving.Wait()
	p.open.Wait()
	if err == nil && !errors.Is(p.serveErr, http.ErrServerClosed) && !errors.Is(p.serveErr, net.ErrClosed) {
		err = p.serveErr
	}
	return err
}

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "in-process" }
