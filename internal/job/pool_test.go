package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// memory is a Store in memory for one process; processes share rows.
type memory struct {
	*rows
	process string
}

type rows struct {
	mu    sync.Mutex
	jobs  map[string]*row
	dead  map[string]bool
	fails int // remaining writes that fail
	// watchers are the functions that pools passed to WatchJobs.
	watchers []func(kind string)
}

type row struct {
	Job
	owner     string
	until     time.Time
	cancelled bool
}

func newRows() *rows { return &rows{jobs: map[string]*row{}, dead: map[string]bool{}} }

func (r *rows) insert(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs[key] = &row{Job: Job{Key: key, Kind: "kind", Subject: "subject of " + key, Created: time.Now()}}
}

// with reads or changes the rows.
func (r *rows) with(fn func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fn()
}

func (r *rows) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.jobs)
}

func (m memory) ClaimJob(_ context.Context, c Claim) (*Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var free []*row
	for _, r := range m.jobs {
		if slices.Contains(c.ExcludeAccounts, r.Account) {
			continue
		}
		if c.Subjects != nil && !slices.Contains(c.Subjects, r.Subject) {
			continue
		}
		if c.MaxMemory > 0 && r.Memory > c.MaxMemory {
			continue
		}
		if r.Kind == c.Kind && r.owner == "" && !slices.Contains(c.Running, r.Key) {
			free = append(free, r)
		}
	}
	if len(free) == 0 {
		return nil, ErrNoJob
	}
	first := slices.MinFunc(free, func(a, b *row) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Key, b.Key)) })
	if c.MaxMemory > 0 && first.Memory > c.FreeMemory {
		return nil, ErrNoJob
	}
	first.owner, first.until = m.process, c.Until
	first.Attempt++
	j := first.Job
	return &j, nil
}

func (m memory) RenewJob(_ context.Context, key string, until time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.jobs[key]
	if r == nil || r.owner != m.process {
		return false, ErrLeaseLost
	}
	r.until = until
	return r.cancelled, nil
}

func (m memory) ReleaseJob(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs[key].owner = ""
	m.jobs[key].Attempt--
	return nil
}

func (m memory) FreeLeases(_ context.Context, c LeaseCheck) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.jobs {
		if m.dead[r.owner] || r.until.Before(c.Now) && !slices.Contains(c.Running, r.Key) {
			r.owner = ""
		}
	}
	return nil
}

func (m memory) WatchJobs(ctx context.Context, changed func(kind string)) error {
	m.with(func() { m.watchers = append(m.watchers, changed) })
	<-ctx.Done()
	return nil
}

func (m memory) finish(key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails > 0 {
		m.fails--
		return errors.New("the disk is full")
	}
	if r := m.jobs[key]; r == nil || r.owner != m.process {
		return ErrLeaseLost
	}
	delete(m.jobs, key)
	return nil
}

// start runs a pool of one worker until stop is called.
func (m memory) start(t *testing.T, do func(ctx context.Context, r *Run) error) (p *Pool, givenUp *[]error, stop func()) {
	t.Helper()
	return m.startPool(t, false, do)
}

// startPool is start for a pool that may be limited to wanted jobs.
func (m memory) startPool(t *testing.T, wanted bool, do func(ctx context.Context, r *Run) error) (p *Pool, givenUp *[]error, stop func()) {
	t.Helper()
	givenUp = &[]error{}
	p = NewPool(Config{Store: m, AllowedSubjectsOnly: wanted, Now: time.Now, Log: slog.New(slog.DiscardHandler), Kinds: []Kind{{
		Name: "kind", Workers: 1, Do: do,
		Fail: func(_ context.Context, j *Job, cause error) error {
			err := m.finish(j.Key)
			if err == nil {
				*givenUp = append(*givenUp, cause)
			}
			return err
		},
	}}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- p.Run(ctx) }()
	return p, givenUp, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// untilDone is a job that ends only when its context does.
func untilDone(ctx context.Context, _ *Run) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestWakeStartsJobAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		p, _, stop := m.start(t, func(_ context.Context, r *Run) error { return m.finish(r.Key) })
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

// TestWantedOnly runs its own job at once, and that of a dead process only
// after Want.
func TestWantedOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "b"}
		m.insert("orphan")
		m.with(func() { m.jobs["orphan"].owner, m.dead["a"] = "a", true })
		p, _, stop := m.startPool(t, true, func(_ context.Context, r *Run) error { return m.finish(r.Key) })
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
			t.Error("the job that is wanted now was not done")
		}
	})
}

// TestPostponedJob runs a job that has to wait longer than failed attempts are allowed.
func TestPostponedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{newRows(), "a"}
		m.insert("1")
		available := time.Now().Add(time.Minute)
		var attempts, last atomic.Int64
		_, givenUp, stop := m.start(t, func(_ context.Context, r *Run) error {
			attempts.Add(1)
			last.Store(int64(r.Attempt))
			if time.Now().Before(available) {
				return fmt.Errorf("%w: no storage", ErrPostponed)
			}
			return m.finish(r.Key)
		})
		defer stop()
		time.Sleep(time.Minute + 2*retryDelay)
		synctest.Wait()
		if n := attempts.Load(); m.count() != 0 || len(*givenUp) > 0 || last.Load() != 1 || n <= maxAttempts || n > int64(2*time.Minute/retryDelay) {
			t.Errorf("%d jobs left and %v failed after %d attempts, the last with number %d", m.count(), *givenUp, n, last.Load())
		}
	})
}

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
				_, _, stopB := b.start(t, func(_ context.Context, r *Run) error {
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
		_, _, stopB := b.start(t, func(_ context.Context, r *Run) error {
			taken.Store(true)
			return b.finish(r.Key)
		})
		time.Sleep(10 * leaseTimeout)
		if taken.Load() {
			t.Error("a job was taken from a living worker")
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
				p, _, stop := m.start(t, func(ctx context.Context, r *Run) error {
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
		_, givenUp, stop := m.start(t, untilDone)
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
		if len(*givenUp) > 0 {
			t.Errorf("given up with %v", *givenUp)
		}
	})
}

func TestFail(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name    string
		do      func(context.Context, *Run) error
		prepare func(m memory)
		want    error
	}{
		{"work that fails is given up", func(context.Context, *Run) error { return broken }, func(memory) {}, broken},
		{"work that panics too", func(context.Context, *Run) error { panic("oh") }, func(memory) {}, ErrPanic},
		{"and work whose workers keep dying", untilDone, func(m memory) { m.jobs["1"].Attempt = maxAttempts }, ErrTooManyAttempts},
		{"until that could be written", func(context.Context, *Run) error { return broken }, func(m memory) { m.fails = 3 }, broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := memory{newRows(), "a"}
				m.insert("1")
				tt.prepare(m)
				p, givenUp, stop := m.start(t, tt.do)
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
				if len(*givenUp) != 1 || !errors.Is((*givenUp)[0], tt.want) || m.count() != 0 {
					t.Errorf("given up with %v, %d jobs are left", *givenUp, m.count())
				}
			})
		})
	}
}
