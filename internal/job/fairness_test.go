package job

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// insertOf queues a job that belongs to an account.
func (r *rows) insertOf(account, key string) {
	r.insert(key)
	r.with(func() { r.jobs[key].Account = account })
}

// TestPerAccountLimit queues more jobs of one account than there are workers, and then a job of
// another account. Although none of the first jobs ends, the last one must run.
func TestPerAccountLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		for _, key := range []string{"1", "2", "3"} {
			m.insertOf("ann", key)
		}
		p := NewPool(Config{Store: m, Now: time.Now, Log: slog.New(slog.DiscardHandler), Kinds: []Kind{{
			Name: "kind", Workers: 3, PerAccount: 2,
			Do: func(ctx context.Context, r *RunningJob) error {
				if r.Account == "ann" {
					return untilDone(ctx, r)
				}
				return m.finish(r.Key)
			},
		}}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx) }()
		synctest.Wait()
		m.insertOf("bob", "4")
		p.Wake("kind")
		synctest.Wait()
		m.with(func() {
			if m.jobs["4"] != nil {
				t.Error("the job of the other account waits")
			}
			if m.jobs["1"].owner == "" || m.jobs["2"].owner == "" || m.jobs["3"].owner != "" {
				t.Errorf("of the first account's jobs the owners are %q, %q, %q", m.jobs["1"].owner, m.jobs["2"].owner, m.jobs["3"].owner)
			}
			delete(m.jobs, "1")
		})
		p.StopJobsOfDeleted("subject of 1")
		time.Sleep(pollInterval)
		synctest.Wait()
		m.with(func() {
			if m.jobs["3"].owner == "" {
				t.Error("the third job of the first account is not begun when another has ended")
			}
		})
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestMemory queues jobs that together need more memory than is available.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		for key, need := range map[string]int64{"1": 6, "2": 5, "3": 3, "4": 11} {
			m.insert(key)
			m.jobs[key].Memory = need
		}
		p := NewPool(Config{Store: m, Memory: 10, Now: time.Now, Log: slog.New(slog.DiscardHandler), Kinds: []Kind{{Name: "kind", Workers: 3, Do: untilDone}}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx) }()
		running := func() (keys string) {
			time.Sleep(pollInterval)
			synctest.Wait()
			m.with(func() {
				for _, key := range []string{"1", "2", "3", "4"} {
					if r := m.jobs[key]; r != nil && r.owner != "" {
						keys += key
					}
				}
			})
			return keys
		}
		if got := running(); got != "1" { // 3 would fit, but is behind 2
			t.Errorf("of jobs of 6, 5, 3 and 11 bytes, %s run in 10 bytes", got)
		}
		m.with(func() { delete(m.jobs, "1") })
		p.StopJobsOfDeleted("subject of 1")
		if got := running(); got != "23" {
			t.Errorf("of jobs of 5, 3 and 11 bytes, %s run in 10 bytes", got)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestDrop(t *testing.T) {
	for _, deleted := range []string{"subject of 1", "account of 1"} {
		t.Run(deleted, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := memory{newRows(), "a"}
				m.insert("1")
				m.with(func() { m.jobs["1"].Account = "account of 1" })
				var end error
				p, failures, stop := m.start(t, func(ctx context.Context, r *RunningJob) error {
					end = untilDone(ctx, r)
					return end
				})
				defer stop()
				synctest.Wait()
				before := time.Now()
				m.with(func() { delete(m.jobs, "1") })
				p.StopJobsOfDeleted(deleted)
				synctest.Wait()
				if !errors.Is(end, ErrLeaseLost) || !time.Now().Equal(before) || len(*failures) > 0 {
					t.Errorf("the run ended with %v after %s, failures: %v", end, time.Since(before), *failures)
				}
			})
		})
	}
}

// TestStopAbandonsHangingJob stops a pool while a job ignores the end of its context.
func TestStopAbandonsHangingJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		m.stopError = ErrNotReleased
		m.insert("1")
		hanging := make(chan struct{})
		_, _, stop := m.start(t, func(context.Context, *RunningJob) error {
			<-hanging
			return errors.New("at last")
		})
		synctest.Wait()
		before := time.Now()
		stop()
		if took := time.Since(before); took != stopTimeout {
			t.Errorf("it stopped after %s", took)
		}
		m.with(func() {
			if m.jobs["1"].owner != "a" {
				t.Error("the lease was given back though the job goes on")
			}
		})
		close(hanging)
	})
}

// TestStopWithoutStore stops a pool while the store cannot return its job to the queue.
func TestStopWithoutStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		m.releaseError, m.stopError = errors.New("the store does not respond"), ErrNotReleased
		m.insert("1")
		_, _, stop := m.start(t, untilDone)
		synctest.Wait()
		stop()
	})
}
