package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/store"
)

// TestDeletionOfUsedRow checks that the predictions of a race are kept if a client predicts with its model
// after it was found to have expired, and before the first predictions are deleted.
func TestDeletionOfUsedRow(t *testing.T) {
	t.Parallel()
	ctx, dir, old := t.Context(), t.TempDir(), time.Now().Add(-48*time.Hour)
	s, err := store.Open(ctx, filepath.Join(dir, "foretell.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	blobs, err := blob.OpenFolder(filepath.Join(dir, "blobs"), s.ProcessName())
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(Config{Store: s, Blobs: blobs, TempDir: dir, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	insert := func(tx *store.Tx, key, status string, at time.Time) error {
		return tx.InsertPrediction(ctx, &store.Prediction{Key: key, Account: "ann", Dataset: "d", Model: "m", Status: status, Created: at, Updated: at})
	}
	err = s.Write(ctx, func(tx *store.Tx) error {
		m := store.Model{Key: "m", Account: "ann", Dataset: "d", Training: "t", Created: old}
		err := errors.Join(tx.InsertAccount(ctx, &store.Account{Key: "ann", Email: "ann", Created: old}),
			tx.InsertDataset(ctx, &store.Dataset{Key: "d", Account: "ann", Name: "d", Status: api.DatasetCompleted, Created: old, Updated: old}),
			tx.InsertTraining(ctx, &store.Training{Key: "t", Account: "ann", Dataset: "d", Status: api.TrainingCompleted, Created: old}),
			tx.InsertModel(ctx, &m), tx.SetModelState(ctx, &m, api.ModelRejected)) // champions do not expire
		for i := range 2 * predictionBatchSize {
			err = errors.Join(err, insert(tx, fmt.Sprint(i), api.PredictionCompleted, old))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	q := store.ExpiredQuery{Kind: "training", Before: old.Add(time.Hour), Limit: 1}
	d := a.expiredPredictions(ctx, q, "t")
	check := d.check
	d.check = func(tx *store.Tx, begun bool) (bool, error) {
		ok, err := check(tx, begun)
		if !ok {
			t.Error("the race has not expired")
		}
		return ok, errors.Join(err, s.Write(ctx, func(tx *store.Tx) error { return insert(tx, "new", api.PredictionPending, time.Now()) }))
	}
	if begun, err := a.deletePredictionBatches(ctx, d); begun || err != nil {
		t.Errorf("the deletion has begun: %t, %v", begun, err)
	}
	err = s.Read(ctx, func(tx *store.Tx) error {
		_, total, err := tx.ListPredictions(ctx, store.PredictionQuery{Model: "m", Page: store.Page{Limit: 1}})
		events, errEvents := tx.ListAuditEvents(ctx, store.AuditQuery{}, nil, store.Page{Limit: 1})
		if total != 2*predictionBatchSize+1 || len(events) != 0 {
			t.Errorf("%d predictions and %d audit events are left", total, len(events))
		}
		return errors.Join(err, errEvents)
	})
	if err != nil {
		t.Error(err)
	}
}
