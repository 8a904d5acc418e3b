package auth

import (
	"sync"
	"time"
)

// maxLimiterKeys is the maximum number of keys for which a Limiter stores a bucket.
const maxLimiterKeys = 10_000

// Limiter limits events, such as entries of a log, with a token bucket for each key. It is safe for
// concurrent use.
type Limiter struct {
	burst    int
	interval time.Duration
	now      func() time.Time

	mu sync.Mutex
	// fullAt maps each key to the time at which its bucket will be full again. A key that is
	// missing has a full bucket.
	fullAt map[string]time.Time
}

// NewLimiter returns a limiter that allows, for each key, burst events at once, and then one
// event in each interval.
func NewLimiter(burst int, interval time.Duration, now func() time.Time) *Limiter {
	return &Limiter{burst: burst, interval: interval, now: now, fullAt: map[string]time.Time{}}
}

// Take takes a token from the bucket of key and returns 0. If the bucket is empty, it returns the
// time until the next token.
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

// evict limits the memory of the limiter: if there are maxLimiterKeys keys, it removes those with
// full buckets. If no bucket is full, it removes all keys.
func (l *Limiter) evict(now time.Time) {
	if len(l.fullAt) < maxLimiterKeys {
		return
	}
	for key, full := range l.fullAt {
		if !full.After(now) {
			delete(l.fullAt, key)
		}
	}
	if len(l.fullAt) >= maxLimiterKeys {
		clear(l.fullAt)
	}
}
