package auth

import (
	"sync"
	"time"
)

// maxBuckets is the number of keys that a Limiter remembers.
const maxBuckets = 10_000

// Limiter limits attempts to log in with a token bucket for each key, such as an
// e-mail or an IP address. A successful attempt is refunded, which
// golang.org/x/time/rate does not support: it cancels only future reservations.
// It is safe for concurrent use.
type Limiter struct {
	burst    int
	interval time.Duration
	now      func() time.Time

	mu sync.Mutex
	// fullAt is the time at which a bucket has all its tokens again. A bucket that
	// is not in the map is full.
	fullAt map[string]time.Time
}

// NewLimiter returns a limiter that allows burst attempts at once, and one more
// each interval.
func NewLimiter(burst int, interval time.Duration, now func() time.Time) *Limiter {
	return &Limiter{burst: burst, interval: interval, now: now, fullAt: map[string]time.Time{}}
}

// Take takes a token of the key and returns 0. If the key has none left, it
// returns the time until it gets one.
func (l *Limiter) Take(key string) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.evict(now)
	full := l.fullAt[key]
	if full.Before(now) {
		full = now
	}
	full = full.Add(l.interval)
	if wait := full.Sub(now) - time.Duration(l.burst)*l.interval; wait > 0 {
		return wait
	}
	l.fullAt[key] = full
	return 0
}

// Refund returns a token that Take took.
func (l *Limiter) Refund(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if full, ok := l.fullAt[key]; ok {
		l.fullAt[key] = full.Add(-l.interval)
	}
}

// evict removes the full buckets if there are too many buckets, and all of them
// if that is not enough: memory is more important than an exact limit.
func (l *Limiter) evict(now time.Time) {
	if len(l.fullAt) < maxBuckets {
		return
	}
	for key, full := range l.fullAt {
		if !full.After(now) {
			delete(l.fullAt, key)
		}
	}
	if len(l.fullAt) >= maxBuckets {
		clear(l.fullAt)
	}
}
