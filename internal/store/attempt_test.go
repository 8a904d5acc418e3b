package store

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// attempts checks the limit of attempts for two processes that share the database.
func (s suite) attempts(t *testing.T) {
	processes := []*Store{s.Store, s.open(t)}
	limit := RateLimit{Name: "a limit", Burst: 3, Interval: time.Hour}
	now := time.Now()
	// take takes a token in one of the processes, and returns the time to wait. On PostgreSQL, the
	// clocks of the processes may differ by the time of a heartbeat. Therefore a minute passes before
	// each call.
	take := func(i int, key string) time.Duration {
		t.Helper()
		now = now.Add(time.Minute)
		refused, err := processes[i%2].AllowAttempts(t.Context(), now, Attempt{limit, key})
		if err != nil {
			t.Fatal(err)
		}
		if refused == nil {
			return 0
		}
		return refused.Wait
	}
	// about checks a time to wait, with a tolerance of twenty minutes.
	about := func(wait, want time.Duration) {
		t.Helper()
		if (wait - want).Abs() > 20*time.Minute {
			t.Errorf("waits %s, want %s", wait, want)
		}
	}
	rows := func() (n int) {
		read(t, s.Store, func(tx *Tx) error {
			return tx.tx.QueryRowContext(t.Context(), "SELECT count(*) FROM attempt").Scan(&n)
		})
		return n
	}
	t.Run("burst then interval", func(t *testing.T) {
		for i := range 3 {
			if wait := take(i, "a"); wait != 0 {
				t.Fatalf("attempt %d waits %s", i, wait)
			}
		}
		for i := range 4 {
			about(take(i, "a"), time.Hour)
		}
		if wait := take(0, "b"); wait != 0 {
			t.Errorf("another key waits %s", wait)
		}
		now = now.Add(90 * time.Minute)
		if wait := take(0, "a"); wait != 0 {
			t.Errorf("waits %s after an interval", wait)
		}
		about(take(1, "a"), 30*time.Minute)
	})
	t.Run("refund", func(t *testing.T) {
		for i := range 10 {
			if wait := take(i, "refunded"); wait != 0 {
				t.Fatalf("attempt %d waits %s", i, wait)
			}
			write(t, processes[1], func(tx *Tx) error {
				return tx.RefundAttempts(t.Context(), Attempt{limit, "refunded"}, Attempt{limit, "unknown"})
			})
		}
		for i := range 3 {
			take(i, "refunded")
		}
		about(take(0, "refunded"), time.Hour)
	})
	t.Run("several limits", func(t *testing.T) {
		other := RateLimit{Name: "another limit", Burst: 1, Interval: time.Hour}
		for i, want := range []int{-1, 1, 1, 0} { // the first attempt is counted even if the second is refused
			now = now.Add(time.Minute)
			refused, err := s.AllowAttempts(t.Context(), now, Attempt{limit, "several"}, Attempt{other, "several"})
			if err != nil {
				t.Fatal(err)
			}
			if want < 0 != (refused == nil) || refused != nil && refused.Index != want {
				t.Errorf("call %d: refused %+v, want %d", i, refused, want)
			}
		}
	})
	t.Run("concurrent", func(t *testing.T) {
		take(0, "concurrent")
		now = now.Add(time.Minute)
		var all sync.WaitGroup
		var allowed atomic.Int64
		for i := range 24 {
			all.Go(func() {
				refused, err := processes[i%2].AllowAttempts(t.Context(), now, Attempt{limit, "concurrent"})
				if err != nil {
					t.Error(err)
				} else if refused == nil {
					allowed.Add(1)
				}
			})
		}
		all.Wait()
		if n := allowed.Load(); n != 2 {
			t.Errorf("%d attempts were allowed after the first, want 2", n)
		}
	})
	t.Run("a clock that was set back", func(t *testing.T) {
		for i := range 4 {
			take(i, "set back")
		}
		now = now.Add(-24 * time.Hour)
		if wait := take(0, "set back"); wait != 0 {
			t.Errorf("waits %s", wait)
		}
		about(take(0, "set back"), time.Hour)
		now = now.Add(24 * time.Hour)
	})
	t.Run("pruned", func(t *testing.T) {
		prune := func() int {
			t.Helper()
			if _, err := processes[1].DeleteFullBuckets(t.Context(), now, 1000); err != nil {
				t.Fatal(err)
			}
			return rows()
		}
		if prune() == 0 {
			t.Error("deleted attempts that count")
		}
		now = now.Add(24 * time.Hour)
		if n := prune(); n > 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}
