package job

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"
)

// memory is a Store in memory for one process. Several processes share rows.
type memory struct {
	*rows
	process string
}

type rows struct {
	mu    sync.Mutex
	jobs  map[string]*row
	dead  map[string]bool
	fails int // remaining writes that fail
	// releaseError is the result of ReleaseJob, and stopError the wanted result of Pool.Run.
	releaseError, stopError error
	// watchers are the functions that pools passed to WatchJobs.
	watchers []func(kind string)
}

type row struct {
	Job
	owner     string
	created   time.Time
	queuedAt  time.Time
	until     time.Time
	cancelled bool
}

func newRows() *rows { return &rows{jobs: map[string]*row{}, dead: map[string]bool{}} }

func (r *rows) insert(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs[key] = &row{Job: Job{Key: key, Kind: "kind", Subject: "subject of " + key}, created: time.Now(), queuedAt: time.Now()}
}

// with calls fn while it holds the lock of the rows.
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
	if m.dead[m.process] {
		return nil, ErrNoJob
	}
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
	first := slices.MinFunc(free, func(a, b *row) int { return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.Key, b.Key)) })
	if c.MaxMemory > 0 && first.Memory > c.FreeMemory {
		return nil, ErrNoJob
	}
	first.owner, first.until = m.process, c.Until
	first.Attempt++
	j := first.Job
	j.QueuedAt = first.queuedAt
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

func (m memory) ReleaseJob(_ context.Context, key string, queuedAt time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.releaseError != nil {
		return m.releaseError
	}
	m.jobs[key].owner, m.jobs[key].queuedAt = "", queuedAt
	m.jobs[key].Attempt--
	return nil
}

func (m memory) EndExpiredLeases(_ context.Context, c LeaseCheck) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.jobs {
		if m.dead[r.owner] || r.until.Before(c.Now) && !slices.Contains(c.Running, r.Key) {
			if r.owner != "" {
				c.OnEnded(r.Key, r.owner)
			}
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
func (m memory) start(t *testing.T, do func(ctx context.Context, r *RunningJob) error) (p *Pool, failures *[]error, stop func()) {
	t.Helper()
	return m.startPool(t, false, do)
}

// startPool does the same as start, for a pool that may be limited to allowed subjects.
func (m memory) startPool(t *testing.T, allowedOnly bool, do func(ctx context.Context, r *RunningJob) error) (p *Pool, failures *[]error, stop func()) {
	t.Helper()
	failures = &[]error{}
	p = NewPool(Config{Store: m, AllowedSubjectsOnly: allowedOnly, Now: time.Now, Log: slog.New(slog.DiscardHandler), Kinds: []Kind{{
		Name: "kind", Workers: 1, Do: do,
		Fail: func(_ context.Context, j *Job, cause error) error {
			err := m.finish(j.Key)
			if err == nil {
				*failures = append(*failures, cause)
			}
			return err
		},
	}}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- p.Run(ctx) }()
	return p, failures, func() {
		cancel()
		if err := <-done; !errors.Is(err, m.stopError) {
			t.Error(err)
		}
	}
}

// untilDone is a job that runs until its context ends.
func untilDone(ctx context.Context, _ *RunningJob) error {
	<-ctx.Done()
	return context.Cause(ctx)
}
