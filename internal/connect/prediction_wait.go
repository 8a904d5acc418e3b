package connect

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/exit"
	"foretell/internal/humanize"
)

// AwaitPrediction waits until a prediction is done and returns it. resumeCommand is the
// command that continues the wait after an interruption.
func (c *Session) AwaitPrediction(ctx context.Context, key, resumeCommand string) (*api.Prediction, error) {
	if err := c.adoptInterruptedJob(ctx, key); err != nil {
		return nil, err
	}
	phase := c.Progress.StartPhase("predicting")
	defer phase.Done()
	p, err := c.WaitPrediction(ctx, key, func(p *api.Prediction) {
		switch {
		case p == nil:
			phase.Tick(outageActivity)
		case p.Rows > 0:
			phase.Tick(humanize.Count(p.Rows, "row") + " done")
		default:
			phase.Tick(waitingActivity(p.WaitingFor))
		}
	})
	if err != nil {
		return nil, c.WaitError(ctx, err, "prediction", key, resumeCommand)
	}
	if p.Status != api.PredictionCompleted {
		e := exit.Errorf(exit.JobFailed, "prediction %s ended in state %s", key, p.Status)
		if p.FailureReason != "" {
			e.Fact += ": " + p.FailureReason
		}
		switch {
		case p.Status == api.PredictionTimeout:
			return nil, e.WithHint("predict fewer rows at a time")
		case api.IsDamagedFileFailure(p.FailureReason):
			return nil, e.WithHint("restore the file in the data folder from a backup; `foretell doctor --files` checks all files")
		}
		return nil, e.WithHint("if the blind file may differ from the training file, compare them with `foretell check TRAIN.csv BLIND.csv`")
	}
	return p, nil
}
