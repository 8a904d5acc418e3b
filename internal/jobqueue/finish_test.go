package jobqueue

import (
	"crypto/rand"
	"database/sql"
	"log/slog"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// TestFinishWithoutResponse breaks the connection to the database while it commits the end of a job.
// Finish must find out that the transaction was committed, and count the job.
func TestFinishWithoutResponse(t *testing.T) {
	t.Parallel()
	ctx, now, address := t.Context(), time.Now(), testenv.Postgres(t)
	relay, through := testenv.StartRelay(t, address)
	rows, err := store.Open(ctx, through)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rows.Close() })
	q := New(Config{Store: rows, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	dataset := &store.Dataset{Key: "d", Account: "a", Name: "numbers", Status: api.DatasetProcessing, Created: now, Updated: now}
	err = rows.Write(ctx, func(tx *store.Tx) error {
		if err := tx.InsertAccount(ctx, &store.Account{Key: "a", Email: "a@b", Created: now}); err != nil {
			return err
		}
		if err := tx.InsertDataset(ctx, dataset); err != nil {
			return err
		}
		return q.Insert(ctx, tx, &store.Job{Account: "a", Kind: Prepare, Subject: "d"})
	})
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := rows.ClaimJob(ctx, store.JobClaim{Kind: Prepare, Now: now, Until: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}

	// The commit waits for a lock that this test holds.
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`CREATE FUNCTION wait_in_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			PERFORM pg_advisory_xact_lock(hashtext(current_schema())); RETURN NULL; END $$`,
		"CREATE CONSTRAINT TRIGGER wait_in_commit AFTER DELETE ON job DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_in_commit()",
		"SELECT pg_advisory_lock(hashtext(current_schema()))",
	} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	await := func(condition string) {
		t.Helper()
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for met := false; !met; <-tick.C {
			if err := db.QueryRowContext(ctx, "SELECT "+condition).Scan(&met); err != nil {
				t.Fatal(err)
			}
		}
	}
	done := make(chan error, 1)
	j := &job.Job{Key: claimed.Key, Account: "a", Kind: Prepare, Subject: "d", Begun: now}
	go func() {
		prepared := *dataset
		prepared.Status = api.DatasetCompleted
		done <- q.Finish(ctx, j, prepared.Status, func(tx *store.Tx) error { return tx.UpdateDataset(ctx, &prepared, api.DatasetProcessing) })
	}()
	await("EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid::bigint = hashtext(current_schema())::bigint & 4294967295)")
	relay.SetMode(testenv.Refusing)
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock(hashtext(current_schema()))"); err != nil {
		t.Fatal(err)
	}
	await("NOT EXISTS (SELECT 1 FROM job)")
	relay.SetMode(testenv.Forwarding)
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, f := range q.Finished() {
		if f.Kind == Prepare && (f.ByOutcome[api.DatasetCompleted] != 1 || f.Durations.Count != 1) {
			t.Errorf("the finished jobs are %+v", f)
		}
	}
	if j.Outcome != api.DatasetCompleted {
		t.Errorf("the outcome of the job is %q", j.Outcome)
	}
}
