package training

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/learn"
	"foretell/internal/learn/parallel"
	"foretell/internal/store"
)

// Fail makes the race of a failed job FAILED because of cause.
func (tr *Trainer) Fail(ctx context.Context, j *job.Job, cause error) error {
	end := store.Ending{Status: api.TrainingFailed, Reason: tr.failureReason(cause), Time: tr.sharedNow()}
	return tr.queue.Finish(ctx, j, end.Status, func(t *store.Tx) error {
		race, err := t.GetTraining(ctx, j.Account, j.Subject)
		if err != nil {
			return err
		}
		return t.EndRace(ctx, race, end)
	})
}

// failureReason returns a message for users that says why the job of a race failed.
func (tr *Trainer) failureReason(cause error) string {
	if errors.Is(cause, learn.ErrNoEarlierRows) {
		return learn.ErrNoEarlierRows.Error()
	}
	return tr.problems.FailureReason(cause)
}

// raceFailureReason returns a message that says why a race has no model, or "" if it has one.
func (tr *Trainer) raceFailureReason(race *store.Training, o *learn.Outcome) string {
	if o.Model != nil {
		return ""
	}
	switch o.Status {
	case learn.TimedOut:
		return fmt.Sprintf("the time limit of %s ended before any algorithm had trained a model: increase the time limit", tr.raceTimeLimit(race))
	case learn.Cancelled:
		return "the race was cancelled before it had stored a model"
	}
	var reasons []string
	for _, run := range o.Runs {
		if run.Err != nil {
			reasons = append(reasons, run.Algorithm+": "+tr.runFailureReason(run.Err))
		}
	}
	return "every algorithm failed: " + strings.Join(reasons, "; ")
}

// runFailureReason returns a message for users that says why one algorithm failed. A panic is a fault
// of the service, so only the log has its details.
func (tr *Trainer) runFailureReason(err error) string {
	if errors.Is(err, parallel.ErrPanic) {
		return tr.problems.FailureReason(err)
	}
	return err.Error()
}

// logRunFailures logs the error of each algorithm that failed. After a panic, the line contains the
// stack.
func (tr *Trainer) logRunFailures(ctx context.Context, rows *raceRows, outcome *learn.Outcome) {
	for _, run := range outcome.Runs {
		if run.Err != nil {
			tr.logRunFailure(ctx, rows, run.Algorithm, run.Err)
		}
	}
}

// logRunFailure logs err, with which an algorithm of a race failed.
func (tr *Trainer) logRunFailure(ctx context.Context, rows *raceRows, algorithm string, err error) {
	attributes := []slog.Attr{slog.String("subject", rows.race.Key), slog.String("algorithm", algorithm), slog.Any("error", err)}
	for _, row := range rows.runs {
		if row.Algorithm == algorithm {
			attributes = append(attributes, slog.String("run", row.Key)) // users know the run by this key
		}
	}
	var p *parallel.PanicError
	if errors.As(err, &p) {
		attributes = append(attributes, slog.String("stack", string(p.Stack)))
	}
	tr.log.LogAttrs(ctx, slog.LevelError, "an algorithm failed", attributes...)
}
