package auth

import (
	"strconv"
	"testing"
	"time"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	newLimiter := func() *Limiter { return NewLimiter(3, time.Minute, func() time.Time { return now }) }
	t.Run("burst_then_interval", func(t *testing.T) {
		l := newLimiter()
		for i := range 3 {
			if wait := l.Take("a"); wait != 0 {
				t.Fatalf("attempt %d waits %s", i, wait)
			}
		}
		if wait := l.Take("a"); wait != time.Minute {
			t.Errorf("waits %s, want 1m", wait)
		}
		if wait := l.Take("b"); wait != 0 {
			t.Errorf("another key waits %s", wait)
		}
		now = now.Add(20 * time.Second)
		if wait := l.Take("a"); wait != 40*time.Second {
			t.Errorf("waits %s, want 40s", wait)
		}
		now = now.Add(40 * time.Second)
		if wait := l.Take("a"); wait != 0 {
			t.Errorf("waits %s after an interval", wait)
		}
		if wait := l.Take("a"); wait != time.Minute {
			t.Errorf("waits %s, want 1m: one token per interval", wait)
		}
	})
	t.Run("bounded", func(t *testing.T) {
		l := newLimiter()
		for i := range 3 * maxLimiterKeys {
			l.Take(strconv.Itoa(i))
		}
		if len(l.fullAt) > maxLimiterKeys {
			t.Errorf("%d buckets", len(l.fullAt))
		}
	})
}
