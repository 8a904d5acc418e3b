package backup_test

import (
	"testing"

	"foretell/internal/store"
)

// TestRestoredJobsWait checks that the wait of a restored job does not include the age of the backup.
func TestRestoredJobsWait(t *testing.T) {
	t.Parallel()
	database, storage := backends["SQLite and files"](t)
	source := open(t, database, storage, 0)
	source.fill(t)
	err := source.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.InsertJob(t.Context(), &store.Job{Key: "j", Account: "ann", Kind: "prepare", Subject: "d0", Created: created})
	})
	if err != nil {
		t.Fatal(err)
	}
	archive, summary := source.write(t)
	database, storage = backends["SQLite and files"](t)
	target := open(t, database, storage, summary.Header.Schema)
	if _, err := target.restore(t, archive); err != nil {
		t.Fatal(err)
	}
	err = target.Store.Read(t.Context(), func(tx *store.Tx) error {
		counts, err := tx.CountJobs(t.Context())
		if len(counts) != 1 || counts[0].Queued != 1 || !counts[0].Oldest.Equal(restored) {
			t.Errorf("the queue has %+v, want a job that waits since %s", counts, restored)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
