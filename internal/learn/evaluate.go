package learn

import (
	"context"

	"foretell/internal/learn/evaluation"
)

// score holds the scores of probabilities on the validation rows.
type score struct {
	// performance is the value of the race's metric, from 0 to 1. Higher is better.
	performance float64
	// logLoss is in nats, lower is better.
	logLoss float64
}

// newScore returns the score of the probabilities of all validation rows. The error is that of
// ctx.
func newScore(ctx context.Context, e *evaluation.Evaluator, probabilities []float32) (s score, err error) {
	s.performance, s.logLoss, err = e.Score(ctx, probabilities)
	return s, err
}

// maxBuffers is the largest number of runs that are evaluated at the same time. It limits
// the memory for the probabilities of their steps.
const maxBuffers = 2

// newBuffers returns the buffers for the probabilities of a step. A nil buffer is allocated on
// first use.
func newBuffers() chan []float32 {
	buffers := make(chan []float32, maxBuffers)
	for range maxBuffers {
		buffers <- nil
	}
	return buffers
}

// evaluateStep scores the last step of run. stalled reports whether the run has stalled.
func (r *race) evaluateStep(ctx context.Context, run *run) (stalled bool, err error) {
	probabilities := <-r.buffers
	defer func() { r.buffers <- probabilities }()
	if probabilities == nil {
		probabilities = make([]float32, len(r.evaluator.Labels)*r.evaluator.Classes)
	}
	if err := run.predictValidation(probabilities); err != nil {
		return false, err
	}
	s, err := newScore(ctx, r.evaluator, probabilities)
	if err != nil {
		return false, err
	}
	run.reached = r.reachesThreshold(s.performance)
	r.mu.Lock()
	defer r.mu.Unlock()
	probabilities, stalled = run.recordScore(s, probabilities, r.scheduler.NextDue(run.index), run.reached || len(r.evaluator.Labels) == 0)
	run.curve[len(run.curve)-1].elapsed = r.scoreTime()
	return stalled, nil
}
