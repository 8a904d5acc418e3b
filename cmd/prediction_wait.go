package cmd

import (
	"context"
	"fmt"

	"foretell/internal/api"
)

// awaitPrediction waits until a prediction is done; again is the command that continues
// an interrupted wait.
func (c *session) awaitPrediction(ctx context.Context, key, again string) (*api.Prediction, error) {
	if err := c.runLocally(ctx, key); err != nil {
		return nil, err
	}
	phase := c.progress.Phase("predicting")
	defer phase.Done()
	p, err := c.WaitPrediction(ctx, key, func(p *api.Prediction) {
		if p.Rows > 0 {
			phase.Tick(fmt.Sprintf("%d rows done", p.Rows))
		} else {
			phase.Tick("")
		}
	})
	if err != nil {
		return nil, c.waitError(ctx, err, "prediction", key, again)
	}
	if p.Status != api.PredictionCompleted {
		e := exitErrorf(ExitJobFailed, "prediction %s ended as %s", key, p.Status)
		if p.FailureReason != "" {
			e.fact += ": " + p.FailureReason
		}
		return nil, e.withHint("compare the files with `foretell check TRAIN.csv BLIND.csv`")
	}
	return p, nil
}

// submitPrediction sends a blind file to a model.
func (c *session) submitPrediction(ctx context.Context, model string, blind *upload) (*api.CreatedPrediction, error) {
	meter := c.progress.Bytes("uploading "+blind.in.name, blind.size)
	created, err := c.CreatePrediction(ctx, model, blind.in.uploadSource(ctx, blind.size), meter.Set)
	meter.Done()
	if err != nil {
		return nil, fileRejected(ctx, blind.in.name, err)
	}
	return created, nil
}
