package app

import (
	"sync"
	"time"
)

// A log-in name may be tried loginBurst times at once and then once every
// loginPause. The right password gives its try back.
const (
	loginBurst = 10
	loginPause = 6 * time.Second
	// limiterSize is how many names are kept before those at rest are dropped.
	limiterSize = 10_000
)

// limiter slows down guessing: a token bucket per name. Instead of tokens it
// keeps the time at which the bucket will be full again.
type limiter struct {
	now func() time.Time

	mu   sync.Mutex
	full map[string]time.Time
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, full: map[string]time.Time{}}
}

// take takes a try of the name, or gives how long to wait for one.
func (l *limiter) take(name string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if len(l.full) >= limiterSize {
		for n, full := range l.full {
			if !full.After(now) {
				delete(l.full, n)
			}
		}
	}
	full := l.full[name]
	if full.Before(now) {
		full = now
	}
	full = full.Add(loginPause)
	if wait := full.Sub(now) - loginBurst*loginPause; wait > 0 {
		return wait
	}
	l.full[name] = full
	return 0
}

// refund gives a try back.
func (l *limiter) refund(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full[name] = l.full[name].Add(-loginPause)
}
