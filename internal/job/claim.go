package job

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// lease is the time after which a lease expires if no heartbeat renews it.
const lease = 10 * time.Second

// The errors of a Store. Test with errors.Is.
var (
	ErrNoJob     = errors.New("no job to claim")
	ErrLeaseLost = errors.New("the lease is lost")
)

// Job is a unit of work.
type Job struct {
	Key, Account, Kind string
	// Subject is the key of the resource that the job works on.
	Subject string
	// Attempt counts the attempts from 1.
	Attempt int
	Created time.Time
	// Begun is when this attempt began. The pool sets it.
	Begun time.Time
}

// Claim describes which jobs a worker may claim, and for how long.
type Claim struct {
	Kind string
	// Subjects limits the claim to jobs on these subjects. Nil allows any.
	Subjects []string
	// ExcludeAccounts are accounts whose jobs may not be claimed.
	ExcludeAccounts []string
	// Now is the time of the claim, Until the time at which the lease expires.
	Now, Until time.Time
}

// Store is the job queue. Its leases belong to the process, not to the pool.
type Store interface {
	// ClaimJob leases the next matching job. It returns ErrNoJob if there is none.
	ClaimJob(ctx context.Context, c Claim) (*Job, error)
	// RenewJob extends a lease and reports whether cancellation of the job was
	// requested. It returns ErrLeaseLost if this process does not hold the lease or
	// the job was deleted.
	RenewJob(ctx context.Context, key string, until time.Time) (cancelled bool, err error)
	// ReleaseJob ends a lease and queues the job again.
	ReleaseJob(ctx context.Context, key string) error
	// FreeDeadLeases ends the leases of dead processes before they expire.
	FreeDeadLeases(ctx context.Context) error
}

// accountKind is the key under which a pool counts its running jobs.
type accountKind struct{ kind, account string }

// claim leases the next job of a kind that this pool may run.
func (p *Pool) claim(ctx context.Context, k *Kind) (*Job, error) {
	p.claimMu.Lock()
	defer p.claimMu.Unlock()
	now := p.Now()
	c := Claim{Kind: k.Name, Now: now, Until: now.Add(lease)}
	for key, n := range p.active {
		if key.kind == k.Name && k.PerAccount > 0 && n >= k.PerAccount {
			c.ExcludeAccounts = append(c.ExcludeAccounts, key.account)
		}
	}
	if p.AllowedSubjectsOnly {
		p.mu.Lock()
		c.Subjects = slices.Sorted(maps.Keys(p.allowedSubjects))
		p.mu.Unlock()
		if len(c.Subjects) == 0 {
			return nil, ErrNoJob
		}
	}
	j, err := p.Store.ClaimJob(ctx, c)
	if err == nil {
		p.active[accountKind{k.Name, j.Account}]++
	}
	return j, err
}

// decrementActive removes a job that ended or was released from the count of
// running jobs.
func (p *Pool) decrementActive(j *Job) {
	p.claimMu.Lock()
	defer p.claimMu.Unlock()
	key := accountKind{j.Kind, j.Account}
	if p.active[key]--; p.active[key] == 0 {
		delete(p.active, key)
	}
}
