package race

import (
	"context"
	"errors"
	"math"
	"time"

	"foretell/internal/api"
	"foretell/internal/exit"
)

// Deadline is the --time-limit of a command, counted from its start.
type Deadline struct {
	Limit time.Duration // 0: none was given
	ends  time.Time
	now   func() time.Time
}

// Deadline returns the time limit of a command that started at began.
func (r *Flags) Deadline(now func() time.Time, began time.Time) Deadline {
	if !r.cmd.Flags().Changed("time-limit") {
		return Deadline{now: now}
	}
	return Deadline{Limit: r.TimeLimit, ends: began.Add(r.TimeLimit), now: now}
}

// PrepContext returns the context for everything before the race. It ends at the
// deadline, because there is no model to keep yet.
func (d Deadline) PrepContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.Limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d.ends.Sub(d.now()), d.tooShort())
}

// tooShort is the error of a time limit that ended before there was a model.
func (d Deadline) tooShort() *exit.Error {
	more := max(2*d.Limit, 10*time.Second)
	return exit.Errorf(exit.JobFailed, "the time limit of %s ended before any algorithm produced a model", d.Limit).
		WithHint("use a longer one, such as --time-limit %s", more.Round(time.Second))
}

// stillQueued is the error of a time limit that ended while the race was queued.
func (d Deadline) stillQueued() *exit.Error {
	return exit.Errorf(exit.JobFailed, "the time limit of %s ended while the race was queued behind others", d.Limit).
		WithHint("list them with `foretell training list`; cancel one with `foretell training cancel`, or use a longer --time-limit")
}

// Explain returns err, or the deadline's error if the deadline caused it: before is the
// context of [Deadline.PrepContext], and job the race, which may be nil.
func (d Deadline) Explain(before context.Context, job *api.Training, err error) error {
	var over *exit.Error
	switch {
	case err == nil || d.Limit == 0:
		return err
	case job != nil && job.Status == api.TrainingTimedOut && job.ModelKey == "":
		if job.Outcome != "" && job.StartedOn == "" { // another deployment may not say when it began
			return d.stillQueued()
		}
		return d.tooShort()
	case errors.Is(before.Err(), context.DeadlineExceeded) && errors.As(context.Cause(before), &over):
		return over
	}
	return err
}

// LimitRace limits a race to the time left until reserve before the deadline, but at
// least half of the time left: an overestimated reserve must not leave a command without
// a model. If the service does not support deadlines, the limit is in whole seconds from
// the start of the race.
func (d Deadline) LimitRace(body *api.NewTraining, reserve time.Duration, precise bool) error {
	if d.Limit == 0 {
		return nil
	}
	all := d.ends.Sub(d.now())
	left := (all - min(reserve, all/2)).Seconds()
	if left < minRace.Seconds() {
		return d.tooShort()
	}
	whole := max(1, int(left))
	if precise {
		whole = int(math.Ceil(left))
		body.FinishWithinSeconds = &left
	}
	body.TimeLimitSeconds = &whole
	return nil
}

// minRace is the shortest race worth starting.
const minRace = 50 * time.Millisecond

// CostEstimate estimates the duration of a command after its race from times measured
// before it, so that it also holds on a slow or busy machine.
type CostEstimate struct {
	Checking, Uploading time.Duration // of the blind file; of the training file
	Trained, Blind      int64         // bytes of the files
	Rows, Columns       int           // of the blind file; of the training file
	Limit               time.Duration // of the command
}

// The costs after a race, measured on two idle cores with kddcup99, adult and tables
// of 1,000 to 50,000 columns: multiples of the time for checking and for sending the
// blind file, which cover reading it and writing, downloading and verifying the
// result; the time per column for storing and reading the model; and a constant.
//
// The size of the model is unknown before the race: predicting a row takes from 5 µs
// with a small forest to 80 µs with a blend of all algorithms, and reading a blend of
// fold models takes seconds. Long races produce large models, so the estimate is high,
// but at most a part of the limit.
const (
	predictFactor = 1.5
	uploadFactor  = 3
	costPerColumn = 40 * time.Microsecond
	minCost       = 300 * time.Millisecond
	costPerRow    = 60 * time.Microsecond
	maxRowsShare  = 0.04
	modelShare    = 0.04
	maxModelCost  = 3 * time.Second
)

// AfterRace returns the time that a command needs after its race.
func (e CostEstimate) AfterRace() time.Duration {
	columns := time.Duration(e.Columns) * costPerColumn
	if e.Blind == 0 { // the model is only stored
		return (minCost + columns) / 2
	}
	check := float64(e.Checking)
	send := float64(e.Uploading) * float64(e.Blind) / float64(max(e.Trained, 1))
	rows := min(float64(e.Rows)*float64(costPerRow), maxRowsShare*float64(e.Limit))
	model := min(modelShare*float64(e.Limit), float64(maxModelCost))
	return minCost + columns + time.Duration(predictFactor*check+uploadFactor*send+rows+model)
}
