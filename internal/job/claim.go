package job

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// leaseDuration is the time after which a lease expires if no heartbeat renews it.
const leaseDuration = 10 * time.Second

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
	// Memory is the estimated peak memory in bytes. It is 0 if the job needs little memory.
	Memory  int64
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
	// Running are the keys of the jobs that the process runs. They may not be claimed,
	// even if their leases have expired.
	Running []string
	// MaxMemory excludes jobs that need more memory, in bytes. 0 means no limit. If the next
	// of the other jobs needs more than FreeMemory, no job is claimed, because smaller jobs
	// could otherwise delay it forever. FreeMemory is ignored if MaxMemory is 0.
	MaxMemory, FreeMemory int64
	// Now is the time of the claim. The lease expires at Until.
	Now, Until time.Time
}

// Store is the job queue. Its leases belong to the process, not to the pool.
type Store interface {
	// ClaimJob leases the next matching job. It returns ErrNoJob if there is none, or if it
	// needs more than the free memory.
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

// claim leases the next job of a kind that this pool may run.
func (p *Pool) claim(ctx context.Context, k *Kind) (*Job, error) {
	p.claimMu.Lock()
	defer p.claimMu.Unlock()
	if k.WhenIdle && p.freeMemory() < p.Memory {
		return nil, ErrNoJob
	}
	now := p.Now()
	c := Claim{Kind: k.Name, Now: now, Until: now.Add(leaseDuration), ExcludeAccounts: p.busyAccounts(k), Running: slices.Sorted(maps.Keys(p.active)), MaxMemory: p.Memory, FreeMemory: p.freeMemory()}
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
		p.active[j.Key] = j
	}
	return j, err
}

// freeMemory returns the part of Config.Memory that the running jobs leave.
func (p *Pool) freeMemory() int64 {
	free := p.Memory
	for _, j := range p.active {
		free -= j.Memory
	}
	return free
}

// busyAccounts returns the accounts that already run k.PerAccount jobs of the kind.
func (p *Pool) busyAccounts(k *Kind) []string {
	running := map[string]int{}
	var busy []string
	for _, j := range p.active {
		if j.Kind != k.Name {
			continue
		}
		if running[j.Account]++; running[j.Account] == k.PerAccount {
			busy = append(busy, j.Account)
		}
	}
	slices.Sort(busy)
	return busy
}

// removeActive removes a job, which ended or was released, from the running jobs.
func (p *Pool) removeActive(j *Job) {
	p.claimMu.Lock()
	defer p.claimMu.Unlock()
	delete(p.active, j.Key)
}
