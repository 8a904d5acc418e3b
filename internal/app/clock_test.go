package app_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// testClock is the clock of a machine. Setting the clock does not change the monotonic readings of
// its times.
type testClock struct{ offset atomic.Int64 }

func (c *testClock) set(offset time.Duration) { c.offset.Store(int64(offset)) }

// now returns a time with the wall clock of testClock and the monotonic reading of time.Now.
// Package time has no function for this, so now changes the seconds inside the time.Time.
func (c *testClock) now() time.Time {
	now := time.Now()
	type layout struct {
		wall uint64 // a flag, 33 bits of seconds, 30 bits of nanoseconds
		ext  int64
		loc  *time.Location
	}
	(*layout)(unsafe.Pointer(&now)).wall += uint64(c.offset.Load()/int64(time.Second)) << 30
	return now
}

// TestClock checks that the times of testClock.now have the set wall clock and the monotonic
// reading of time.Now.
func TestClock(t *testing.T) {
	var c testClock
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		before := c.now()
		c.set(jump)
		after := c.now()
		wall, monotonic := after.Round(0).Sub(before.Round(0)), after.Sub(before)
		if (wall-jump).Abs() > time.Minute || monotonic < 0 || monotonic > time.Minute {
			t.Errorf("after a jump of %s the wall clock has moved by %s and the monotonic clock by %s", jump, wall, monotonic)
		}
		c.set(0)
	}
}

// TestClockIsSet sets the clock of a machine while two workers run races and another race
// waits with a deadline.
func TestClockIsSet(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	for name, database := range map[string]func(testing.TB) string{
		"SQLite":     func(testing.TB) string { return "" },
		"PostgreSQL": testenv.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testClockIsSet(t, database(t))
		})
	}
}

func testClockIsSet(t *testing.T, database string) {
	t.Helper()
	var log safeLog
	var clock testClock
	dir := t.TempDir()
	open := func() *testApp {
		b, closeAll, err := openIn(t.Context(), dir, appOptions{log: &log, now: clock.now, database: database})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(closeAll)
		return b
	}
	first, second := open(), open()
	first.work(t)
	second.work(t)
	dataset := first.prepared(t, "flowers", noisy(100_000)).DatasetKey
	long := newRace(dataset, 1)
	long.Body.Algorithms, long.Body.ScalingFactor = []string{"BSEV01", "BFIF01"}, 0
	long.Body.TimeLimitSeconds = new(3600)
	get := func(key string) *api.Training {
		t.Helper()
		return must(first.GetTraining(first.ctx, &api.TrainingInput{TrainingJobKey: key}))(t)
	}
	begin := func() *api.Training {
		t.Helper()
		key := must(first.CreateTraining(first.ctx, long))(t).TrainingJobKey
		return eventually(t, func() (*api.Training, error) { return get(key), nil }, func(r *api.Training) bool { return r.Status == api.TrainingRunning })
	}
	races := []*api.Training{begin(), begin()}
	short := newRace(dataset, 0)
	short.Body.Algorithms, short.Body.FinishWithinSeconds = []string{"BSIX01"}, new(600.0)
	queued := must(first.CreateTraining(first.ctx, short))(t).TrainingJobKey
	driver := "pgx"
	if database == "" {
		driver, database = "sqlite", filepath.Join(dir, "foretell.db")
	}
	db := must(sql.Open(driver, database))(t)
	t.Cleanup(func() { _ = db.Close() })
	third := must(store.Open(t.Context(), database))(t)
	t.Cleanup(func() { _ = third.Close() })
	// The process third checks all leases once in each leaseCheckInterval, because
	// EndExpiredLeases does nothing if it is called earlier. A lease that has not changed in
	// four checks has lasted for the timeout.
	const leaseCheckInterval = 5 * time.Second
	checks := 0
	check := func(when string) {
		t.Helper()
		checks++
		now := clock.now().Add(time.Duration(checks) * leaseCheckInterval)
		if err := third.EndExpiredLeases(t.Context(), store.LeaseCheck{Now: now, Timeout: 3 * leaseCheckInterval}); err != nil {
			t.Fatal(err)
		}
		waiting, running := get(queued), 0
		for _, before := range races {
			r := get(before.TrainingJobKey)
			if r.Status == api.TrainingRunning {
				running++
			}
			if r.StartedOn != before.StartedOn || r.Status == api.TrainingFailed || r.Interrupted {
				t.Errorf("%s a race is %s since %s, before since %s", when, r.Status, r.StartedOn, before.StartedOn)
			}
		}
		// On a busy machine a race may have ended. The queued race then begins.
		if waiting.Interrupted || waiting.Status != api.TrainingPending && running == len(races) {
			t.Errorf("%s the queued race is %s, %s", when, waiting.Status, waiting.FailureReason)
		}
	}
	waitForHeartbeats(t, db) // in this time, the workers see the queued race
	check("before the clock is set")
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		clock.set(jump)
		check("right after the clock was set by " + jump.String())
		if d := second.prepared(t, "later "+jump.String(), labelled(100)); d.Status != api.DatasetCompleted {
			t.Errorf("a dataset is %s after the clock was set by %s", d.Status, jump)
		}
		waitForHeartbeats(t, db)
		check("after the clock was set by " + jump.String())
	}
	for _, r := range races {
		_, err := first.CancelTraining(first.ctx, &api.TrainingInput{TrainingJobKey: r.TrainingJobKey})
		if err != nil && api.CodeFromError(err) != api.CodeWrongState { // it may just have ended
			t.Error(err)
		}
	}
	if r := first.awaitTraining(t, queued); r.Status != api.TrainingCompleted {
		t.Errorf("the queued race is %s, %s", r.Status, r.FailureReason)
	}
	if log.count("lost its lease") > 0 || strings.Contains(log.b.String(), "attempt=2") {
		t.Error("a lease was lost:\n" + log.b.String())
	}
}

// waitForHeartbeats waits until each lease has been renewed or has ended.
func waitForHeartbeats(t *testing.T, db *sql.DB) {
	t.Helper()
	before := leases(t, db)
	eventually(t, func() (map[string]int64, error) { return leases(t, db), nil }, func(now map[string]int64) bool {
		for key, until := range before {
			if renewed, ok := now[key]; ok && renewed == until {
				return false
			}
		}
		return true
	})
}

// leases returns the ends of all leases by the keys of their jobs.
func leases(t *testing.T, db *sql.DB) map[string]int64 {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT key, until FROM job WHERE owner <> ''")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	ends := map[string]int64{}
	for rows.Next() {
		var key string
		var until int64
		if err := rows.Scan(&key, &until); err != nil {
			t.Fatal(err)
		}
		ends[key] = until
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return ends
}
