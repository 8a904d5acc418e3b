package connect

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/client"
	"foretell/internal/dashboard"
	"foretell/internal/listen"
	"foretell/internal/server"
)

// LocalPages serves the dashboard of a service in this process to a browser on this machine.
type LocalPages struct {
	local  *dashboard.LocalAccess
	url    string
	server *http.Server
	// serveErr receives the error with which server has ended.
	serveErr chan error
}

// ServePages starts to serve the dashboard on a free port of the loopback interface. Only the
// browser that first opens the URL of [LocalPages.Link] gets access.
func (c *Session) ServePages(ctx context.Context) (*LocalPages, error) {
	code, errCode := auth.NewToken(rand.Reader)
	secret, errSecret := auth.NewToken(rand.Reader)
	if err := errors.Join(errCode, errSecret); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	used := &atomic.Bool{}
	p := &LocalPages{
		local: &dashboard.LocalAccess{
			Code: code, Secret: secret, Token: c.validToken,
			UseCode: func() bool { return used.CompareAndSwap(false, true) },
		},
		url: "http://" + listener.Addr().String(), serveErr: make(chan error, 1),
	}
	handler := c.service.Handler(server.Options{Local: p.local, PublicURL: p.url})
	p.server = listen.NewServer(rejectOtherHosts(listener.Addr().String(), handler), c.service.Log)
	go func() { p.serveErr <- p.server.Serve(listener) }()
	return p, nil
}

// validToken returns a token of the service that has not expired. It first calls the API, because
// the client then renews an expired token.
func (c *Session) validToken(ctx context.Context) (string, error) {
	if _, err := client.Call(ctx, c.Client, api.GetOwnAccount, &api.None{}); err != nil {
		return "", err
	}
	return c.Token(), nil
}

// rejectOtherHosts rejects requests whose Host header is not host. This prevents DNS rebinding, in
// which a page of another site reaches the service through a host name that resolves to this
// machine.
func rejectOtherHosts(host string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host {
			http.Error(w, fmt.Sprintf("this service answers only requests to http://%s", host), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Link returns the URL that opens the page at path. The URL works once.
func (p *LocalPages) Link(path string) string {
	query := url.Values{"code": {p.local.Code}}
	if path != "/" {
		query.Set("next", path)
	}
	return p.url + "/open?" + query.Encode()
}

// shutdownTimeout is how long [LocalPages.Close] waits for requests in progress.
const shutdownTimeout = 3 * time.Second

// Close stops serving. It waits at most shutdownTimeout for requests in progress.
func (p *LocalPages) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := p.server.Shutdown(ctx); err != nil {
		return errors.Join(err, p.server.Close())
	}
	if err := <-p.serveErr; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
