package store

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/testenv"
)

// suite is the conformance suite that every database must pass.
type suite struct {
	*Store
	// open opens the same database as another process would.
	open func(t *testing.T) *Store
}

// kill ends the registration of the process other, as if it had ended, and waits until the suite's
// own process notices this. The test must not use other afterwards.
func (s suite) kill(t *testing.T, other *Store) {
	t.Helper()
	if err := other.db.Processes.Release(); err != nil {
		t.Fatal(err)
	}
	name := other.ProcessName()
	other.db.Processes = nil
	for s.IsProcessAlive(name) { // with PostgreSQL, until the next heartbeat
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// exercise runs the conformance suite. create must return a function that opens an empty database.
// Each call of this function opens the same database.
func exercise(t *testing.T, create func(t *testing.T) (open func(t *testing.T) *Store)) {
	t.Helper()
	begin := func(t *testing.T) suite {
		t.Helper()
		open := create(t)
		return suite{open(t), open}
	}
	t.Run("one database", func(t *testing.T) { // each part continues with the rows of those before
		t.Parallel()
		s := begin(t)
		s.fill(t)
		t.Run("accounts", s.accounts)
		t.Run("datasets", s.datasets)
		t.Run("trainings", s.trainings)
		t.Run("files", s.files)
		t.Run("models", s.models)
		t.Run("jobs", s.jobs)
		t.Run("texts", s.texts)
		t.Run("deletes", s.deletes)
	})
	t.Run("series", begin(t).series)
	t.Run("plans", begin(t).plans)
	t.Run("lists omit large columns", begin(t).listsOmitLargeColumns)
	t.Run("distant pages", begin(t).distantPages)
	t.Run("secrets", begin(t).secrets)
	t.Run("workers", begin(t).workers)
	t.Run("cancelled writes", begin(t).cancelledWrites)
	t.Run("order of claims", begin(t).claimOrder)
	t.Run("claims beside a deletion", begin(t).claimBesideDeletion)
	t.Run("job counts", begin(t).jobCounts)
	t.Run("claims after an upgrade", begin(t).claimAfterUpgrade)
	t.Run("notifications", begin(t).notifications)
	t.Run("leases after an outage", begin(t).leasesAfterOutage)
	t.Run("leases after the clock was set", begin(t).leasesAfterClockWasSet)
	t.Run("parts of a queued race", begin(t).partsOfQueuedRace)
	t.Run("races with a deadline", begin(t).racesWithDeadline)
	t.Run("administration", begin(t).administration)
	t.Run("sessions", begin(t).sessions)
	t.Run("expired", begin(t).expired)
	t.Run("expired and used again", begin(t).expiredUse)
	t.Run("expired with many predictions", begin(t).expiredBatch)
	t.Run("expired and used since", begin(t).expiredAndUsedSince)
	t.Run("deleted queue", begin(t).deletedQueue)
	t.Run("expired champions", begin(t).expiredChampions)
	t.Run("expired newest model", begin(t).expiredNewest)
	t.Run("expired series", begin(t).expiredSeries)
	t.Run("access requests", begin(t).accessRequests)
	t.Run("one-time links", begin(t).links)
	t.Run("attempts", begin(t).attempts)
	t.Run("outbox", begin(t).outbox)
	t.Run("audit events", begin(t).auditEvents)
	t.Run("audit events after another", begin(t).auditEventsAfter)
	t.Run("expired after a deletion", begin(t).expiredAfterDeletion)
	t.Run("audit events are protected", begin(t).auditEventsAreProtected)
	t.Run("after a commit", begin(t).afterCommit)
}

func TestMain(m *testing.M) {
	recountBatchSize = 1
	renewalWait = 200 * time.Millisecond
	m.Run()
}

func TestSQLite(t *testing.T) {
	exercise(t, func(t *testing.T) func(t *testing.T) *Store {
		t.Helper()
		path := filepath.Join(t.TempDir(), "a folder?#%", "rows.db")
		return func(t *testing.T) *Store {
			t.Helper()
			return openStore(t, path)
		}
	})
}

// TestPostgres runs the conformance suite in schemas of its own.
func TestPostgres(t *testing.T) {
	testenv.Postgres(t) // skips the whole test if there is no PostgreSQL
	exercise(t, func(t *testing.T) func(t *testing.T) *Store {
		t.Helper()
		address := testenv.Postgres(t)
		return func(t *testing.T) *Store {
			t.Helper()
			return openStore(t, address)
		}
	})
}

// openStore opens a database for the duration of the test.
func openStore(t *testing.T, location string) *Store {
	t.Helper()
	s, err := Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// secrets checks that all processes get the secret and the identity of the folder that the first
// process has stored, and the secret that replaces it.
func (s suite) secrets(t *testing.T) {
	other := s.open(t)
	for i, from := range []*Store{s.Store, other, s.Store} {
		value := strconv.Itoa(i)
		secret, err := from.GetOrInsertSecret(t.Context(), &Secret{Name: "name", Value: value, Algorithm: "a" + value, Created: at(i)})
		if diff := cmp.Diff(&Secret{Name: "name", Value: "0", Algorithm: "a0", Created: at(0)}, secret, sharedClock); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
		folder, err := from.CompareAndSwapFolderID(t.Context(), "", value)
		if err != nil || folder != "0" {
			t.Errorf("folder %q, %v", folder, err)
		}
	}
	if secret, err := other.GetOrInsertSecret(t.Context(), &Secret{Name: "another name", Value: "x"}); err != nil || secret.Value != "x" {
		t.Errorf("secret of another name %+v, %v", secret, err)
	}
	fresh := &Secret{Name: "name", Value: "fresh", Algorithm: "b", Created: at(9)}
	write(t, s.Store, func(tx *Tx) error { return tx.ReplaceSecret(t.Context(), fresh) })
	read(t, other, func(tx *Tx) error {
		secret, err := tx.GetSecret(t.Context(), "name")
		if diff := cmp.Diff(fresh, secret, sharedClock); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		_, missing := tx.GetSecret(t.Context(), "unknown")
		wantErr(t, missing, ErrNotFound)
		return err
	})
	wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return tx.ReplaceSecret(t.Context(), &Secret{Name: "unknown"}) }), ErrNotFound)
}

