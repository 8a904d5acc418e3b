package training

import (
	"bytes"
	"io"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/learn"
	"foretell/internal/store"
)

// TestProgressReportsBestStep records a step whose score is lower than that of an earlier step.
func TestProgressReportsBestStep(t *testing.T) {
	t.Parallel()
	b := newProgressRecorder([]*store.Training{{Key: "k", Algorithm: "BSIX01", Status: api.TrainingRunning}})
	b.record(learn.Event{Algorithm: "BSIX01", Status: learn.Running, BestPerformance: math.NaN(), BestLogLoss: math.NaN()})
	if row := b.takeChanged()[0].row; row.AchievedPerformance != nil || row.LogLoss != nil {
		t.Errorf("before the first score: %v, %v", row.AchievedPerformance, row.LogLoss)
	}
	b.record(learn.Event{Algorithm: "BSIX01", Status: learn.Running, Performance: 0.8, BestPerformance: 0.8, BestLogLoss: 0.5, Step: 1})
	b.record(learn.Event{Algorithm: "BSIX01", Status: learn.Running, Performance: 0.7, BestPerformance: 0.8, BestLogLoss: 0.5, Step: 2})
	row := b.takeChanged()[0].row
	if !slices.Equal(row.Curve, []float64{0.8, 0.7}) || row.AchievedPerformance == nil || *row.AchievedPerformance != 0.8 || row.LogLoss == nil || *row.LogLoss != 0.5 {
		t.Errorf("scores %v, achieved %v, log loss %v", row.Curve, row.AchievedPerformance, row.LogLoss)
	}
}

func TestProgressRestoresUnwrittenRows(t *testing.T) {
	t.Parallel()
	b := newProgressRecorder([]*store.Training{{Key: "k", Algorithm: "BSIX01", Status: api.TrainingRunning}})
	b.record(learn.Event{Algorithm: "BSIX01", Status: learn.NotCompleted, Performance: 0.5, Step: 1})
	failed := b.takeChanged()
	if len(b.takeChanged()) != 0 {
		t.Error("what is taken is due still")
	}
	b.markChanged(failed)
	again := b.takeChanged()
	if len(again) != 1 || again[0].row.Status != api.TrainingNotCompleted {
		t.Errorf("due after a failure: %+v", again)
	}
}

// TestProgressAfterUnknownCommit loses the response to a commit that has succeeded. Later changes of
// all runs must still be written.
func TestProgressAfterUnknownCommit(t *testing.T) {
	t.Parallel()
	ctx, now := t.Context(), time.Now()
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "foretell.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	row := func(key, parent string, position int, algorithm string) *store.Training {
		return &store.Training{
			Key: key, Parent: parent, Position: position, Algorithm: algorithm, Account: "a", Dataset: "d",
			Status: api.TrainingRunning, Metric: api.MetricAccuracy, Created: now,
		}
	}
	race, one, two := row("race", "", 0, ""), row("r1", "race", 1, "BSIX01"), row("r2", "race", 2, "BFIF01")
	err = db.Write(ctx, func(tx *store.Tx) error {
		for _, insert := range []func() error{
			func() error { return tx.InsertAccount(ctx, &store.Account{Key: "a", Email: "a@b", Created: now}) },
			func() error {
				return tx.InsertDataset(ctx, &store.Dataset{Key: "d", Account: "a", Name: "shop", Status: api.DatasetCompleted, Created: now, Updated: now})
			},
			func() error { return tx.InsertTraining(ctx, race) },
			func() error { return tx.InsertTraining(ctx, one) },
			func() error { return tx.InsertTraining(ctx, two) },
			func() error {
				return tx.InsertJob(ctx, &store.Job{Key: "j", Account: "a", Kind: "train", Subject: "race", Created: now})
			},
		} {
			if err := insert(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ClaimJob(ctx, store.JobClaim{Kind: "train", Now: now, Until: now.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	log := slog.New(slog.NewTextHandler(io.MultiWriter(t.Output(), &lines), nil))
	tr := &Trainer{store: db, now: time.Now, log: log, queue: jobqueue.New(jobqueue.Config{Store: db, Now: time.Now, Log: log})}
	p := newProgressRecorder([]*store.Training{one, two})
	p.record(learn.Event{Algorithm: "BSIX01", Status: learn.Completed, Performance: 0.5, BestPerformance: 0.5, Step: 1})
	changed := p.takeChanged()
	if err := db.Write(ctx, func(tx *store.Tx) error { return tx.UpdateTraining(ctx, &changed[0].row, api.TrainingRunning) }); err != nil {
		t.Fatal(err)
	}
	p.markChanged(changed)
	for step := 1; step <= 3; step++ {
		p.record(learn.Event{Algorithm: "BFIF01", Status: learn.Running, Performance: 0.6, BestPerformance: 0.6, Step: step})
		tr.writeProgress(ctx, &job.Job{Key: "j", Subject: "race"}, p)
	}
	p.record(learn.Event{Algorithm: "BFIF01", Status: learn.Running, Performance: 0.6, BestPerformance: 0.6, Step: 4})
	tr.writeProgress(ctx, &job.Job{Key: "without a lease", Subject: "race"}, p) // as after the account was disabled
	if lines.Len() > 0 || len(p.takeChanged()) > 0 {
		t.Errorf("the progress without a lease is written again: %s", lines.String())
	}
	err = db.Read(ctx, func(tx *store.Tx) error {
		r, err := tx.GetTraining(ctx, "a", "r2")
		if err == nil && len(r.Curve) != 3 {
			t.Errorf("%d of 3 scores of the other run are in the store", len(r.Curve))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
