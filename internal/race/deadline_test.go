package race

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"foretell/internal/api"
	"foretell/internal/exit"
)

func TestDeadlineOfRace(t *testing.T) {
	began := time.Unix(1000, 0)
	d := Deadline{Limit: 10 * time.Second, end: began.Add(10 * time.Second), now: func() time.Time { return began.Add(2500 * time.Millisecond) }}
	t.Run("an extended service gets the remaining time", func(t *testing.T) {
		var body api.NewTraining
		if err := d.LimitRace(&body, time.Second, true); err != nil {
			t.Fatal(err)
		}
		if *body.FinishWithinSeconds != 6.5 || *body.TimeLimitSeconds != 7 {
			t.Errorf("finish within %v, limit %v", *body.FinishWithinSeconds, *body.TimeLimitSeconds)
		}
	})
	t.Run("another whole seconds of it", func(t *testing.T) {
		var body api.NewTraining
		if err := d.LimitRace(&body, time.Second, false); err != nil {
			t.Fatal(err)
		}
		if body.FinishWithinSeconds != nil || *body.TimeLimitSeconds != 6 {
			t.Errorf("finish within %v, limit %v", body.FinishWithinSeconds, *body.TimeLimitSeconds)
		}
	})
	t.Run("an estimate of the predictions leaves half of the rest", func(t *testing.T) {
		var body api.NewTraining
		if err := d.LimitRace(&body, time.Minute, true); err != nil {
			t.Fatal(err)
		}
		if *body.FinishWithinSeconds != 3.75 {
			t.Errorf("finish within %v", *body.FinishWithinSeconds)
		}
	})
	t.Run("nothing is left", func(t *testing.T) {
		var body api.NewTraining
		var e *exit.Error
		d.now = func() time.Time { return d.end }
		if err := d.LimitRace(&body, time.Second, true); !errors.As(err, &e) || e.Status != exit.JobFailed {
			t.Errorf("%v", err)
		}
	})
	t.Run("none was given", func(t *testing.T) {
		var body api.NewTraining
		if err := (Deadline{}).LimitRace(&body, time.Hour, true); err != nil || body.TimeLimitSeconds != nil || body.FinishWithinSeconds != nil {
			t.Errorf("%v: %+v", err, body)
		}
	})
}

// TestDeadlineBeforeRace checks the errors if the time limit ends before the race has
// begun.
func TestDeadlineBeforeRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := Deadline{Limit: 2 * time.Second, end: time.Now().Add(2 * time.Second), now: time.Now}
		ctx, stop := d.PreparationContext(t.Context())
		defer stop()
		<-ctx.Done()
		err := d.TranslateError(ctx, nil, ctx.Err())
		const want = "the time limit of 2s ended before any algorithm produced a model"
		var e *exit.Error
		if !errors.As(err, &e) || e.Fact != want || e.Hint != "use a longer time limit, such as --time-limit 10s" || e.Status != exit.JobFailed {
			t.Errorf("%+v", err)
		}
		queued := &api.Training{Status: api.TrainingTimedOut, Outcome: api.OutcomeTimeLimit}
		if err := d.TranslateError(t.Context(), queued, errors.New("no model")); err == nil || !strings.Contains(err.Error(), "queued behind other races") {
			t.Errorf("of a race that was never begun: %v", err)
		}
		if other := context.Canceled; !errors.Is(d.TranslateError(t.Context(), nil, other), other) {
			t.Error("another error is not the deadline's")
		}
	})
}

// TestCostEstimator checks that the estimated time for the rows of a large file is limited
// to a fraction of the time limit.
func TestCostEstimator(t *testing.T) {
	files := CostEstimator{CheckTime: time.Second, UploadTime: 200 * time.Millisecond, TrainBytes: 60e6, BlindBytes: 20e6, Rows: 100_000, Columns: 40}
	short, long, open := files, files, files
	short.Limit, long.Limit = 10*time.Second, 10*time.Minute
	open.Rows = 0
	base := open.AfterRace()
	if got := short.AfterRace() - base; got != 800*time.Millisecond {
		t.Errorf("of 10 s rows and model take %s", got)
	}
	if got := long.AfterRace() - base; got != 9*time.Second {
		t.Errorf("of 10 min rows and model take %s", got)
	}
	if got := (CostEstimator{CheckTime: time.Second, TrainBytes: 60e6}).AfterRace(); got != minCost/2 {
		t.Errorf("without a blind file: %s", got)
	}
}