// at returns the time n seconds after the start of the test.
func at(n int) time.Time {
	return time.UnixMicro(1_800_000_000_123_456).UTC().Add(time.Duration(n) * time.Second)
}

func write(t testing.TB, s *Store, fn func(tx *Tx) error) {
	t.Helper()
	if err := s.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("error %v, want %v", got, want)
	}
}

// fill inserts two accounts: ann with the datasets d1, d2 and d3, and bob without rows. d1 has the
// race t1 with the runs t1a and t1b, the model m1 and the prediction p1.
func (s suite) fill(t *testing.T) {
	t.Helper()
	write(t, s.Store, func(tx *Tx) error {
		var errs []error
		for i, name := range []string{"ann", "bob"} {
			errs = append(errs, tx.InsertAccount(t.Context(), &Account{Key: name, Email: name + "@example.com", Created: at(i)}))
		}
		for i, key := range []string{"d1", "d2", "d3"} {
			errs = append(errs, tx.InsertDataset(t.Context(), &Dataset{
				Key: key, Account: "ann", Name: "name of " + key, Status: api.DatasetPending, Buckets: 64, Created: at(i), Updated: at(i),
			}))
		}
		race := Training{
			Key: "t1", Account: "ann", Dataset: "d1", Status: api.TrainingPending, ScalingFactor: 8, Threshold: new(0.9),
			Metric: api.MetricAccuracy, TimeLimitSeconds: 60, Seed: 1 << 62, Created: at(3),
		}
		errs = append(errs, tx.InsertTraining(t.Context(), &race))
		for i, key := range []string{"t1a", "t1b"} {
			child := race
			child.Key, child.Parent, child.Position, child.Algorithm = key, "t1", i+1, "A"+strconv.Itoa(i)
			errs = append(errs, tx.InsertTraining(t.Context(), &child))
		}
		errs = append(errs, tx.InsertModel(t.Context(), &Model{
			Key: "m1", Account: "ann", Dataset: "d1", Training: "t1", Algorithm: "A1", AchievedPerformance: new(0.8), File: File{Blob: "model-1", Bytes: 7, SHA256: "m1"}, Report: []byte("{}"), TestInterval: &api.Interval{Low: 0.7, High: 0.9}, Created: at(4),
		}), tx.InsertPrediction(t.Context(), &Prediction{
			Key: "p1", Account: "ann", Dataset: "d1", Model: "m1", Status: api.PredictionPending, Blind: File{Blob: "blind-1", Bytes: 9, SHA256: "b1"}, Created: at(5), Updated: at(5),
		}))
		return errors.Join(errs...)
	})
}

// cancelledWrites checks that Write returns nil if and only if it has committed the transaction, no
// matter when its context ends.
func (s suite) cancelledWrites(t *testing.T) {
	for i := range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		name := strconv.Itoa(i)
		err := s.Write(ctx, func(tx *Tx) error {
			err := tx.UpsertWorker(ctx, &Worker{Process: name})
			if i%2 == 0 {
				cancel()
			} else {
				go cancel() // during the commit
			}
			return err
		})
		cancel()
		var workers []string
		read(t, s.Store, func(tx *Tx) (err error) {
			workers, err = tx.queryNonEmptyStrings(t.Context(), "SELECT process FROM worker")
			return err
		})
		if stored := slices.Contains(workers, name); stored != (err == nil) {
			t.Errorf("round %d: stored %v, error %v", i, stored, err)
		}
	}
}
