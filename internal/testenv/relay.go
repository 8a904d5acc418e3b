package testenv

import (
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Relay forwards connections to a server, or behaves as if the server were down.
type Relay struct {
	server    string
	mu        sync.Mutex
	changed   *sync.Cond // signals a change of mode
	mode      RelayMode
	openConns []net.Conn
}

// RelayMode says what a relay does with connections.
type RelayMode int

// The modes of a relay.
const (
	Forwarding RelayMode = iota
	Refusing             // as a server that is down
	Hanging              // as a server that is frozen, or a network that loses packets
)

// StartRelay starts a relay to the server of the given URL. It returns the relay, and a copy of the
// URL with the host and port of the relay.
func StartRelay(t *testing.T, address string) (relay *Relay, relayURL string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if u.Hostname() == "" || u.Hostname()[0] == '/' {
		SkipWithout(t, "postgres", errors.New("its URL has no TCP address"))
	}
	r := &Relay{server: u.Host}
	r.changed = sync.NewCond(&r.mu)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = listener.Close()
		r.SetMode(Refusing)
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go r.forward(conn)
		}
	}()
	u.Host = listener.Addr().String()
	return r, u.String()
}

// SetMode changes the mode. Refusing also breaks the open connections.
func (r *Relay) SetMode(mode RelayMode) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mode = mode
	r.changed.Broadcast()
	if mode == Refusing {
		for _, conn := range r.openConns {
			_ = conn.Close()
		}
		r.openConns = nil
	}
}

func (r *Relay) forward(from net.Conn) {
	to, err := net.Dial("tcp", r.server)
	if err != nil {
		_ = from.Close()
		return
	}
	r.mu.Lock()
	refuse := r.mode == Refusing // after the connection was accepted, or also before
	if !refuse {
		r.openConns = append(r.openConns, from, to)
	}
	r.mu.Unlock()
	if refuse {
		_, _ = from.Close(), to.Close()
		return
	}
	go r.pipe(to, from)
	r.pipe(from, to)
}

func (r *Relay) pipe(dst, src net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		r.waitWhileHanging()
		if _, writeErr := dst.Write(buf[:n]); err != nil || writeErr != nil {
			_ = dst.Close()
			_ = src.Close()
			return
		}
	}
}

// waitWhileHanging blocks while the mode is Hanging.
func (r *Relay) waitWhileHanging() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.mode == Hanging {
		r.changed.Wait()
	}
}
