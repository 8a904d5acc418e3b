package race

import (
	"context"
	"fmt"
	"math"
	"time"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/humanize"
)

// ThresholdSearch is the search for --threshold auto. It is for services that keep no model if a
// race misses its threshold:
//
//	           ┌─────── 0.86 missed: the previous race has the best model
//	     ┌─────┘ 0.81 reached, with 0.8214
//	─────┘ 0.70 reached, with 0.7533
//
// The error of a race is 1 − performance. Each race must reach an error that is a quarter lower
// than the error of the previous race. If the service keeps the best model of a race without a
// threshold, there is only one race.
type ThresholdSearch struct {
	*connect.Session
	Output *cli.Output
	Body   api.NewTraining
	// First is the threshold of the first race.
	First float64
	Steps []SearchStep
	// Deadline is the deadline of the command. Reserve is the time that the command needs
	// after the search.
	Deadline      Deadline
	Reserve       time.Duration
	exactDeadline bool // whether the service supports deadlines
}

// SearchStep is one race of a search.
type SearchStep struct {
	// Threshold is nil for a race without a threshold.
	Threshold           *float64 `json:"threshold"`
	TrainingJobKey      string   `json:"trainingJobKey"`
	Status              string   `json:"status"`
	AchievedPerformance *float64 `json:"achievedPerformance,omitempty"`
}

const (
	// errorReduction is the fraction by which each race must reduce the error of the previous race.
	errorReduction = 0.25
	// DefaultFirstThreshold is the first threshold if the class counts are unknown.
	DefaultFirstThreshold = 0.5
)

// FirstThreshold returns a threshold that every algorithm should reach. For accuracy, this is the
// fraction of rows in the largest class, rounded down to two decimals. For other metrics, or if the
// rows are unknown, it is DefaultFirstThreshold. classRows holds the number of rows of each
// class.
func FirstThreshold(metric string, classRows []int) float64 {
	most, all := 0, 0
	for _, rows := range classRows {
		most, all = max(most, rows), all+rows
	}
	if all == 0 || metric != "" && metric != api.MetricAccuracy {
		return DefaultFirstThreshold
	}
	return math.Floor(100*float64(most)/float64(all)) / 100
}

// Run runs races on a dataset until one misses its threshold or the time ends. It returns
// the race with the best model.
func (s *ThresholdSearch) Run(ctx context.Context, dataset *api.Dataset) (*api.Training, error) {
	searchCtx, cancel := context.WithTimeout(ctx, s.timeLeft())
	defer cancel()
	if s.exactDeadline = s.HasExtensions(dataset); s.exactDeadline {
		s.Output.Note("--threshold auto: this service does not require a threshold, so one race without a threshold is enough")
		job, err := s.runRace(ctx, searchCtx, dataset.DatasetKey, nil)
		if err != nil || job.ModelKey != "" {
			return job, s.RaceError(job, err)
		}
		s.Output.Note("--threshold auto: the race without a threshold kept no model, so races with thresholds follow")
	}
	var best *api.Training
	for next := s.First; ; {
		job, err := s.runRace(ctx, searchCtx, dataset.DatasetKey, new(next))
		if err != nil {
			return nil, err
		}
		if job.Status != api.TrainingCompleted {
			switch {
			case job.ModelKey != "" && (best == nil || connect.ValueOrZero(job.AchievedPerformance) > connect.ValueOrZero(best.AchievedPerformance)):
				best = job
			case best == nil && next > 0 && searchCtx.Err() == nil:
				next = 0 // every race reaches 0, so it keeps its model
				continue
			}
			return s.bestOrLastError(best, job)
		}
		best = job
		if next = nextThreshold(max(next, connect.ValueOrZero(job.AchievedPerformance))); next > 1 || searchCtx.Err() != nil {
			return s.bestOrLastError(best, job)
		}
	}
}

// nextThreshold returns the threshold for the next race after one that reached this performance. It
// is rounded up to four decimals. A value above 1 ends the search.
func nextThreshold(reached float64) float64 {
	const digits = 1e4
	if reached >= 1 {
		return 2
	}
	return math.Ceil((reached+(1-reached)*errorReduction)*digits) / digits
}

// timeLeft returns the time left for the search.
func (s *ThresholdSearch) timeLeft() time.Duration {
	if s.Deadline.Limit > 0 {
		return s.Deadline.end.Sub(s.Deadline.now()) - s.Reserve
	}
	return api.DefaultTimeLimitSeconds * time.Second
}

// runRace runs one race. If threshold is nil, the race has no threshold. If searchCtx ends before
// ctx, runRace stops the race, and the service keeps the best model so far.
func (s *ThresholdSearch) runRace(ctx, searchCtx context.Context, dataset string, threshold *float64) (*api.Training, error) {
	body := s.Body
	body.PerformanceThreshold = api.NewThreshold(threshold)
	if err := s.Deadline.LimitRace(&body, s.Reserve, s.exactDeadline); err != nil {
		return nil, err
	}
	created, err := s.StartRace(ctx, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: dataset}, Body: body,
	})
	if err != nil {
		return nil, err
	}
	job, err := s.AwaitRace(searchCtx, created.TrainingJobKey)
	if err != nil && searchCtx.Err() != nil && ctx.Err() == nil {
		job, err = s.StopRace(ctx, created.TrainingJobKey)
		err = exit.WithContinueCommand(ctx, err, s.RaceCommand(created.TrainingJobKey))
	}
	if err != nil {
		return nil, err
	}
	s.Steps = append(s.Steps, SearchStep{threshold, job.TrainingJobKey, job.Status, job.AchievedPerformance})
	if threshold != nil {
		s.noteStep(len(s.Steps), *threshold, job)
	}
	return job, nil
}

// noteStep prints the result of race n of the search, counted from 1.
func (s *ThresholdSearch) noteStep(n int, threshold float64, job *api.Training) {
	switch {
	case job.Status != api.TrainingCompleted:
		s.Output.Note("race %d: threshold %g missed (%s)", n, threshold, job.Status)
	case job.AchievedPerformance == nil:
		s.Output.Note("race %d: threshold %g reached", n, threshold)
	default:
		s.Output.Note("race %d: threshold %g reached with %.4f", n, threshold, *job.AchievedPerformance)
	}
}

// bestOrLastError returns the best race, or, if best is nil, the error of the last race.
func (s *ThresholdSearch) bestOrLastError(best, last *api.Training) (*api.Training, error) {
	if best == nil {
		return nil, connect.TrainingError(last)
	}
	reached := ""
	if best.AchievedPerformance != nil {
		reached = fmt.Sprintf(" with %.4f", *best.AchievedPerformance)
	}
	s.Output.Note("race %s has the best model%s, after %s", best.TrainingJobKey, reached, humanize.Count(len(s.Steps), "race"))
	return best, nil
}
