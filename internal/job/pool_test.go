package job

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestWakeStartsJobAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		p, _, stop := m.start(t, func(_ context.Context, r *RunningJob) error { return m.finish(r.Key) })
		defer stop()
		synctest.Wait()
		before := time.Now()
		m.insert("1")
		m.insert("2")
		p.Wake("kind")
		synctest.Wait()
		if m.count() != 0 || !time.Now().Equal(before) {
			t.Errorf("%d jobs are left after %s", m.count(), time.Since(before))
		}
		m.insert("3") // by another process, which the store reports
		m.with(func() {
			for _, changed := range m.watchers {
				go changed("kind")
			}
		})
		synctest.Wait()
		if m.count() != 0 || !time.Now().Equal(before) {
			t.Errorf("%d jobs are left %s after the notification", m.count(), time.Since(before))
		}
		m.insert("4") // a lost notification
		time.Sleep(pollInterval)
		synctest.Wait()
		if m.count() != 0 {
			t.Error("the poll found nothing")
		}
	})
}

// TestAllowedSubjectsOnly checks that a pool runs its own job at once, and the job of a dead
// process only after the subject of that job is allowed.
func TestAllowedSubjectsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "b"}
		m.insert("orphan")
		m.with(func() { m.jobs["orphan"].owner, m.dead["a"] = "a", true })
		p, _, stop := m.startPool(t, true, func(_ context.Context, r *RunningJob) error { return m.finish(r.Key) })
		defer stop()
		time.Sleep(2 * leaseTimeout)
		before := time.Now()
		p.AllowSubject("subject of own")
		m.insert("own")
		p.Wake("kind")
		synctest.Wait()
		m.with(func() {
			if m.jobs["own"] != nil || m.jobs["orphan"] == nil || !time.Now().Equal(before) {
				t.Errorf("left after %s: %v", time.Since(before), m.jobs)
			}
		})
		p.AllowSubject("subject of orphan")
		synctest.Wait()
		if m.count() != 0 {
			t.Error("the job whose subject is allowed now was not done")
		}
	})
}

// TestDeadProcessIsLogged checks that the log has the job that a dead process ran, and the process.
func TestDeadProcessIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "b"}
		m.insert("orphan")
		m.with(func() { m.jobs["orphan"].owner, m.dead["a"] = "a", true })
		var log bytes.Buffer
		p := NewPool(Config{Store: m, Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		time.Sleep(2 * leaseCheckInterval)
		stop()
		if err := <-ended; err != nil || strings.Count(log.String(), `level=WARN msg="a process has died or does not renew its lease, so its job is queued again" job=orphan process=a`) != 1 {
			t.Errorf("%v: %s", err, &log)
		}
	})
}

// TestPostponedJob runs a job that is postponed more than maxAttempts times.
func TestPostponedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		m.insert("1")
		queuedAt := time.Now().Add(-time.Second) // it was queued again after its creation
		m.jobs["1"].created, m.jobs["1"].queuedAt = queuedAt.Add(-time.Hour), queuedAt
		available := time.Now().Add(time.Minute)
		var attempts, last atomic.Int64
		_, failures, stop := m.start(t, func(_ context.Context, r *RunningJob) error {
			attempts.Add(1)
			last.Store(int64(r.Attempt))
			if !r.QueuedAt.Equal(queuedAt) {
				t.Errorf("attempt %d: the job waits since %s, want %s", attempts.Load(), r.QueuedAt, queuedAt)
			}
			if time.Now().Before(available) {
				return fmt.Errorf("%w: no storage", ErrPostponed)
			}
			return m.finish(r.Key)
		})
		defer stop()
		time.Sleep(time.Minute + 2*retryDelay)
		synctest.Wait()
		if n := attempts.Load(); m.count() != 0 || len(*failures) > 0 || last.Load() != 1 || n <= maxAttempts || n > int64(2*time.Minute/retryDelay) {
			t.Errorf("%d jobs left and %v failed after %d attempts, the last with number %d", m.count(), *failures, n, last.Load())
		}
	})
}

// TestForgottenPostponedJobs checks that a pool does not keep the jobs that it has postponed and that
// other processes have ended.
func TestForgottenPostponedJobs(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := NewPool(Config{Now: func() time.Time { return now }})
	for i := range 1000 {
		p.setPostponed(strconv.Itoa(i), true)
		now = now.Add(time.Minute)
	}
	if n := len(p.postponed); n != 60 || !p.wasPostponed("999") {
		t.Errorf("the pool has %d postponed jobs after 1000 minutes", n)
	}
}

// TestLogOfPostponedJob checks that the log says once that a job waits, and not after each of its
// attempts.
func TestLogOfPostponedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		m.insert("1")
		available := time.Now().Add(time.Minute)
		var log bytes.Buffer
		p := NewPool(Config{Store: m, Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil)), Kinds: []Kind{{
			Name: "kind", Workers: 1, Do: func(_ context.Context, r *RunningJob) error {
				if time.Now().Before(available) {
					return fmt.Errorf("%w: no storage", ErrPostponed)
				}
				return m.finish(r.Key)
			},
		}}})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx) }()
		time.Sleep(time.Minute + 2*retryDelay)
		synctest.Wait()
		stop()
		err := <-ended
		for _, message := range []string{"job begins", "job waits", "job ends"} {
			if err != nil || strings.Count(log.String(), `msg="`+message+`"`) != 1 {
				t.Errorf("%v: not one line %q in\n%s", err, message, &log)
			}
		}
	})
}
