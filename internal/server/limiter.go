package server

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// maxBuckets bounds how many addresses a limiter remembers.
const maxBuckets = 10_000

// limiter holds back whoever tries too often: each address has a bucket of
// tries that fills up again with time.
type limiter struct {
	burst int
	every time.Duration // until one try comes back
	now   func() time.Time

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tries float64
	at    time.Time // when tries was right
}

func newLimiter(burst int, every time.Duration, now func() time.Time) *limiter {
	return &limiter{burst: burst, every: every, now: now, buckets: map[string]bucket{}}
}

// take spends a try of the address. Without one left it gives how long to wait
// for the next.
func (l *limiter) take(address string) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.filled(address)
	if b.tries < 1 {
		return time.Duration((1 - b.tries) * float64(l.every))
	}
	b.tries--
	l.buckets[address] = b
	return 0
}

// giveBack returns a try that was no failure.
func (l *limiter) giveBack(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.filled(address)
	b.tries = min(b.tries+1, float64(l.burst))
	l.buckets[address] = b
}

// filled returns the bucket as it is now. When there are many, those that are
// full are forgotten, and all of them if that does not help.
func (l *limiter) filled(address string) bucket {
	now := l.now()
	if len(l.buckets) >= maxBuckets {
		for key, b := range l.buckets {
			if l.fill(b, now).tries >= float64(l.burst) {
				delete(l.buckets, key)
			}
		}
		if len(l.buckets) >= maxBuckets {
			clear(l.buckets)
		}
	}
	b, ok := l.buckets[address]
	if !ok {
		return bucket{tries: float64(l.burst), at: now}
	}
	return l.fill(b, now)
}

func (l *limiter) fill(b bucket, now time.Time) bucket {
	gained := float64(now.Sub(b.at)) / float64(l.every)
	return bucket{tries: min(b.tries+max(gained, 0), float64(l.burst)), at: now}
}

// remoteAddress tells who asks: the peer, or, behind a trusted proxy, whoever
// the proxy says. Of an IPv6 address only the network counts, for a host has
// as many addresses in it as it likes.
func remoteAddress(r *http.Request, trustProxy bool) string {
	text := r.RemoteAddr
	if forwarded := r.Header.Values("X-Forwarded-For"); trustProxy && len(forwarded) > 0 {
		hops := strings.Split(forwarded[len(forwarded)-1], ",")
		text = strings.TrimSpace(hops[len(hops)-1]) // what the proxy itself saw
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		if err != nil {
			return text
		}
		address = withPort.Addr()
	}
	address = address.Unmap()
	if address.Is6() {
		if prefix, err := address.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return address.String()
}
