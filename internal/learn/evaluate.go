package learn

import (
	"context"

	"foretell/internal/learn/evaluation"
)

// score holds the scores of predictions for the validation rows.
type score struct {
	// performance is the value of the race's metric, from 0 to 1. Higher is better.
	performance float64
	// logLoss is in nats, lower is better.
	logLoss float64
}

// newScore returns the score of the probabilities of all validation rows. It returns an
// error only if ctx is cancelled.
func newScore(ctx context.Context, e *evaluation.Evaluator, probabilities []float32) (s score, err error) {
	s.performance, s.logLoss, err = e.Score(ctx, probabilities)
	return s, err
}

// maxConcurrentEvaluations is the largest number of runs that are evaluated at the same
// time. It limits the memory for the probabilities of their steps.
const maxConcurrentEvaluations = 2

// newProbabilityBuffers returns a pool of maxConcurrentEvaluations buffers, each for the
// probabilities of one step. The buffers are nil at first; evaluateStep allocates them.
func newProbabilityBuffers() chan []float32 {
	buffers := make(chan []float32, maxConcurrentEvaluations)
	for range maxConcurrentEvaluations {
		buffers <- nil
	}
	return buffers
}

// evaluateStep scores the models of run after its most recent step. stalled reports whether the
// scores no longer improve; see earlyStopping.
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
	run.curve[len(run.curve)-1].elapsed = r.elapsedAtScore()
	return stalled, nil
}
