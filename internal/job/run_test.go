package job

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestOtherProcessTakesOver(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(m memory, stop func())
		wait time.Duration
		want int64 // the attempt
	}{
		{"at once after a clean stop", func(_ memory, stop func()) { stop() }, pollInterval, 1},
		{"soon after a death that is known", func(m memory, _ func()) { m.with(func() { m.dead["a"] = true }) }, 2 * pollInterval, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := memory{newRows(), "a"}
				b := memory{a.rows, "b"}
				a.insert("1")
				_, _, stopA := a.start(t, untilDone)
				synctest.Wait()
				tt.end(a, sync.OnceFunc(stopA))
				var attempt atomic.Int64
				_, _, stopB := b.start(t, func(_ context.Context, r *RunningJob) error {
					attempt.Store(int64(r.Attempt))
					return b.finish(r.Key)
				})
				time.Sleep(tt.wait)
				synctest.Wait()
				if got := attempt.Load(); got != tt.want {
					t.Errorf("attempt %d, want %d", got, tt.want)
				}
				stopB()
				if tt.want > 1 {
					stopA()
				}
			})
		})
	}
}

func TestLeaseIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := memory{newRows(), "a"}
		b := memory{a.rows, "b"}
		a.insert("1")
		_, _, stopA := a.start(t, untilDone)
		synctest.Wait()
		var taken atomic.Bool
		_, _, stopB := b.start(t, func(_ context.Context, r *RunningJob) error {
			taken.Store(true)
			return b.finish(r.Key)
		})
		time.Sleep(10 * leaseTimeout)
		if taken.Load() {
			t.Error("a job was taken from a live worker")
		}
		stopA()
		time.Sleep(pollInterval)
		synctest.Wait()
		if !taken.Load() {
			t.Error("a job was not taken from a stopped worker")
		}
		stopB()
	})
}

func TestCancel(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cancel func(p *Pool, m memory)
		within time.Duration
	}{
		{"at once in the same process", func(p *Pool, _ memory) { p.Cancel("subject of 1") }, 0},
		{"with the next heartbeat from another", func(_ *Pool, m memory) { m.with(func() { m.jobs["1"].cancelled = true }) }, heartbeatInterval},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := memory{newRows(), "a"}
				m.insert("1")
				p, _, stop := m.start(t, func(ctx context.Context, r *RunningJob) error {
					select {
					case <-r.Cancelled():
						return m.finish(r.Key)
					case <-ctx.Done():
						return ctx.Err()
					}
				})
				synctest.Wait()
				tt.cancel(p, m)
				time.Sleep(tt.within)
				synctest.Wait()
				if m.count() != 0 {
					t.Error("the run goes on")
				}
				stop()
			})
		})
	}
}

func TestLostLeaseStopsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		m.insert("1")
		_, failures, stop := m.start(t, untilDone)
		synctest.Wait()
		m.with(func() { delete(m.jobs, "1") }) // its subject was deleted
		time.Sleep(heartbeatInterval)
		m.insert("2")
		time.Sleep(pollInterval)
		synctest.Wait()
		m.with(func() {
			if m.jobs["2"].owner != "a" {
				t.Error("the worker is not free for the next job")
			}
		})
		stop()
		if len(*failures) > 0 {
			t.Errorf("failures: %v", *failures)
		}
	})
}

func TestFail(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name    string
		do      func(context.Context, *RunningJob) error
		prepare func(m memory)
		want    error
	}{
		{"work that fails is given up", func(context.Context, *RunningJob) error { return broken }, func(memory) {}, broken},
		{"work that panics too", func(context.Context, *RunningJob) error { panic("oh") }, func(memory) {}, ErrPanic},
		{"and work whose workers keep dying", untilDone, func(m memory) { m.jobs["1"].Attempt = maxAttempts }, ErrTooManyAttempts},
		{"until that could be written", func(context.Context, *RunningJob) error { return broken }, func(m memory) { m.fails = 3 }, broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := memory{newRows(), "a"}
				m.insert("1")
				tt.prepare(m)
				p, failures, stop := m.start(t, tt.do)
				synctest.Wait()
				fails := false
				m.with(func() { fails = m.fails > 0 })
				if stuck := p.StoreError() != nil; stuck != fails {
					t.Errorf("stuck: %v", p.StoreError())
				}
				time.Sleep(time.Minute)
				stop()
				if p.StoreError() != nil {
					t.Errorf("still stuck: %v", p.StoreError())
				}
				if len(*failures) != 1 || !errors.Is((*failures)[0], tt.want) || m.count() != 0 {
					t.Errorf("failures: %v, %d jobs are left", *failures, m.count())
				}
			})
		})
	}
}

// TestFailureKeepsLease checks that no other process repeats a job that has failed while its failure
// cannot be stored for longer than a lease lasts.
func TestFailureKeepsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := memory{newRows(), "a"}
		b := memory{a.rows, "b"}
		a.insert("1")
		a.with(func() { a.fails = int(3 * leaseTimeout / retryDelay) })
		broken := errors.New("broken")
		_, failures, stopA := a.start(t, func(context.Context, *RunningJob) error { return broken })
		synctest.Wait()
		_, _, stopB := b.start(t, func(_ context.Context, r *RunningJob) error {
			t.Error("another process repeats the job")
			return b.finish(r.Key)
		})
		time.Sleep(4 * leaseTimeout)
		synctest.Wait()
		if len(*failures) != 1 || a.count() != 0 {
			t.Errorf("failures: %v, %d jobs are left", *failures, a.count())
		}
		stopA()
		stopB()
	})
}

// TestLostLeaseEndsFailure checks that a worker whose job is deleted no longer tries to store its failure.
func TestLostLeaseEndsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		m.insert("1")
		m.with(func() { m.fails = 1000 })
		p, failures, stop := m.start(t, func(context.Context, *RunningJob) error { return errors.New("broken") })
		synctest.Wait()
		m.with(func() { delete(m.jobs, "1") })
		time.Sleep(10 * heartbeatInterval)
		synctest.Wait()
		if err := p.StoreError(); err != nil || len(*failures) > 0 {
			t.Errorf("the worker still tries to store the failure: %v, failures: %v", err, *failures)
		}
		stop()
	})
}
