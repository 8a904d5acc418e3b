package app

import (
	"context"
	"maps"
	"sync"
	"time"

	"foretell/internal/store"
)

// JobCounts has the numbers of jobs of one kind.
type JobCounts struct {
	// Kind is "prepare", "train", "predict" or "part".
	Kind string
	// Queued and Running are the numbers of jobs of all processes that share the store.
	Queued, Running int64
	// Finished counts the jobs that this process has ended. The keys are the final states of the
	// datasets, training jobs or predictions, such as COMPLETED.
	Finished map[string]int64
	// OldestQueued is the age of the oldest queued job. It is 0 if none is queued.
	OldestQueued time.Duration
	// Durations is a histogram of the durations of the jobs that this process has ended.
	Durations JobDurations
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
	for _, kind := range []string{kindPrepare, kindTrain, kindPredict, kindPart} {
		w := JobCounts{Kind: kind}
		w.Finished, w.Durations = a.finishedJobs.counts(kind)
		for _, c := range counts {
			if c.Kind == kind {
				w.Queued, w.Running = c.Queued, c.Running
				if !c.Oldest.IsZero() {
					w.OldestQueued = max(0, a.now().Sub(c.Oldest))
				}
			}
		}
		all = append(all, w)
	}
	return all, nil
}

// JobDurations is a histogram of durations.
type JobDurations struct {
	Count   uint64
	Seconds float64 // sum of the durations
	// UpTo maps each bound in durationBounds to the number of durations that do not exceed it.
	UpTo map[float64]uint64
}

// durationBounds are the upper bounds of the histogram bins of JobDurations, in seconds. They
// range from the preparation of a small file to a long race.
var durationBounds = []float64{.1, .5, 2, 10, 30, 60, 300, 900, 3600, 14400}

// jobCounter counts the ended jobs by kind and outcome. It is safe for concurrent
// use.
type jobCounter struct {
	mu        sync.Mutex
	byKind    map[string]map[string]int64
	durations map[string]*JobDurations
}

func newJobCounter() *jobCounter {
	return &jobCounter{byKind: map[string]map[string]int64{}, durations: map[string]*JobDurations{}}
}

// add counts a job of this kind that ended. The parameter outcome is the final state of the
// resource that the job worked on.
func (c *jobCounter) add(kind, outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKind[kind] == nil {
		c.byKind[kind] = map[string]int64{}
	}
	c.byKind[kind][outcome]++
}

// addDuration adds how long a job ran to the histogram of its kind.
func (c *jobCounter) addDuration(kind string, duration time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.durations[kind] == nil {
		c.durations[kind] = newJobDurations()
	}
	h := c.durations[kind]
	h.Count++
	h.Seconds += duration.Seconds()
	for _, bound := range durationBounds {
		if duration.Seconds() <= bound {
			h.UpTo[bound]++
		}
	}
}

func newJobDurations() *JobDurations {
	h := &JobDurations{UpTo: map[float64]uint64{}}
	for _, bound := range durationBounds {
		h.UpTo[bound] = 0
	}
	return h
}

// counts returns copies of the counts and durations of a kind.
func (c *jobCounter) counts(kind string) (byOutcome map[string]int64, total JobDurations) {
	c.mu.Lock()
	defer c.mu.Unlock()
	durations := newJobDurations()
	if h := c.durations[kind]; h != nil {
		durations.Count, durations.Seconds = h.Count, h.Seconds
		maps.Copy(durations.UpTo, h.UpTo)
	}
	return maps.Clone(c.byKind[kind]), *durations
}
