package jobqueue

import (
	"context"
	"maps"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// Counts holds the numbers of jobs of one kind in all processes that share the store.
type Counts struct {
	// Kind is "prepare", "train", "predict" or "part".
	Kind string
	// Queued does not count the jobs of disabled accounts.
	Queued, Running int64
	// OldestQueued is the longest time that one of the queued jobs has waited since it was last
	// queued. It is 0 if no job is queued.
	OldestQueued time.Duration
}

// Counts returns the job counts of every kind.
func (q *Queue) Counts(ctx context.Context) ([]Counts, error) {
	var counts []*store.JobCount
	err := q.store.Read(ctx, func(t *store.Tx) (err error) {
		counts, err = t.CountJobs(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []Counts
	for _, k := range jobKinds {
		w := Counts{Kind: k.name}
		for _, c := range counts {
			if c.Kind == k.name {
				w.Queued, w.Running = c.Queued, c.Running
				if !c.Oldest.IsZero() {
					w.OldestQueued = max(0, q.now().Sub(c.Oldest))
				}
			}
		}
		all = append(all, w)
	}
	return all, nil
}

// jobKinds are the kinds of jobs, each with the outcomes that its jobs can have.
var jobKinds = []struct {
	name     string
	outcomes []string
}{
	{Prepare, []string{api.DatasetCompleted, api.DatasetFailed}},
	{Train, []string{api.TrainingCompleted, api.TrainingNotCompleted, api.TrainingTimedOut, api.TrainingFailed, api.TrainingCancelled}},
	{Predict, []string{api.PredictionCompleted, api.PredictionFailed, api.PredictionTimeout}},
	{Part, []string{api.TrainingCompleted, api.TrainingNotCompleted, api.TrainingTimedOut, api.TrainingFailed, api.TrainingCancelled}},
}

// Finished describes the jobs of one kind that this process has ended.
type Finished struct {
	// Kind is "prepare", "train", "predict" or "part".
	Kind string
	// ByOutcome counts the jobs. The keys are all possible final states of the datasets, training
	// jobs or predictions, such as COMPLETED.
	ByOutcome map[string]int64
	// Durations is a histogram of the durations of the jobs.
	Durations Durations
}

// Finished describes, for every kind, the jobs that this process has ended.
func (q *Queue) Finished() []Finished {
	var all []Finished
	for _, k := range jobKinds {
		f := Finished{Kind: k.name}
		f.ByOutcome, f.Durations = q.finished.counts(k.name)
		all = append(all, f)
	}
	return all
}

// Durations is a histogram of durations.
type Durations struct {
	Count   uint64
	Seconds float64 // sum of the durations
	// UpTo maps each bound in durationBounds to the number of durations that do not exceed it.
	UpTo map[float64]uint64
}

// durationBounds are the upper bounds of the histogram bins of Durations, in seconds. They
// range from the preparation of a small file to a long race.
var durationBounds = []float64{.1, .5, 2, 10, 30, 60, 300, 900, 3600, 14400}

// finishedCounter counts the ended jobs by kind and outcome. It is safe for concurrent
// use.
type finishedCounter struct {
	mu        sync.Mutex
	byKind    map[string]map[string]int64
	durations map[string]*Durations
}

// newFinishedCounter returns a counter in which every possible outcome has the count 0, so that an alert
// on an increase sees the first job with this outcome.
func newFinishedCounter() *finishedCounter {
	c := &finishedCounter{byKind: map[string]map[string]int64{}, durations: map[string]*Durations{}}
	for _, k := range jobKinds {
		c.byKind[k.name], c.durations[k.name] = map[string]int64{}, newDurations()
		for _, outcome := range k.outcomes {
			c.byKind[k.name][outcome] = 0
		}
	}
	return c
}

// CountFinishedRace counts a race that was ended in the database while no process ran its job.
// outcome is the final state of the race.
func (q *Queue) CountFinishedRace(outcome string) { q.finished.add(Train, outcome) }

// add counts a job of this kind that ended. outcome is the final state of the resource
// that the job worked on.
func (c *finishedCounter) add(kind, outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKind[kind][outcome]++
}

// addDuration adds how long a job ran to the histogram of its kind.
func (c *finishedCounter) addDuration(kind string, duration time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.durations[kind]
	h.Count++
	h.Seconds += duration.Seconds()
	for _, bound := range durationBounds {
		if duration.Seconds() <= bound {
			h.UpTo[bound]++
		}
	}
}

func newDurations() *Durations {
	h := &Durations{UpTo: map[float64]uint64{}}
	for _, bound := range durationBounds {
		h.UpTo[bound] = 0
	}
	return h
}

// counts returns copies of the counts and durations of a kind.
func (c *finishedCounter) counts(kind string) (byOutcome map[string]int64, total Durations) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := *c.durations[kind]
	h.UpTo = maps.Clone(h.UpTo)
	return maps.Clone(c.byKind[kind]), h
}
