package app_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/store"
)

// TestRetentionAfterFailure checks that a row that cannot be deleted does not prevent the deletion of
// the rows after it.
func TestRetentionAfterFailure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var log safeLog
	b, closeAll, err := openIn(t.Context(), dir, appOptions{log: &log, now: func() time.Time { return time.Now().Add(-48 * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, name := range []string{"flowers", "irises", "roses"} {
		keys = append(keys, b.create(t, name).DatasetKey)
	}
	closeAll()
	b.execSQL(t, "CREATE TRIGGER kept BEFORE DELETE ON dataset WHEN OLD.key = '"+keys[0]+"' BEGIN SELECT RAISE(ABORT, 'kept'); END")
	b, closeAll, err = openIn(t.Context(), dir, appOptions{log: &log, now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.EnforceRetention(ctx, app.Retention{Datasets: 24 * time.Hour})
	}()
	eventually(t, func() (int, error) { return log.count("cannot delete all expired data"), nil }, func(n int) bool { return n > 0 })
	stop()
	<-ended
	for i, key := range keys {
		_, err := b.GetDataset(b.ctx, &api.DatasetInput{DatasetKey: key})
		if kept := err == nil; kept != (i == 0) {
			t.Errorf("dataset %d is kept: %v (%v)", i, kept, err)
		}
	}
	if log.count("dataset "+keys[0]+": ") != 1 || log.count("number=2") != 1 {
		t.Errorf("the log does not name the dataset %s:\n%s", keys[0], log.b.String())
	}
}

// TestRegistrationIsRepeated checks that a worker on a data folder registers itself as soon as it can,
// although the first attempt fails.
func TestRegistrationIsRepeated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var log safeLog
	b, closeAll, err := openIn(t.Context(), dir, appOptions{log: &log, now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	b.execSQL(t, "CREATE TRIGGER refused BEFORE INSERT ON worker BEGIN SELECT RAISE(ABORT, 'refused'); END")
	b.work(t)
	eventually(t, func() (int, error) { return log.count("cannot update the registration of the worker"), nil }, func(n int) bool { return n > 0 })
	b.execSQL(t, "DROP TRIGGER refused")
	rows := must(store.Open(t.Context(), filepath.Join(dir, "foretell.db")))(t)
	t.Cleanup(func() { _ = rows.Close() })
	eventually(t, func() (n int, err error) {
		err = rows.Read(t.Context(), func(tx *store.Tx) error {
			workers, err := tx.ListWorkers(t.Context())
			n = len(workers)
			return err
		})
		return n, err
	}, func(n int) bool { return n == 1 })
}
