package app_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/store"
	"foretell/internal/testenv"
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
	enforceRetention(t, b, app.Retention{Datasets: 24 * time.Hour}, func() bool { return log.count("cannot delete all expired data") > 0 })
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

// TestRetentionOfUsedModel checks that a model that was used two days ago is kept for 30 days, with its
// dataset, although the prediction is kept only for a day.
func TestRetentionOfUsedModel(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	b := open(t, t.TempDir())
	dataset, unused := b.create(t, "flowers").DatasetKey, b.create(t, "unused").DatasetKey
	insertPredictions(t, filepath.Join(b.dir, "foretell.db"), []string{dataset})
	used := fmt.Sprint(time.Now().Add(-2 * day).UnixMicro())
	b.execSQL(t, "UPDATE dataset SET status = '"+api.DatasetCompleted+"', created = 1, updated = 1")
	b.execSQL(t, "UPDATE prediction SET created = "+used+", updated = "+used)
	in := &api.DatasetInput{DatasetKey: dataset}
	enforceRetention(t, b, app.Retention{Predictions: day, Trainings: 30 * day, Datasets: 30 * day}, func() bool {
		_, err := b.GetDataset(b.ctx, &api.DatasetInput{DatasetKey: unused}) // datasets are deleted last
		return err != nil
	})
	_, err := b.GetPrediction(b.ctx, &api.PredictionInput{PredictionKey: dataset})
	wantCode(t, err, api.CodeNotFound)
	must(b.GetModel(b.ctx, &api.ModelInput{ModelKey: dataset}))(t)
	must(b.GetDataset(b.ctx, in))(t)
	enforceRetention(t, b, app.Retention{Trainings: day}, func() bool {
		_, err := b.GetModel(b.ctx, &api.ModelInput{ModelKey: dataset})
		return err != nil
	})
	enforceRetention(t, b, app.Retention{Datasets: day}, func() bool {
		_, err := b.GetDataset(b.ctx, in)
		return err != nil
	})
}

