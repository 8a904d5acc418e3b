package app

import (
	"context"
	"maps"
	"sync"

	"foretell/internal/store"
)

// JobCounts counts the jobs of one kind.
type JobCounts struct {
	// Kind is "prepare", "train" or "predict".
	Kind string
	// Queued and Running count the jobs of all processes on the store.
	Queued, Running int64
	// Finished counts the jobs that this process has ended, by the final state of
	// their subject, such as COMPLETED.
	Finished map[string]int64
}

// JobCounts returns the job counts of every kind.
func (a *App) JobCounts(ctx context.Context) ([]JobCounts, error) {
	var counts []*store.JobCount
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		counts, err = t.CountJobs(ctx)
		return err
	})
	if err != nil {
		return nil, a.toProblem(err)
	}
	var all []JobCounts
	for _, kind := range []string{kindPrepare, kindTrain, kindPredict} {
		w := JobCounts{Kind: kind, Finished: a.finishedJobs.counts(kind)}
		for _, c := range counts {
			if c.Kind == kind {
				w.Queued, w.Running = c.Queued, c.Running
			}
		}
		all = append(all, w)
	}
	return all, nil
}

// jobCounter counts the ended jobs by kind and outcome. It is safe for concurrent
// use.
type jobCounter struct {
	mu     sync.Mutex
	byKind map[string]map[string]int64
}

func newJobCounter() *jobCounter { return &jobCounter{byKind: map[string]map[string]int64{}} }

func (c *jobCounter) add(kind, outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKind[kind] == nil {
		c.byKind[kind] = map[string]int64{}
	}
	c.byKind[kind][outcome]++
}

// counts returns a copy of the counts of a kind.
func (c *jobCounter) counts(kind string) map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.byKind[kind])
}
