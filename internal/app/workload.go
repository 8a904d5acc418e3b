package app

import (
	"context"
	"maps"
	"sync"

	"foretell/internal/store"
)

// Workload counts the jobs of one kind.
type Workload struct {
	// Kind is "prepare", "train" or "predict".
	Kind string
	// Queued and Running count the jobs of all processes on the store.
	Queued, Running int64
	// Finished counts the jobs that this process ended, by the final state of
	// their subject, such as COMPLETED.
	Finished map[string]int64
}

// Workloads returns the counts of every kind, for monitoring.
func (a *App) Workloads(ctx context.Context) ([]Workload, error) {
	var counts []*store.JobCount
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		counts, err = t.CountJobs(ctx)
		return err
	})
	if err != nil {
		return nil, a.problem(err)
	}
	var all []Workload
	for _, kind := range []string{kindPrepare, kindTrain, kindPredict} {
		w := Workload{Kind: kind, Finished: a.finished.of(kind)}
		for _, c := range counts {
			if c.Kind == kind {
				w.Queued, w.Running = c.Queued, c.Running
			}
		}
		all = append(all, w)
	}
	return all, nil
}

// tally counts ended jobs by kind and outcome.
type tally struct {
	mu     sync.Mutex
	counts map[string]map[string]int64
}

func newTally() *tally { return &tally{counts: map[string]map[string]int64{}} }

func (t *tally) add(kind, outcome string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts[kind] == nil {
		t.counts[kind] = map[string]int64{}
	}
	t.counts[kind][outcome]++
}

// of returns a copy of the counts of a kind.
func (t *tally) of(kind string) map[string]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.counts[kind])
}
