package store

import (
	"slices"
	"testing"

	"foretell/internal/api"
)

// expired checks that a dataset, race or prediction with a queued or running job does not expire,
// however old it is.
func (s suite) expired(t *testing.T) {
	write(t, s.Store, func(tx *Tx) error {
		return tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)})
	})
	for _, status := range []string{api.PredictionPending, api.PredictionRunning, api.PredictionCompleted} { // of the prediction; its model, race and dataset are COMPLETED
		write(t, s.Store, func(tx *Tx) error {
			key := "of " + status
			if err := tx.InsertDataset(t.Context(), &Dataset{Key: key, Account: "ann", Name: key, Status: api.DatasetCompleted, Created: at(0), Updated: at(0)}); err != nil {
				return err
			}
			race := &Training{Key: key, Account: "ann", Dataset: key, Status: api.TrainingCompleted, Created: at(0)}
			if err := tx.InsertTraining(t.Context(), race); err != nil {
				return err
			}
			if err := tx.InsertModel(t.Context(), &Model{Key: key, Account: "ann", Dataset: key, Training: key, File: File{Blob: key}, Created: at(0)}); err != nil {
				return err
			}
			return tx.InsertPrediction(t.Context(), &Prediction{Key: key, Account: "ann", Dataset: key, Model: key, Status: status, Created: at(0), Updated: at(0)})
		})
	}
	write(t, s.Store, func(tx *Tx) error {
		return tx.InsertDataset(t.Context(), &Dataset{Key: "queued", Account: "ann", Name: "queued", Status: api.DatasetProcessing, Created: at(0), Updated: at(0)})
	})
	read(t, s.Store, func(tx *Tx) error {
		for _, kind := range []string{"prediction", "training", "dataset"} {
			keys, err := tx.ListExpired(t.Context(), kind, at(9), 9)
			if err != nil {
				return err
			}
			if want := []string{"of " + api.PredictionCompleted}; !slices.Equal(keys, want) {
				t.Errorf("of the rows of %s, %q have expired, want %q", kind, keys, want)
			}
		}
		return nil
	})
}
