package testenv

import (
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// s3Variable is the environment variable with the location and endpoint of an S3 bucket for
// tests. Its credentials are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
const s3Variable = "FORETELL_TEST_S3"

// S3 returns the location of an empty prefix in the bucket of FORETELL_TEST_S3. If that
// variable is not set, the test is skipped; see [SkipWithout].
func S3(t *testing.T) *url.URL {
	t.Helper()
	text := os.Getenv(s3Variable)
	if text == "" {
		SkipWithout(t, "s3", errors.New(s3Variable+" is not set"))
	}
	location, err := url.Parse(text)
	if err != nil || location.Query().Get("endpoint") == "" {
		t.Fatalf("%s=%s: want s3://BUCKET/PREFIX?endpoint=URL", s3Variable, text)
	}
	return location.JoinPath(strings.ToLower(rand.Text()))
}

// ReplaceEndpoint returns a copy of location with another endpoint.
func ReplaceEndpoint(location *url.URL, endpoint string) *url.URL {
	other := *location
	query := other.Query()
	query.Set("endpoint", endpoint)
	other.RawQuery = query.Encode()
	return &other
}

// S3Proxy forwards connections to an S3 store, and can break them as a failing network would.
type S3Proxy struct {
	// Location is the location of the store, with the address of the proxy as its endpoint.
	Location *url.URL

	listener net.Listener
	target   string
	down     atomic.Bool
	refused  chan struct{}
	// cut is the number of bytes of a response after which its connection breaks. 0 means
	// that it never breaks.
	cut atomic.Int64

	mu    sync.Mutex
	conns []net.Conn
}

// NewS3Proxy returns a proxy to the store at location. The proxy runs until the test ends.
func NewS3Proxy(t *testing.T, location *url.URL) *S3Proxy {
	t.Helper()
	endpoint, err := url.Parse(location.Query().Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	p := &S3Proxy{target: endpoint.Host, refused: make(chan struct{}, 1)}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	p.Location = ReplaceEndpoint(location, "http://"+p.listener.Addr().String())
	go p.serve()
	t.Cleanup(func() {
		_ = p.listener.Close()
		p.SetDown(true)
	})
	return p
}

// SetDown breaks all connections and refuses new connections if down is true. Otherwise the proxy
// accepts connections again.
func (p *S3Proxy) SetDown(down bool) {
	p.down.Store(down)
	if !down {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}

// Refused returns a channel that receives a value after a connection was refused.
func (p *S3Proxy) Refused() <-chan struct{} { return p.refused }

// CutResponses breaks each new connection after the store has sent the given number of bytes. 0
// means that no connection breaks.
func (p *S3Proxy) CutResponses(after int64) { p.cut.Store(after) }

func (p *S3Proxy) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.down.Load() {
			_ = conn.Close()
			select {
			case p.refused <- struct{}{}:
			default: // nobody waits
			}
			continue
		}
		go p.forward(conn)
	}
}

// forward copies bytes between a client and the store, until either closes the connection.
func (p *S3Proxy) forward(client net.Conn) {
	defer func() { _ = client.Close() }()
	store, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer func() { _ = store.Close() }()
	p.mu.Lock()
	down := p.down.Load() // since the connection was accepted
	if !down {
		p.conns = append(p.conns, client, store)
	}
	p.mu.Unlock()
	if down {
		return
	}
	go func() {
		_, _ = io.Copy(store, client)
		_ = store.Close()
	}()
	var responses io.Reader = store
	if cut := p.cut.Load(); cut > 0 {
		responses = io.LimitReader(store, cut)
	}
	_, _ = io.Copy(client, responses)
}