// TestRetentionWithSlowClock stores a dataset on a machine whose clock is two days behind the clock
// of the database server. A machine with the same clock as the server must not delete the dataset
// as two days old.
func TestRetentionWithSlowClock(t *testing.T) {
	t.Parallel()
	address, dir := testenv.Postgres(t), t.TempDir()
	db := must(sql.Open("pgx", address))(t)
	t.Cleanup(func() { _ = db.Close() })
	// The schema of the test precedes pg_catalog, so its function is the clock of the server.
	_, err := db.ExecContext(t.Context(), "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$SELECT pg_catalog.clock_timestamp() + interval '48 hours'$$")
	if err != nil {
		t.Fatal(err)
	}
	u := must(url.Parse(address))(t)
	query := u.Query()
	query.Set("search_path", query.Get("search_path")+",pg_catalog")
	u.RawQuery = query.Encode()
	openAs := func(now func() time.Time) *testApp {
		b, closeAll, err := openIn(t.Context(), dir, appOptions{log: io.Discard, now: now, database: u.String()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(closeAll)
		return b
	}
	slow, right := openAs(time.Now), openAs(func() time.Time { return time.Now().Add(48 * time.Hour) })
	kept, old := slow.create(t, "flowers").DatasetKey, slow.create(t, "old").DatasetKey
	if _, err := db.ExecContext(t.Context(), "UPDATE dataset SET updated = 1 WHERE key = $1", old); err != nil {
		t.Fatal(err)
	}
	enforceRetention(t, right, app.Retention{Datasets: 24 * time.Hour}, func() bool {
		_, err := right.GetDataset(right.ctx, &api.DatasetInput{DatasetKey: old})
		return err != nil
	})
	must(right.GetDataset(right.ctx, &api.DatasetInput{DatasetKey: kept}))(t)
}

// enforceRetention deletes what has expired until done returns true.
func enforceRetention(t *testing.T, b *testApp, r app.Retention, done func() bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.EnforceRetention(ctx, r)
	}()
	eventually(t, func() (bool, error) { return done(), nil }, func(done bool) bool { return done })
	stop()
	<-ended
}

// TestRetentionTransactions checks that each dataset with many predictions that has expired is deleted in a
// transaction of its own, that others are deleted if a transaction ends because the database does not respond, and that no
// more are deleted after three such transactions.
func TestRetentionTransactions(t *testing.T) {
	t.Parallel()
	address, dir := testenv.Postgres(t), t.TempDir()
	var log safeLog
	b, closeAll, err := openIn(t.Context(), dir, appOptions{log: &log, database: address, now: func() time.Time { return time.Now().Add(-48 * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"lost", "first", "second", "lost too", "lost again", "third", "lost 1", "lost 2", "lost 3", "not reached"}
	var keys []string
	for _, name := range names {
		keys = append(keys, b.create(t, name).DatasetKey)
	}
	closeAll()
	b, closeAll, err = openIn(t.Context(), dir, appOptions{log: &log, database: address, now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	db := must(sql.Open("pgx", address))(t)
	t.Cleanup(func() { _ = db.Close() })
	insertPredictions(t, address, keys)
	_, err = db.ExecContext(t.Context(), `INSERT INTO prediction (key, account, dataset, model, status, blind, created, updated)
			SELECT key || i, account, dataset, model, status, key || i, created, updated FROM prediction, generate_series(1, 60) i;
		CREATE TABLE deletion (transaction bigint);
		CREATE FUNCTION record_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF OLD.name LIKE 'lost%' THEN RAISE EXCEPTION USING ERRCODE = 'cannot_connect_now'; END IF;
			INSERT INTO deletion VALUES (txid_current());
			RETURN OLD;
		END $$;
		CREATE TRIGGER record_deletion BEFORE DELETE ON dataset FOR EACH ROW EXECUTE FUNCTION record_deletion()`)
	if err != nil {
		t.Fatal(err)
	}
	enforceRetention(t, b, app.Retention{Datasets: 24 * time.Hour}, func() bool { return log.count("cannot delete all expired data") > 0 })
	for i, key := range keys {
		_, err := b.GetDataset(b.ctx, &api.DatasetInput{DatasetKey: key})
		if kept, want := err == nil, strings.HasPrefix(names[i], "lost") || names[i] == "not reached"; kept != want {
			t.Errorf("dataset %q is kept: %v (%v)", names[i], kept, err)
		}
	}
	if log.count("; 5 more cannot be deleted either") != 1 {
		t.Errorf("the log does not have the number of failures:\n%s", log.b.String())
	}
	if _, err := db.ExecContext(t.Context(), "UPDATE dataset SET name = 'not ' || name"); err != nil {
		t.Fatal(err)
	}
	enforceRetention(t, b, app.Retention{Datasets: 24 * time.Hour}, func() bool { return log.count("number=7") > 0 })
	var transactions int
	if err := db.QueryRowContext(t.Context(), "SELECT count(DISTINCT transaction) FROM deletion").Scan(&transactions); err != nil || transactions != len(names) {
		t.Errorf("%d datasets are deleted in %d transactions (%v)", len(names), transactions, err)
	}
}

// insertPredictions inserts an expired prediction for each dataset, with a model that is not a champion.
func insertPredictions(t *testing.T, location string, datasets []string) {
	t.Helper()
	rows := must(store.Open(t.Context(), location))(t)
	defer func() { _ = rows.Close() }()
	err := rows.Write(t.Context(), func(tx *store.Tx) error {
		accounts, _, err := tx.ListAccounts(t.Context(), store.Page{Limit: 1})
		if err != nil {
			return err
		}
		account := accounts[0].Key
		for _, key := range datasets {
			m := &store.Model{Key: key, Account: account, Dataset: key, Training: key}
			err := errors.Join(
				tx.InsertTraining(t.Context(), &store.Training{Key: key, Account: account, Dataset: key, Status: api.TrainingCompleted}),
				tx.InsertModel(t.Context(), m), tx.SetModelState(t.Context(), m, api.ModelRejected),
				tx.InsertPrediction(t.Context(), &store.Prediction{Key: key, Account: account, Dataset: key, Model: key, Status: api.PredictionCompleted}))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
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
