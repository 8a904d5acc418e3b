package job

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// leaseTimeout is how long the lease of a job lasts after the last heartbeat.
const leaseTimeout = 10 * time.Second

// The errors of a Store. Test with errors.Is.
var (
	ErrNoJob     = errors.New("no job to claim")
	ErrLeaseLost = errors.New("the lease is lost")
)

// Job is a queued or leased job.
type Job struct {
	Key, Account, Kind string
	// Subject is the key of the resource that the job works on.
	Subject string
	// Attempt is the number of this attempt to run the job, from 1.
	Attempt int
	// Memory is the estimated peak memory in bytes. It is 0 if the job needs little memory.
	Memory int64
	// QueuedAt is when the job began to wait for this attempt. ClaimJob sets it.
	QueuedAt time.Time
	// Begun is when this attempt began. The pool sets it.
	Begun time.Time
	// Outcome is the final state of the resource, such as COMPLETED, for the log. Kind.Do sets it
	// when it has stored this state. Until then it is "".
	Outcome string
}

// Claim selects the jobs that a worker may claim.
type Claim struct {
	Kind string
	// Subjects are the keys of the datasets, races and predictions whose jobs may be claimed. Nil
	// allows any.
	Subjects []string
	// ExcludeAccounts are the keys of accounts whose jobs may not be claimed.
	ExcludeAccounts []string
	// Running are the keys of the jobs that the process runs. They may not be claimed,
	// even if the process has lost their leases.
	Running []string
	// MaxMemory is the memory of the pool in bytes. Jobs that need more are skipped. 0 means no
	// limit.
	//
	// FreeMemory is the free part of this memory. If the next job needs more, no job is claimed,
	// not even a smaller job, because smaller jobs could delay the next job forever. FreeMemory is
	// ignored if MaxMemory is 0.
	MaxMemory, FreeMemory int64
	// Now is the time of the claim. The lease ends at Until unless a heartbeat renews it.
	Now, Until time.Time
}

// LeaseCheck holds the parameters of [Store.EndExpiredLeases].
type LeaseCheck struct {
	// Now is the time of the check. Only differences between checks are used, so Now should
	// have a monotonic clock reading.
	Now time.Time
	// Timeout is how long a lease lasts after its last heartbeat.
	Timeout time.Duration
	// Running are the keys of the jobs that the process runs. Their leases do not end.
	Running []string
	// OnEnded is called for each lease that the check has ended, with the key of the job and
	// the process that had the lease. It may be nil.
	OnEnded func(job, process string)
}

// Store is the queue of jobs, and leases them to this process. Several pools of a process share the
// leases.
type Store interface {
	// ClaimJob leases the next job that c selects. It returns ErrNoJob if there is no such job, or
	// if the next job needs more than c.FreeMemory.
	ClaimJob(ctx context.Context, c Claim) (*Job, error)
	// RenewJob extends a lease and reports whether the job should be cancelled. It returns
	// ErrLeaseLost if this process does not hold the lease or the job was deleted.
	RenewJob(ctx context.Context, key string, until time.Time) (cancelled bool, err error)
	// ReleaseJob ends a lease and queues the job again. queuedAt is when the wait of the job began.
	ReleaseJob(ctx context.Context, key string, queuedAt time.Time) error
	// EndExpiredLeases ends the leases of dead processes, and the leases that had no heartbeat for
	// c.Timeout. The pool calls it twice a second.
	EndExpiredLeases(ctx context.Context, c LeaseCheck) error
	// WatchJobs calls changed when jobs may have become available to claim, until ctx is done or an
	// error occurs. The argument kind is the kind of these jobs, or empty if it is unknown.
	// WatchJobs may miss a change.
	WatchJobs(ctx context.Context, changed func(kind string)) error
}

// claim leases the next job of kind k that this pool may run. If there is none, it returns
// ErrNoJob.
func (p *Pool) claim(ctx context.Context, k *Kind) (*Job, error) {
	p.claimMu.Lock()
	defer p.claimMu.Unlock()
	if k.OnlyWhenIdle && p.freeMemory() < p.Memory {
		return nil, ErrNoJob
	}
	now := p.Now()
	c := Claim{
		Kind: k.Name, Now: now, Until: now.Add(leaseTimeout), ExcludeAccounts: p.busyAccounts(k), Running: p.activeKeys(),
		MaxMemory: p.Memory, FreeMemory: p.freeMemory(),
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
		p.active[j.Key] = j
	}
	return j, err
}

// activeKeys returns the keys of the running jobs.
func (p *Pool) activeKeys() []string { return slices.Sorted(maps.Keys(p.active)) }

// freeMemory returns Config.Memory minus the memory of the running jobs.
func (p *Pool) freeMemory() int64 {
	free := p.Memory
	for _, j := range p.active {
		free -= j.Memory
	}
	return free
}

// busyAccounts returns the accounts for which this pool already runs k.PerAccount jobs of the
// kind k.
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

// removeActive removes a job from p.active when it has ended or was released. It wakes the workers
// of all kinds, because there may now be enough free memory for other jobs.
func (p *Pool) removeActive(j *Job) {
	p.claimMu.Lock()
	delete(p.active, j.Key)
	p.claimMu.Unlock()
	p.wakeAll()
}
