package job

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// lease is how long a worker may be silent before another takes over.
const lease = 10 * time.Second

// Errors that a Store answers with. Test with errors.Is.
var (
	ErrNone = errors.New("no job to claim")
	ErrLost = errors.New("the lease is lost")
)

// Job is a piece of work.
type Job struct {
	Key, Account, Kind string
	// Subject is the key of what the work is on.
	Subject string
	// Attempt counts from 1 the workers that took the job up.
	Attempt int
	Created time.Time
}

// Claim describes which job a worker may take, and for how long.
type Claim struct {
	Kind string
	// Subjects limits the claim to jobs on these things; nil allows any.
	Subjects []string
	// Without are accounts whose jobs are left to others.
	Without []string
	// Now is the time of the claim, Until the end of the lease.
	Now, Until time.Time
}

// Store holds the queue. Its leases belong to the process, not to the pool.
type Store interface {
	// ClaimJob leases the next job that the claim allows; ErrNone if there is none.
	ClaimJob(ctx context.Context, c Claim) (*Job, error)
	// RenewJob extends a lease; ErrLost if it is another's by now or the job is gone.
	RenewJob(ctx context.Context, key string, until time.Time) (cancelled bool, err error)
	// ReleaseJob gives an unfinished job back.
	ReleaseJob(ctx context.Context, key string) error
	// FreeDeadJobs frees the leases of processes known to be dead.
	FreeDeadJobs(ctx context.Context) error
}

// held counts the jobs of a kind and an account that this pool does.
type held struct{ kind, account string }

// claim leases the next job of a kind that this pool may take.
func (p *Pool) claim(ctx context.Context, k *Kind) (*Job, error) {
	p.claiming.Lock()
	defer p.claiming.Unlock()
	now := p.Now()
	c := Claim{Kind: k.Name, Now: now, Until: now.Add(lease)}
	for h, n := range p.held {
		if h.kind == k.Name && k.PerAccount > 0 && n >= k.PerAccount {
			c.Without = append(c.Without, h.account)
		}
	}
	if p.Wanted {
		p.mu.Lock()
		c.Subjects = slices.Sorted(maps.Keys(p.wanted))
		p.mu.Unlock()
		if len(c.Subjects) == 0 {
			return nil, ErrNone
		}
	}
	j, err := p.Store.ClaimJob(ctx, c)
	if err == nil {
		p.held[held{k.Name, j.Account}]++
	}
	return j, err
}

// unclaim makes up for the claim of a job that is done or given back.
func (p *Pool) unclaim(j *Job) {
	p.claiming.Lock()
	defer p.claiming.Unlock()
	h := held{j.Kind, j.Account}
	if p.held[h]--; p.held[h] == 0 {
		delete(p.held, h)
	}
}
