package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"foretell/internal/api"
)

// The polling interval grows from minPoll to Options.MaxPoll, by a sixteenth after each poll.
// Therefore a long wait needs few requests, and the client notices the end of a job after at most
// about a sixteenth of its duration.
const (
	minPoll = 25 * time.Millisecond
	maxPoll = 2 * time.Second // default of Options.MaxPoll
	// maxOutage is the default of Options.MaxOutage. It is more than it takes to fail over a
	// database or to restart a machine.
	maxOutage = 5 * time.Minute
)

// WaitDataset polls a dataset until it is COMPLETED or FAILED. onUpdate, which may be
// nil, is called with every response, including the last, and with nil after every failed poll.
func (c *Client) WaitDataset(ctx context.Context, key string, onUpdate func(*api.Dataset)) (*api.Dataset, error) {
	return poll(ctx, c, func() (*api.Dataset, bool, error) {
		d, err := Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: key})
		if err != nil {
			return nil, false, err
		}
		return d, d.Status == api.DatasetCompleted || d.Status == api.DatasetFailed, nil
	}, onUpdate)
}

// WaitTraining polls the progress of a training job until the job ends, and returns the job.
// onUpdate, which may be nil, is called with every response, and with nil after every failed poll.
// Together, the responses have every score, because WaitTraining requests the history if scores are
// missing between two polls.
func (c *Client) WaitTraining(ctx context.Context, key string, onUpdate func(*api.TrainingProgress)) (*api.Training, error) {
	in := &api.TrainingInput{TrainingJobKey: key}
	var job *api.Training
	reported := map[string]int{}
	_, err := poll(ctx, c, func() (*api.TrainingProgress, bool, error) {
		progress, err := c.fetchProgressWithHistory(ctx, key, reported)
		if err != nil || !trainingEnded(progress.Status) {
			return progress, false, err
		}
		job, err = Call(ctx, c, api.GetTraining, in)
		return progress, err == nil && trainingEnded(job.Status), err
	}, func(progress *api.TrainingProgress) {
		if progress != nil {
			for _, run := range progress.Jobs {
				reported[run.TrainingJobKey] = run.Steps
			}
		}
		if onUpdate != nil {
			onUpdate(progress)
		}
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}

// fetchProgressWithHistory returns the progress of a race. If its recent scores do not continue
// those that were reported before, it requests the history, too. reported holds the number of scores
// reported so far, by key of the algorithm's job.
func (c *Client) fetchProgressWithHistory(ctx context.Context, key string, reported map[string]int) (*api.TrainingProgress, error) {
	in := &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: key}}
	progress, err := Call(ctx, c, api.GetTrainingProgress, in)
	if err != nil {
		return nil, err
	}
	missed := func(run api.AlgorithmRun) bool {
		return run.Steps > reported[run.TrainingJobKey]+len(run.RecentPerformances)
	}
	if slices.ContainsFunc(progress.Jobs, missed) {
		in.History = true
		return Call(ctx, c, api.GetTrainingProgress, in)
	}
	return progress, nil
}

// WaitPrediction polls a prediction until it is COMPLETED, FAILED or TIMEOUT. onUpdate,
// which may be nil, is called with every response, and with nil after every failed poll.
func (c *Client) WaitPrediction(ctx context.Context, key string, onUpdate func(*api.Prediction)) (*api.Prediction, error) {
	return poll(ctx, c, func() (*api.Prediction, bool, error) {
		p, err := Call(ctx, c, api.GetPrediction, &api.PredictionInput{PredictionKey: key})
		if err != nil {
			return nil, false, err
		}
		return p, predictionEnded(p.Status), nil
	}, onUpdate)
}

// trainingEnded reports whether a state is final. An unknown state is not.
func trainingEnded(status string) bool {
	switch status {
	case api.TrainingCompleted, api.TrainingNotCompleted, api.TrainingTimedOut, api.TrainingFailed, api.TrainingCancelled:
		return true
	}
	return false
}

func predictionEnded(status string) bool {
	switch status {
	case api.PredictionCompleted, api.PredictionFailed, api.PredictionTimeout:
		return true
	}
	return false
}

// poll calls fetch repeatedly until fetch returns done = true. It calls onUpdate with each value of
// fetch, and returns the last value. An outage of the service ends the wait only after
// Options.MaxOutage. During an outage, poll calls onUpdate with nil.
func poll[T any](ctx context.Context, c *Client, fetch func() (value *T, done bool, err error), onUpdate func(*T)) (*T, error) {
	var giveUp <-chan time.Time // not nil during an outage
	for interval := minPoll; ; interval = min(interval+interval/16, c.opts.MaxPoll) {
		state, done, err := fetch()
		switch {
		case err == nil:
			giveUp = nil
			if onUpdate != nil {
				onUpdate(state)
			}
			if done {
				return state, nil
			}
		case !IsOutage(err) || ctx.Err() != nil:
			return nil, err
		default:
			if giveUp == nil {
				giveUp = time.After(c.opts.MaxOutage)
			}
			select {
			case <-giveUp:
				return nil, err
			default:
			}
			if onUpdate != nil {
				onUpdate(nil)
			}
		}
		if err := c.opts.Wait(ctx, interval); err != nil {
			return nil, err
		}
	}
}

// MayHaveSucceeded reports whether the service may have executed a request that failed with err, so
// that only the response was lost.
func MayHaveSucceeded(err error) bool {
	var network *NetworkError
	if errors.As(err, &network) {
		return network.Kind == ConnectionLost || network.Kind == NotService
	}
	var problem *api.Problem
	if errors.As(err, &problem) {
		return problem.Status == http.StatusInternalServerError || problem.Status == http.StatusBadGateway || problem.Status == http.StatusGatewayTimeout
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// IsOutage reports whether an error is temporary: the service, its database or its file storage
// does not respond, or a proxy has no service to forward requests to.
func IsOutage(err error) bool {
	var network *NetworkError
	if errors.As(err, &network) {
		return network.isTemporary()
	}
	var problem *api.Problem
	return errors.As(err, &problem) && codeFromStatus(problem.Status) == api.CodeNotReady
}
