package training

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/learn"
	"foretell/internal/learn/model"
	"foretell/internal/learn/parallel"
	"foretell/internal/problem"
	"foretell/internal/store"
)

// TestUnmeasuredIsNil ends a run with and without time to score it on test rows. Scores that were
// not computed must be nil.
func TestUnmeasuredIsNil(t *testing.T) {
	t.Parallel()
	tr := New(Config{})
	run := learn.Run{Algorithm: "BSIX01", Status: learn.TimedOut, Curve: []float64{0.8}, Performance: 0.8, TestPerformance: 0.75}
	o := &learn.Outcome{Algorithm: "BSIX01", Status: learn.TimedOut, Model: &model.Model{}, Achieved: 0.8}
	o.Report.ValidationRows = 10
	var hasty, slow store.Training
	tr.setRunResult(&hasty, run, o)
	if hasty.TestPerformance != nil || hasty.TrainingPerformance != nil || hasty.AchievedPerformance == nil || *hasty.AchievedPerformance != 0.8 {
		t.Errorf("without a row: test %v, training %v, achieved %v", hasty.TestPerformance, hasty.TrainingPerformance, hasty.AchievedPerformance)
	}
	o.Report.TestRows = 20
	tr.setRunResult(&slow, run, o)
	if slow.TestPerformance == nil || *slow.TestPerformance != 0.75 || slow.TrainingPerformance != nil {
		t.Errorf("with 20 rows: test %v, training %v", slow.TestPerformance, slow.TrainingPerformance)
	}
	o.Report.ValidationRows = 0
	var blind store.Training
	tr.setRunResult(&blind, run, o)
	if blind.AchievedPerformance != nil || blind.LogLoss != nil {
		t.Errorf("without validation rows: achieved %v, log loss %v", blind.AchievedPerformance, blind.LogLoss)
	}
}

// TestCancelledPreparation cancels a race before its dataset is loaded, and starts one without time.
func TestCancelledPreparation(t *testing.T) {
	t.Parallel()
	tr := New(Config{Problems: problem.New(problem.Config{Log: slog.New(slog.DiscardHandler)})})
	tr.now = time.Now
	rows := &raceRows{started: time.Now(), race: &store.Training{TimeLimitSeconds: 3600}, dataset: &store.Dataset{}}
	cancelled := make(chan struct{})
	if _, _, err := tr.prepareInTime(t.Context(), rows, cancelled); err == nil || errors.Is(err, errCancelled) || errors.Is(err, errTimeLimit) {
		t.Errorf("a dataset without a schema: error %v", err)
	}
	rows.race.TimeLimitSeconds = 0
	if _, _, err := tr.prepareInTime(t.Context(), rows, cancelled); !errors.Is(err, errTimeLimit) {
		t.Errorf("no time: error %v", err)
	}
	close(cancelled)
	if _, _, err := tr.prepareInTime(t.Context(), rows, cancelled); !errors.Is(err, errCancelled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// TestLogRunFailures checks the log and the reason of an algorithm that returned an error and of one
// that panicked. Users do not see the details of a panic.
func TestLogRunFailures(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	tr := New(Config{Problems: problem.New(problem.Config{Log: slog.New(slog.DiscardHandler)}), Log: slog.New(slog.NewTextHandler(&log, nil))})
	rows := &raceRows{race: &store.Training{Key: "race"}, runs: []*store.Training{{Key: "run 1", Algorithm: "BSIX01"}, {Key: "run 2", Algorithm: "BSEV01"}}}
	o := &learn.Outcome{Status: learn.Failed, Runs: []learn.Run{
		{Algorithm: "BSIX01", Status: learn.Failed, Err: errors.New("out of luck")},
		{Algorithm: "BSEV01", Status: learn.Failed, Err: fmt.Errorf("BSEV01: %w", parallel.Recover(func() error { panic("index out of range") }))},
	}}
	tr.logRunFailures(t.Context(), rows, o)
	for _, want := range []string{"level=ERROR", "subject=race", `run="run 1"`, "out of luck", `run="run 2"`, "algorithm=BSEV01", "index out of range", "TestLogRunFailures"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not contain %q: %s", want, log.String())
		}
	}
	if got, want := tr.raceFailureReason(rows.race, o), "every algorithm failed: BSIX01: out of luck; BSEV01: "+api.InternalFailure; got != want {
		t.Errorf("the reason is %q, want %q", got, want)
	}
	var row store.Training
	if tr.setRunResult(&row, o.Runs[1], o); row.FailureReason != api.InternalFailure {
		t.Errorf("the reason of the run is %q", row.FailureReason)
	}
}

func TestFailureReason(t *testing.T) {
	t.Parallel()
	tr := New(Config{Problems: problem.New(problem.Config{Log: slog.New(slog.DiscardHandler)})})
	for cause, want := range map[error]string{learn.ErrNoEarlierRows: learn.ErrNoEarlierRows.Error(), io.ErrUnexpectedEOF: api.InternalFailure} {
		if got := tr.failureReason(fmt.Errorf("race: %w", cause)); got != want {
			t.Errorf("%v returns %q", cause, got)
		}
	}
}
