package app

import (
	"context"
	"maps"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// JobCounts has the numbers of jobs of one kind in all processes that share the store.
type JobCounts struct {
	// Kind is "prepare", "train", "predict" or "part".
	Kind            string
	Queued, Running int64
	// OldestQueued is the age of the oldest queued job. It is 0 if none is queued.
	OldestQueued time.Duration
}

// JobCounts returns the job counts of every kind.
func (a *App) JobCounts(ctx context.Context) ([]JobCounts, error) {
	var counts []*store.JobCount
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		counts, err = t.CountJobs(ctx)
		return err
	})
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	var all []JobCounts
	for _, k := range jobKinds {
		w := JobCounts{Kind: k.name}
		for _, c := range counts {
			if c.Kind == k.name {
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

// jobKinds are the kinds of jobs, each with the outcomes that its jobs can have.
var jobKinds = []struct {
	name     string
	outcomes []string
}{
	{kindPrepare, []string{api.DatasetCompleted, api.DatasetFailed}},
	{kindTrain, []string{api.TrainingCompleted, api.TrainingNotCompleted, api.TrainingTimedOut, api.TrainingFailed, api.TrainingCancelled}},
	{kindPredict, []string{api.PredictionCompleted, api.PredictionFailed, api.PredictionTimeout}},
	{kindPart, []string{api.TrainingCompleted, api.TrainingNotCompleted, api.TrainingTimedOut, api.TrainingFailed, api.TrainingCancelled}},
}

// FinishedJobs describes the jobs of one kind that this process has ended.
type FinishedJobs struct {
	// Kind has the meaning of JobCounts.Kind.
	Kind string
	// ByOutcome counts the jobs. The keys are the final states of the datasets, training jobs or
	// predictions, such as COMPLETED. It has every state that is possible.
	ByOutcome map[string]int64
	// Durations is a histogram of the durations of the jobs.
	Durations JobDurations
}

// FinishedJobs returns the jobs of every kind that this process has ended.
func (a *App) FinishedJobs() []FinishedJobs {
	var all []FinishedJobs
	for _, k := range jobKinds {
		f := FinishedJobs{Kind: k.name}
		f.ByOutcome, f.Durations = a.finishedJobs.counts(k.name)
		all = append(all, f)
	}
	return all
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

// newJobCounter returns a counter in which every possible outcome has the count 0, so that an alert
// on an increase sees the first job with this outcome.
func newJobCounter() *jobCounter {
	c := &jobCounter{byKind: map[string]map[string]int64{}, durations: map[string]*JobDurations{}}
	for _, k := range jobKinds {
		c.byKind[k.name], c.durations[k.name] = map[string]int64{}, newJobDurations()
		for _, outcome := range k.outcomes {
			c.byKind[k.name][outcome] = 0
		}
	}
	return c
}

// add counts a job of this kind that ended. outcome is the final state of the resource
// that the job worked on.
func (c *jobCounter) add(kind, outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKind[kind][outcome]++
}

// addDuration adds how long a job ran to the histogram of its kind.
func (c *jobCounter) addDuration(kind string, duration time.Duration) {
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
	h := *c.durations[kind]
	h.UpTo = maps.Clone(h.UpTo)
	return maps.Clone(c.byKind[kind]), h
}
