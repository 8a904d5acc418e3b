package race

import (
	"context"
	"fmt"
	"math"
	"time"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/humanize"
)

// ThresholdSearch is the search for --threshold auto on a service whose races need a
// threshold and keep no model if they miss it:
//
//	           ┌─────── 0.86 missed: the model of the race before is the best
//	     ┌─────┘ 0.81 reached, with 0.8214
//	─────┘ 0.70 reached, with 0.7533
//
// The threshold of each race is a quarter less error than the race before had. A
// service that keeps the best model of a race without a threshold needs one race.
type ThresholdSearch struct {
	*connect.Session
	Output *cli.Output
	Body   api.NewTraining
	// First is the first threshold.
	First float64
	Steps []SearchStep
	// Deadline is the deadline of the command, and reserve the time it needs after the
	// search.
	Deadline      Deadline
	Reserve       time.Duration
	exactDeadline bool // the service knows a deadline
}

// SearchStep is one race of a search.
type SearchStep struct {
	// Threshold is nil for a race without one.
	Threshold           *float64 `json:"threshold"`
	TrainingJobKey      string   `json:"trainingJobKey"`
	Status              string   `json:"status"`
	AchievedPerformance *float64 `json:"achievedPerformance,omitempty"`
}

const (
	// errorReduction is the fraction by which each race must reduce the error.
	errorReduction = 0.25
	// DefaultFirstThreshold is used if the class counts are unknown.
	DefaultFirstThreshold = 0.5
)

// FirstThreshold returns a threshold that every algorithm should reach: the accuracy of
// always predicting the largest class.
func FirstThreshold(metric string, classes []int) float64 {
	most, all := 0, 0
	for _, rows := range classes {
		most, all = max(most, rows), all+rows
	}
	if all == 0 || metric != "" && metric != api.MetricAccuracy {
		return DefaultFirstThreshold
	}
	return math.Floor(100*float64(most)/float64(all)) / 100
}

// Run races on a dataset until a race misses its threshold or the time ends, and returns
// the race with the best model.
func (c *ThresholdSearch) Run(ctx context.Context, dataset *api.Dataset) (*api.Training, error) {
	within, cancel := context.WithTimeout(ctx, c.timeLeft())
	defer cancel()
	if c.exactDeadline = c.HasExtensions(dataset); c.exactDeadline {
		c.Output.Note("--threshold auto: the service keeps the best model of a race without a threshold, so one race is enough")
		job, err := c.race(ctx, within, dataset.DatasetKey, nil)
		if err != nil || job.ModelKey != "" {
			return job, connect.RaceError(job, err)
		}
		c.Output.Note("--threshold auto: no model was kept, so races with thresholds follow")
	}
	var best *api.Training
	for next := c.First; ; {
		job, err := c.race(ctx, within, dataset.DatasetKey, new(next))
		if err != nil {
			return nil, err
		}
		if job.Status != api.TrainingCompleted {
			switch {
			case job.ModelKey != "" && (best == nil || connect.Performance(job.AchievedPerformance) > connect.Performance(best.AchievedPerformance)):
				best = job
			case best == nil && next > 0 && within.Err() == nil:
				next = 0 // any model
				continue
			}
			return c.finish(best, job)
		}
		best = job
		if next = nextThreshold(max(next, connect.Performance(job.AchievedPerformance))); next > 1 || within.Err() != nil {
			return c.finish(best, job)
		}
	}
}

// nextThreshold returns the next threshold with four digits; a value above 1 ends the
// search.
func nextThreshold(reached float64) float64 {
	const digits = 1e4
	if reached >= 1 {
		return 2
	}
	return math.Ceil((reached+(1-reached)*errorReduction)*digits) / digits
}

// timeLeft returns the time left for the search.
func (c *ThresholdSearch) timeLeft() time.Duration {
	if c.Deadline.Limit > 0 {
		return c.Deadline.ends.Sub(c.Deadline.now()) - c.Reserve
	}
	return api.DefaultTimeLimitSeconds * time.Second
}

// race runs a race with a threshold, which may be nil. It is cancelled if within ends
// before ctx.
func (c *ThresholdSearch) race(ctx, within context.Context, dataset string, threshold *float64) (*api.Training, error) {
	body := c.Body
	body.PerformanceThreshold = api.NewThreshold(threshold)
	if err := c.Deadline.LimitRace(&body, c.Reserve, c.exactDeadline); err != nil {
		return nil, err
	}
	created, err := c.CreateTraining(ctx, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: dataset}, Body: body,
	})
	if err != nil {
		return nil, err
	}
	job, err := c.AwaitRace(within, created.TrainingJobKey)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		job, err = c.StopRace(ctx, created.TrainingJobKey)
	}
	if err != nil {
		return nil, err
	}
	c.Steps = append(c.Steps, SearchStep{threshold, job.TrainingJobKey, job.Status, job.AchievedPerformance})
	if threshold != nil {
		c.noteStep(len(c.Steps), *threshold, job)
	}
	return job, nil
}

// noteStep prints the result of a race.
func (c *ThresholdSearch) noteStep(n int, threshold float64, job *api.Training) {
	switch {
	case job.Status != api.TrainingCompleted:
		c.Output.Note("race %d: threshold %g missed (%s)", n, threshold, job.Status)
	case job.AchievedPerformance == nil:
		c.Output.Note("race %d: threshold %g reached", n, threshold)
	default:
		c.Output.Note("race %d: threshold %g reached with %.4f", n, threshold, *job.AchievedPerformance)
	}
}

// finish returns the best race, or an error if no race has left a model. ended is the
// last one.
func (c *ThresholdSearch) finish(best, ended *api.Training) (*api.Training, error) {
	if best == nil {
		return nil, connect.TrainingFailed(ended)
	}
	reached := ""
	if best.AchievedPerformance != nil {
		reached = fmt.Sprintf(" with %.4f", *best.AchievedPerformance)
	}
	c.Output.Note("best model: training %s%s, after %s", best.TrainingJobKey, reached, humanize.Count(len(c.Steps), "race"))
	return best, nil
}
