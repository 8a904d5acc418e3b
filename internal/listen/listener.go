// Package listen is the network side of the service: listeners with limits on
// their connections, the HTTP server with its timeouts, and TLS certificates
// from files or from an ACME server.
package listen

import (
	"container/list"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Limits configures the limits on the connections of a [Listener].
type Limits struct {
	// Connections is the maximum number of open connections. At the limit, a new connection
	// replaces the connection that has been idle for the longest time. If no connection is idle,
	// the new client waits. Defaults to [defaultMaxConnections].
	Connections int
	// PerAddress is the maximum number of open connections of one IPv4 address or IPv6 /64 network.
	// Further connections are closed at once. Defaults to the smaller of 1,000 and half of
	// Connections.
	PerAddress int
	// Exempt holds the networks to which PerAddress does not apply, such as the networks of
	// proxies.
	Exempt []netip.Prefix
	// WriteTimeout is how long a client may receive nothing while the server
	// writes. Defaults to 2 minutes.
	WriteTimeout time.Duration
}

// Listener is a listener that limits its connections. Create it with New.
type Listener struct {
	net.Listener
	limits Limits
	log    *slog.Logger
	now    func() time.Time

	slots  chan struct{} // one element for each open connection
	closed chan struct{}
	close  sync.Once

	mu        sync.Mutex
	byNetwork map[string]int
	idle      *list.List // list of *connection; the connection that has been idle for the longest time is first
	needsIdle bool       // Accept waits and no connection was idle; the next connection that becomes idle is closed
	// warned holds the time of the last warning with each text.
	warned map[string]time.Time
}

// New returns a listener on inner that limits its connections. It logs when a limit
// is reached.
func New(inner net.Listener, limits Limits, log *slog.Logger, now func() time.Time) *Listener {
	if limits.Connections <= 0 {
		limits.Connections = defaultMaxConnections()
	}
	if limits.PerAddress <= 0 {
		limits.PerAddress = max(1, min(limits.Connections/2, 1000))
	}
	if limits.WriteTimeout <= 0 {
		limits.WriteTimeout = writeTimeout
	}
	return &Listener{
		Listener: inner, limits: limits, log: log, now: now,
		slots: make(chan struct{}, limits.Connections), closed: make(chan struct{}),
		byNetwork: map[string]int{}, idle: list.New(), warned: map[string]time.Time{},
	}
}

// Accept returns the next connection that does not exceed the limits. It closes connections that
// exceed Limits.PerAddress. Only one goroutine at a time may call Accept.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		network, limited := l.networkOf(conn.RemoteAddr())
		if !l.admitAndCount(network, limited) {
			l.warnAtIntervals("the maximum number of connections from this address is reached; its new connections are closed", "address", network, "limit", l.limits.PerAddress)
			_ = conn.Close() // refused: too many connections from its address
			continue
		}
		if err := l.acquireSlot(); err != nil {
			_ = conn.Close() // the listener is closed
			return nil, err
		}
		return &connection{Conn: conn, listener: l, network: network}, nil
	}
}

// Close closes the listener. Open connections remain.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// NumOpen returns the number of open connections.
func (l *Listener) NumOpen() int { return len(l.slots) }

// acquireSlot counts a new connection. At the limit, it closes an idle connection, or the next
// connection that becomes idle, and waits until any connection is closed.
func (l *Listener) acquireSlot() error {
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-l.closed:
		return net.ErrClosed
	default:
	}
	l.warnAtIntervals("the maximum number of open connections is reached; each new connection replaces an idle one", "limit", l.limits.Connections)
	l.closeLongestIdle()
	defer l.stopNeedingIdle()
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-l.closed:
		return net.ErrClosed
	}
}

// closeLongestIdle closes the connection that has been idle for the longest time. If no connection
// is idle, setIdle closes the next connection that becomes idle.
func (l *Listener) closeLongestIdle() {
	l.mu.Lock()
	first := l.idle.Front()
	l.needsIdle = first == nil
	l.mu.Unlock()
	if first != nil {
		_ = first.Value.(*connection).Close() // an idle connection, so its client can connect again
	}
}

// stopNeedingIdle ends the effect of a call of closeLongestIdle that found no idle connection: the
// next connection that becomes idle is no longer closed.
func (l *Listener) stopNeedingIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.needsIdle = false
}

