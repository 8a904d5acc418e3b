package app_test

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// safeLog is a log that several goroutines write.
type safeLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// count returns the number of times that text is in the log.
func (l *safeLog) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

// distributableRace returns a race of all algorithms. If threshold is negative, the race has no
// threshold and only two algorithms; the first takes longer.
func distributableRace(dataset string, threshold float64) *api.CreateTrainingInput {
	in := newRace(dataset, threshold)
	in.Body.Algorithms, in.Body.TimeLimitSeconds = nil, nil
	if threshold < 0 {
		in.Body.PerformanceThreshold, in.Body.Algorithms = api.NewThreshold(nil), []string{"BSEV01", "BFIF01"}
	}
	return in
}

func (a *testApp) modelBytes(t *testing.T, r *api.Training) []byte {
	t.Helper()
	if r.ModelKey == "" {
		t.Fatalf("the race is %s, %s", r.Status, r.FailureReason)
	}
	file := must(a.DownloadModel(a.ctx, &api.ModelInput{ModelKey: r.ModelKey}))(t)
	defer func() { _ = file.Close() }()
	return must(io.ReadAll(file))(t)
}

// TestDistributedRace trains with two workers on PostgreSQL and compares the models with those
// that one process trains on SQLite. In the last race, a worker stops while it trains a part.
func TestDistributedRace(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	address, dir := testenv.Postgres(t), t.TempDir()
	csv := labelled(450) // the first part takes two seconds, and the second worker begins its part within 0.3 seconds
	one := open(t, t.TempDir())
	one.work(t)
	var log safeLog
	open := func() *testApp {
		b, closeAll, err := openIn(t.Context(), dir, appOptions{log: &log, now: time.Now, database: address, minDistributedCells: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(closeAll)
		return b
	}
	first, second := open(), open()
	first.work(t)
	single, shared := one.prepared(t, "flowers", csv), first.prepared(t, "flowers", csv)
	stopSecond := second.work(t)
	rows := must(store.Open(t.Context(), address))(t)
	defer func() { _ = rows.Close() }()
	eventually(t, func() (workers []*store.Worker, err error) {
		err = rows.Read(t.Context(), func(tx *store.Tx) error {
			workers, err = tx.ListWorkers(t.Context())
			return err
		})
		return workers, err
	}, func(workers []*store.Worker) bool { return len(workers) == 2 })

	races := func(threshold float64) (want, got *api.Training) {
		t.Helper()
		begun := must(first.CreateTraining(first.ctx, distributableRace(shared.DatasetKey, threshold)))(t)
		want = one.awaitTraining(t, must(one.CreateTraining(one.ctx, distributableRace(single.DatasetKey, threshold)))(t).TrainingJobKey)
		return want, first.awaitTraining(t, begun.TrainingJobKey)
	}
	compare := func(want, got *api.Training) {
		t.Helper()
		if !bytes.Equal(one.modelBytes(t, want), first.modelBytes(t, got)) {
			t.Errorf("the models differ, of %s %v and of %s %v", want.Status, want.AchievedPerformance, got.Status, got.AchievedPerformance)
		}
	}
	unlimited, got := races(-1)
	compare(unlimited, got)
	if log.count("race is distributed") != 1 || log.count(`msg="job ends"`) < 2 || log.count("kind=part") == 0 {
		t.Errorf("the race was not distributed: %s", log.b.String())
	}
	compare(races(0.9))

	parts := log.count("kind=part")
	begun := must(first.CreateTraining(first.ctx, distributableRace(shared.DatasetKey, -1)))(t)
	eventually(t, func() (int, error) { return log.count("kind=part"), nil }, func(n int) bool { return n > parts })
	stopSecond()
	compare(unlimited, first.awaitTraining(t, begun.TrainingJobKey))
	first.awaitFiles(t, 1+3) // the dataset and the models
}

// TestFewIdleWorkers checks that a race has no part for a worker with too little memory, and at
// most one part for each other worker, also while a race of a disabled account is queued. If no
// worker claims a part, the worker of the race takes the part back before it has trained its own
// algorithms.
func TestFewIdleWorkers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	var log safeLog
	address := testenv.Postgres(t)
	b, closeAll, err := openIn(t.Context(), t.TempDir(), appOptions{log: &log, now: time.Now, database: address, minDistributedCells: 1, partClaimTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	ann := b.as(t, "ann@example.com")
	stop := b.work(t)
	paused := must(ann.CreateTraining(ann.ctx, distributableRace(ann.prepared(t, "flowers", labelled(300)).DatasetKey, -1)))(t)
	ann.awaitTraining(t, paused.TrainingJobKey)
	stop()
	must(ann.CreateTraining(ann.ctx, distributableRace(paused.DatasetKey, -1)))(t)
	must(b.DisableAccount(t.Context(), b.account(t, "ann@example.com")))(t)

	b.work(t)
	idle := must(store.Open(t.Context(), address))(t) // a worker that claims nothing
	defer func() { _ = idle.Close() }()
	register := func(memory int64) {
		t.Helper()
		err := idle.Write(t.Context(), func(tx *store.Tx) error {
			return tx.UpsertWorker(t.Context(), &store.Worker{Process: idle.ProcessName(), Memory: memory})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	register(1)
	small := distributableRace(b.prepared(t, "flowers", labelled(300)).DatasetKey, 0.5)
	if r := b.awaitTraining(t, must(b.CreateTraining(b.ctx, small))(t).TrainingJobKey); r.Status != api.TrainingCompleted || log.count("race is distributed") > 0 {
		t.Errorf("the race is %s; its worker logs %s", r.Status, log.b.String())
	}

	register(0)
	large := distributableRace(b.prepared(t, "trees", labelled(20_000)).DatasetKey, 0.5)
	large.Body.PerformanceThreshold = api.NewThreshold(nil)
	key := must(b.CreateTraining(b.ctx, large))(t).TrainingJobKey
	parts := func() (n int, err error) {
		err = idle.Read(t.Context(), func(tx *store.Tx) error {
			n, err = tx.CountQueuedJobs(t.Context(), "part")
			return err
		})
		return n, err
	}
	eventually(t, parts, func(n int) bool { return n > 0 })
	if log.count("race is distributed") != 1 || log.count("parts=[BFIF01]") != 1 {
		t.Errorf("the worker of the race logs %s", log.b.String())
	}
	eventually(t, parts, func(n int) bool { return n == 0 })
	runs := must(b.GetTrainingProgress(b.ctx, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: key}}))(t).Jobs
	if first := runs[0]; first.Status != api.TrainingRunning {
		t.Errorf("before the part is taken back, %s is %s", first.Algorithm, first.Status)
	}
}

// TestWorkerRegistersAgain deletes the registration of a live worker, as a process does that considers the
// worker dead. The worker must register again before a race could fail because no worker has enough memory.
func TestWorkerRegistersAgain(t *testing.T) {
	t.Parallel()
	address := testenv.Postgres(t)
	b, closeAll, err := openIn(t.Context(), t.TempDir(), appOptions{log: io.Discard, now: time.Now, database: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	b.work(t)
	other := must(store.Open(t.Context(), address))(t)
	defer func() { _ = other.Close() }()
	list := func() (workers []*store.Worker, err error) {
		err = other.Read(t.Context(), func(tx *store.Tx) error {
			workers, err = tx.ListWorkers(t.Context())
			return err
		})
		return workers, err
	}
	registered := eventually(t, list, func(workers []*store.Worker) bool { return len(workers) == 1 })
	err = other.Write(t.Context(), func(tx *store.Tx) error { return tx.DeleteWorker(t.Context(), registered[0].Process) })
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	eventually(t, list, func(workers []*store.Worker) bool { return len(workers) == 1 })
	if took := time.Since(began); took > 25*time.Second {
		t.Errorf("it registered again after %s", took)
	}
}

// TestDistributedRaceBeginsAgain begins a race whose earlier attempt ended long ago, as after
// the death of its worker or the restore of a backup. The parts of the earlier attempt must not
// be used, because the time limit of that attempt has ended.
func TestDistributedRaceBeginsAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	var log safeLog
	address := testenv.Postgres(t)
	b, closeAll, err := openIn(t.Context(), t.TempDir(), appOptions{log: &log, now: time.Now, database: address, minDistributedCells: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	stop := b.work(t)
	dataset := b.prepared(t, "flowers", labelled(300)).DatasetKey
	stop()
	in := distributableRace(dataset, -1)
	in.Body.FinishWithinSeconds = new(60.0)
	key := must(b.CreateTraining(b.ctx, in))(t).TrainingJobKey
	account := b.leaveParts(t, address, key)

	b.work(t)
	if r := b.awaitTraining(t, key); r.Status != api.TrainingCompleted {
		t.Errorf("the race is %s, %s", r.Status, r.FailureReason)
	}
	if log.count("race is distributed") > 0 {
		t.Error("a part of the earlier attempt was used")
	}
	b.awaitFiles(t, 2) // the dataset and the model
	rows := must(store.Open(t.Context(), address))(t)
	defer func() { _ = rows.Close() }()
	err = rows.Read(t.Context(), func(tx *store.Tx) error {
		race, err := tx.GetTraining(t.Context(), account, key)
		if err == nil && !race.Deadline.IsZero() { // otherwise a part would end at this deadline
			t.Errorf("the second attempt has the deadline %s", race.Deadline)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// leaveParts stores a queued race of two algorithms as if a process had begun the race an hour ago
// and then died. One part is recorded and one is queued. leaveParts returns the account.
func (a *testApp) leaveParts(t *testing.T, address, key string) (account string) {
	t.Helper()
	ctx, began := t.Context(), time.Now().Add(-time.Hour)
	dead := must(store.Open(ctx, address))(t)
	defer func() { _ = dead.Close() }()
	claimed := must(dead.ClaimJob(ctx, store.JobClaim{Kind: "train", Until: began.Add(time.Minute)}))(t)
	blobs := must(blob.OpenFolder(filepath.Join(a.dir, "blobs"), dead.ProcessName()))(t)
	w := must(blobs.Create(ctx))(t)
	info := must(w.Commit())(t)
	err := dead.Write(ctx, func(tx *store.Tx) error {
		race, err := tx.GetTraining(ctx, claimed.Account, key)
		if err != nil {
			return err
		}
		runs, err := tx.ListRuns(ctx, key)
		if err != nil {
			return err
		}
		for _, row := range append(runs, race) {
			row.Status, row.Started, row.Deadline = api.TrainingRunning, began, began.Add(time.Minute)
			if err := tx.UpdateTraining(ctx, row, api.TrainingPending); err != nil {
				return err
			}
		}
		if err := tx.UpsertRecording(ctx, runs[0].Key, store.File{Blob: info.Key, Bytes: info.Size, SHA256: info.SHA256}); err != nil {
			return err
		}
		return tx.InsertJob(ctx, &store.Job{Key: "part", Account: claimed.Account, Kind: "part", Subject: runs[1].Key, Created: began})
	})
	if err != nil {
		t.Fatal(err)
	}
	return claimed.Account
}
