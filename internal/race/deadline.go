package race

import (
	"context"
	"errors"
	"math"
	"time"

	"foretell/internal/api"
	"foretell/internal/exit"
)

// Deadline is the time at which a command must end because of its flag --time-limit.
type Deadline struct {
	Limit time.Duration // the value of the flag; 0 means no limit
	end   time.Time
	now   func() time.Time
}

// Deadline returns the deadline of a command that started at began. The deadline calls now for the
// current time.
func (f *Flags) Deadline(now func() time.Time, began time.Time) Deadline {
	if !f.cmd.Flags().Changed("time-limit") {
		return Deadline{now: now}
	}
	return Deadline{Limit: f.TimeLimit, end: began.Add(f.TimeLimit), now: now}
}

// PreparationContext returns a context for the steps of a command before its race. The context ends
// at the deadline.
func (d Deadline) PreparationContext(ctx context.Context) (limited context.Context, cancel context.CancelFunc) {
	if d.Limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d.end.Sub(d.now()), d.tooShortError())
}

// tooShortError returns the error for a time limit that ended before there was a model.
func (d Deadline) tooShortError() *exit.Error {
	more := max(2*d.Limit, 10*time.Second)
	return exit.Errorf(exit.JobFailed, "the time limit of %s ended before any algorithm produced a model", d.Limit).
		WithHint("use a longer time limit, such as --time-limit %s", more.Round(time.Second))
}

// stillQueuedError returns the error for a time limit that ended while the race was queued.
func (d Deadline) stillQueuedError() *exit.Error {
	return exit.Errorf(exit.JobFailed, "the time limit of %s ended while the race was queued behind other races", d.Limit).
		WithHint("list the races with `foretell training list`, cancel one with `foretell training cancel`, or use a longer --time-limit")
}

// TranslateError returns err. If the deadline caused err, it returns an error about the time limit
// instead. prepCtx is the context from [Deadline.PreparationContext], and job is the race, or nil
// if it has not begun.
func (d Deadline) TranslateError(prepCtx context.Context, job *api.Training, err error) error {
	var over *exit.Error
	switch {
	case err == nil || d.Limit == 0:
		return err
	case job != nil && job.Status == api.TrainingTimedOut && job.ModelKey == "":
		if job.Outcome != "" && job.StartedOn == "" { // a service that does not report an Outcome may not report StartedOn either
			return d.stillQueuedError()
		}
		return d.tooShortError()
	case errors.Is(prepCtx.Err(), context.DeadlineExceeded) && errors.As(context.Cause(prepCtx), &over):
		return over
	}
	return err
}

// LimitRace sets the time limit in the request for a race. The race gets the remaining time minus
// reserve, the estimated time that the command needs after the race. It gets at least half of the
// remaining time, in case reserve is too high. If exactDeadline is false, because the service does
// not support deadlines, the limit counts whole seconds from the start of the race.
func (d Deadline) LimitRace(body *api.NewTraining, reserve time.Duration, exactDeadline bool) error {
	if d.Limit == 0 {
		return nil
	}
	all := d.end.Sub(d.now())
	left := (all - min(reserve, all/2)).Seconds()
	if left < minRaceTime.Seconds() {
		return d.tooShortError()
	}
	whole := max(1, int(left))
	if exactDeadline {
		whole = int(math.Ceil(left))
		body.FinishWithinSeconds = &left
	}
	body.TimeLimitSeconds = &whole
	return nil
}

// minRaceTime is the shortest time for which a race is worth starting.
const minRaceTime = 50 * time.Millisecond

// CostEstimator estimates how long a command needs after its race. Its fields are known before the
// race. CheckTime and UploadTime are measured, so that the estimate also fits a slow or busy
// machine.
type CostEstimator struct {
	CheckTime, UploadTime  time.Duration // time to check the blind file; time to upload the training file
	TrainBytes, BlindBytes int64         // sizes of the files
	Rows, Columns          int           // rows of the blind file; columns of the training file
	Limit                  time.Duration // time limit of the command
}

// The costs after a race, measured on two idle cores with kddcup99, adult and tables of 1,000 to
// 50,000 columns. They are the sum of a constant, a time per column to store and read the model, a
// multiple of CheckTime to read the blind file, a multiple of UploadTime to write, download and
// verify the result, and the costs of predicting.
//
// The costs of predicting depend on the size of the model, which is unknown before the race: a row
// takes from 5 µs with a small forest to 80 µs with a blend. Their estimate is therefore high, but
// limited to a fraction of the time limit, because long races produce larger models.
const (
	predictFactor   = 1.5 // multiple of CheckTime
	uploadFactor    = 3   // multiple of UploadTime, scaled to the size of the blind file
	costPerColumn   = 40 * time.Microsecond
	minCost         = 300 * time.Millisecond
	costPerRow      = 60 * time.Microsecond // of the blind file
	maxRowCostShare = 0.04                  // limits the cost of all rows to this share of the time limit
	modelCostShare  = 0.04                  // cost of reading the model, as a share of the time limit
	maxModelCost    = 3 * time.Second
)

// AfterRace returns the estimated time that the command needs after its race.
func (e CostEstimator) AfterRace() time.Duration {
	columns := time.Duration(e.Columns) * costPerColumn
	if e.BlindBytes == 0 { // without a blind file, the model is only stored
		return (minCost + columns) / 2
	}
	check := float64(e.CheckTime)
	send := float64(e.UploadTime) * float64(e.BlindBytes) / float64(max(e.TrainBytes, 1))
	rows := min(float64(e.Rows)*float64(costPerRow), maxRowCostShare*float64(e.Limit))
	model := min(modelCostShare*float64(e.Limit), float64(maxModelCost))
	return minCost + columns + time.Duration(predictFactor*check+uploadFactor*send+rows+model)
}