// admitAndCount counts a new connection of the network and returns true. If limited is set and the
// network has Limits.PerAddress connections, it returns false instead.
func (l *Listener) admitAndCount(network string, limited bool) (admitted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limited && l.byNetwork[network] >= l.limits.PerAddress {
		return false
	}
	l.byNetwork[network]++
	return true
}

// networkOf returns the IPv4 address of a client, or the /64 network of its IPv6 address, because a
// client can usually use all addresses of its network. limited reports whether Limits.PerAddress
// applies.
func (l *Listener) networkOf(address net.Addr) (network string, limited bool) {
	parsed, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return address.String(), false // not an IP network
	}
	ip := parsed.Addr().Unmap().WithZone("")
	for _, exempt := range l.limits.Exempt {
		if exempt.Contains(ip) {
			return ip.String(), false
		}
	}
	if prefix, err := ip.Prefix(64); err == nil && ip.Is6() {
		return prefix.String(), true
	}
	return ip.String(), true
}

// warnInterval is the minimum time between two warnings with the same text.
const warnInterval = time.Minute

// warnAtIntervals logs a warning, unless it has logged one with the same text in the last
// warnInterval.
func (l *Listener) warnAtIntervals(text string, args ...any) {
	l.mu.Lock()
	now := l.now()
	last, again := l.warned[text]
	recent := again && now.Sub(last) < warnInterval
	if !recent {
		l.warned[text] = now
	}
	l.mu.Unlock()
	if !recent {
		l.log.Warn(text, args...)
	}
}

// TrackIdle records which connections of a Listener are idle. It must be the
// [http.Server.ConnState] of the server that uses the Listener.
func TrackIdle(conn net.Conn, state http.ConnState) {
	if wrapper, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = wrapper.NetConn()
	}
	if c, ok := conn.(*connection); ok {
		c.setIdle(state == http.StateIdle)
	}
}

// connection is a connection of a Listener. A write fails if the client receives nothing for
// Limits.WriteTimeout, so that a client that never reads cannot hold its connection forever.
type connection struct {
	net.Conn
	listener *Listener
	network  string
	idle     *list.Element // the element in listener.idle; guarded by the mutex of listener
	closed   bool          // guarded by the mutex of listener
}

// writeChunk is the maximum number of bytes that Write sends with one timeout.
const writeChunk = 32 << 10

// Write writes p in chunks of at most writeChunk bytes. Each of them must be written
// within the listener's WriteTimeout.
func (c *connection) Write(p []byte) (int, error) {
	written := 0
	for {
		chunk := p[written:min(len(p), written+writeChunk)]
		if err := c.SetWriteDeadline(c.listener.now().Add(c.listener.limits.WriteTimeout)); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(chunk)
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// Close closes the connection, so that the listener can accept another.
func (c *connection) Close() error {
	l := c.listener
	l.mu.Lock()
	first := !c.closed
	c.closed = true
	if first {
		c.removeIdle()
		if l.byNetwork[c.network]--; l.byNetwork[c.network] == 0 {
			delete(l.byNetwork, c.network)
		}
	}
	l.mu.Unlock()
	err := c.Conn.Close()
	if first {
		<-l.slots
	}
	return err
}

// setIdle records whether the connection is idle. If it is idle and Accept waits for an idle
// connection, setIdle closes it instead.
func (c *connection) setIdle(idle bool) {
	if c.recordIdle(idle) {
		_ = c.Close() // an idle connection, so its client can connect again
	}
}

// recordIdle records whether the connection is idle. If it is idle and Accept waits for an idle
// connection, recordIdle returns true instead: the caller must close the connection.
func (c *connection) recordIdle(idle bool) (mustClose bool) {
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	c.removeIdle()
	switch {
	case !idle || c.closed:
	case l.needsIdle:
		l.needsIdle = false
		return true
	default:
		c.idle = l.idle.PushBack(c)
	}
	return false
}

// removeIdle removes the connection from the list of idle connections. The caller must
// hold the listener's mutex.
func (c *connection) removeIdle() {
	if c.idle != nil {
		c.listener.idle.Remove(c.idle)
		c.idle = nil
	}
}
