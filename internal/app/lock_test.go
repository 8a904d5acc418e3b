package app_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"foretell/internal/api"
)

// TestLockedDatabase holds the lock of the SQLite database while a race ends, for longer than a
// statement waits for the lock. The model must be stored when the lock is free again.
func TestLockedDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("statements wait ten seconds for the lock")
	}
	t.Parallel()
	dir, log := t.TempDir(), &safeLog{}
	b, closeAll, err := openIn(t.Context(), dir, appOptions{log: log, now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	b.work(t)
	race := newRace(b.prepared(t, "flowers", noisy(20_000)).DatasetKey, 1)
	race.Body.Algorithms, race.Body.ScalingFactor, race.Body.TimeLimitSeconds = []string{"BSEV01", "BFIF01"}, 0, new(10)
	key := must(b.CreateTraining(b.ctx, race))(t).TrainingJobKey
	eventually(t, func() (*api.TrainingProgress, error) {
		return b.GetTrainingProgress(b.ctx, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: key}})
	}, func(p *api.TrainingProgress) bool {
		return len(p.Jobs[0].RecentPerformances)+len(p.Jobs[1].RecentPerformances) > 0
	})

	db := must(sql.Open("sqlite", filepath.Join(dir, "foretell.db")))(t)
	defer func() { _ = db.Close() }()
	lock := must(db.Conn(t.Context()))(t)
	for _, statement := range []string{"PRAGMA busy_timeout = 10000", "BEGIN IMMEDIATE"} {
		must(lock.ExecContext(t.Context(), statement))(t)
	}
	eventually(t, func() (int, error) { return log.count("storing the result of a job") + log.count("job fails"), nil }, func(n int) bool { return n > 0 })
	must(lock.ExecContext(t.Context(), "ROLLBACK"))(t)
	if r := b.awaitTraining(t, key); r.ModelKey == "" {
		t.Errorf("the race is %s without a model: %s", r.Status, r.FailureReason)
	}
}
