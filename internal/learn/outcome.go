package learn

import (
	"errors"
	"slices"

	"foretell/internal/learn/model"
)

// Status is the state of a race or of one run in it.
type Status string

// The states, spelt as in the API.
const (
	Running      Status = "RUNNING"
	Completed    Status = "COMPLETED"     // reached the threshold; without one, trained until it no longer improved
	NotCompleted Status = "NOT_COMPLETED" // stalled below the threshold, or another run won the race first
	TimedOut     Status = "TIMED_OUT"     // reached the time limit
	Failed       Status = "FAILED"        // had an error; a race fails if all its runs do
	Cancelled    Status = "CANCELLED"     // stopped by the user
)

// Outcome is the result of a race.
type Outcome struct {
	Status Status
	// Runs holds the result of each algorithm, in the order in which they are
	// shown. It is nil if the race was stopped before its rows were divided.
	Runs []Run
	// Model is nil if every algorithm failed or was stopped before its first score. When the model
	// predicts, it may still read from Params.Disk. To avoid this, write the model to a file and
	// read it back.
	Model *model.Model
	// Algorithm is the name of Model's algorithm, or model.Blend. It is empty if
	// there is no model.
	Algorithm string
	// Achieved, Training and Test are the performances, in the metric of the race, on the
	// rows of Report.Validation, Report.Training and Report.Test.
	Achieved, Training, Test float64
	// Report holds the metrics of Model. It is empty if there is no model.
	Report Report
}

// newOutcome returns the outcome of the race, without a model. cause is the reason why the race
// ended. newOutcome also sets the final status of the runs that were still running.
func (r *race) newOutcome(cause error) *Outcome {
	o := &Outcome{Status: r.stalledStatus()}
	winner := r.scheduler.CurrentWinner()
	switch {
	case winner >= 0:
		o.Status = Completed
	case errors.Is(cause, errStopped):
		o.Status = Cancelled
	case errors.Is(cause, errTimeUp):
		o.Status = TimedOut
	case !slices.ContainsFunc(r.runs, func(run *run) bool { return run.status != Failed }):
		o.Status = Failed
	}
	for i, run := range r.runs {
		if late := run.dropLateScores(r.scheduler); late && run.status != Running {
			run.status, run.err = Running, nil // at the time of the win it was still running
		}
		switch {
		case run.status != Running:
		case i == winner:
			r.setStatusAndNotify(run, Completed)
		case winner >= 0:
			r.setStatusAndNotify(run, NotCompleted)
		default:
			r.setStatusAndNotify(run, o.Status)
		}
		o.Runs = append(o.Runs, run.result(r.timer.now != nil))
	}
	return o
}

// result returns the element of Outcome.Runs for a run that has ended. hasClock reports whether the
// race has a clock.
func (r *run) result(hasClock bool) Run {
	o := Run{Algorithm: r.Name, Status: r.status, Performance: r.best.performance, LogLoss: r.best.logLoss, Err: r.err}
	for _, p := range r.curve {
		o.Curve = append(o.Curve, p.performance)
		if hasClock {
			o.Seconds = append(o.Seconds, p.elapsed.Seconds())
		}
	}
	return o
}
