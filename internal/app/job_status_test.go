package app_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// TestQueuePosition checks how many races are before a race in the queue, and cancels a race that
// no process runs.
func TestQueuePosition(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	dataset := b.prepared(t, "flowers", labelled(300)).DatasetKey
	stop()
	var keys []string
	for range 3 {
		keys = append(keys, must(b.CreateTraining(b.ctx, newRace(dataset, 0)))(t).TrainingJobKey)
	}
	get := func(key string) *api.Training {
		t.Helper()
		return must(b.GetTraining(b.ctx, &api.TrainingInput{TrainingJobKey: key}))(t)
	}
	if r := get(keys[2]); r.Status != api.TrainingPending || r.Interrupted || r.WaitingFor != api.WaitingForWorker || r.QueuedBehind != 0 {
		t.Errorf("with no process at work: %+v", r)
	}
	if r := must(b.CancelTraining(b.ctx, &api.TrainingInput{TrainingJobKey: keys[0]}))(t); r.Status != api.TrainingCancelled {
		t.Errorf("cancelled: %+v", r)
	}
	rows := must(store.Open(t.Context(), filepath.Join(b.dir, "foretell.db")))(t) // another process
	defer func() { _ = rows.Close() }()
	if err := rows.Write(t.Context(), func(tx *store.Tx) error {
		return tx.UpsertWorker(t.Context(), &store.Worker{Process: rows.ProcessName()})
	}); err != nil {
		t.Fatal(err)
	}
	if r := get(keys[2]); r.Interrupted || r.WaitingFor != "" || r.QueuedBehind != 1 {
		t.Errorf("behind one: %+v", r)
	}
	if r := get(keys[1]); r.Interrupted || r.QueuedBehind != 0 {
		t.Errorf("the next: %+v", r)
	}
}

// TestDeleteInterrupted deletes two predictions, and a dataset with a race. Each deletion must be
// refused as long as a process runs one of the jobs, or will resume the race. In a service, the next
// worker will resume it, so only a command without a server can delete the dataset. A prediction that
// no process runs is PENDING and can be deleted.
func TestDeleteInterrupted(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	race := b.trained(t, "flowers")
	stop()
	predict := func() *api.PredictionInput {
		t.Helper()
		created := must(b.CreatePrediction(b.ctx, &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: race.ModelKey}}, strings.NewReader(blind(20))))(t)
		return &api.PredictionInput{PredictionKey: created.PredictionKey}
	}
	first, second := predict(), predict()
	rows := must(store.Open(t.Context(), filepath.Join(b.dir, "foretell.db")))(t) // another process
	defer func() { _ = rows.Close() }()
	work := func(do func(tx *store.Tx) error) {
		t.Helper()
		if err := rows.Write(t.Context(), do); err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range []*api.PredictionInput{first, second} { // as a killed process leaves them
		work(func(tx *store.Tx) error {
			p, err := tx.GetPredictionOfAnyAccount(t.Context(), in.PredictionKey)
			if err != nil {
				return err
			}
			from := p.Status
			p.Status = api.PredictionRunning
			return tx.UpdatePrediction(t.Context(), p, from)
		})
	}
	work(func(tx *store.Tx) error {
		return tx.UpsertWorker(t.Context(), &store.Worker{Process: rows.ProcessName()})
	})
	claimed := must(rows.ClaimJob(t.Context(), store.JobClaim{Kind: "predict", Until: time.Now().Add(time.Hour)}))(t)
	if claimed.Subject != first.PredictionKey {
		t.Fatalf("the claimed job is of %s", claimed.Subject)
	}
	if p := must(b.GetPrediction(b.ctx, second))(t); p.Status != api.PredictionPending || p.Interrupted {
		t.Errorf("a prediction that returned to the queue is %s", p.Status)
	}
	must(b.DeletePrediction(b.ctx, second))(t)
	_, err := b.DeletePrediction(b.ctx, first)
	wantCode(t, err, api.CodeWrongState)
	must("", rows.ReleaseJob(t.Context(), claimed.Key, time.Now()))(t)
	must(b.CreateTraining(b.ctx, newRace(race.DatasetKey, 0)))(t) // no worker begins it
	_, err = b.DeleteDataset(b.ctx, &api.DatasetInput{DatasetKey: race.DatasetKey})
	wantCode(t, err, api.CodeWrongState)
	work(func(tx *store.Tx) error { return tx.DeleteWorker(t.Context(), rows.ProcessName()) })

	must(b.DeletePrediction(b.ctx, first))(t)
	_, err = b.GetPrediction(b.ctx, first)
	wantCode(t, err, api.CodeNotFound)
	_, err = b.DeleteDataset(b.ctx, &api.DatasetInput{DatasetKey: race.DatasetKey})
	wantCode(t, err, api.CodeWrongState)
	command, closeCommand, err := openIn(t.Context(), b.dir, appOptions{log: io.Discard, now: time.Now, ownJobsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeCommand()
	must(command.DeleteDataset(command.ctx, &api.DatasetInput{DatasetKey: race.DatasetKey}))(t)
	b.awaitFiles(t, 0)
}

// TestAdoptRunningJob lets a command wait for a prediction that another process runs. When the job
// returns to the queue, as it does when that process dies, the command must run it.
func TestAdoptRunningJob(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	model := b.trained(t, "flowers").ModelKey
	stop()
	in := &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: model}}
	key := must(b.CreatePrediction(b.ctx, in, strings.NewReader(blind(20))))(t).PredictionKey
	rows := must(store.Open(t.Context(), filepath.Join(b.dir, "foretell.db")))(t) // another process
	defer func() { _ = rows.Close() }()
	claimed := must(rows.ClaimJob(t.Context(), store.JobClaim{Kind: "predict", Until: time.Now().Add(time.Hour)}))(t)

	command, closeCommand, err := openIn(t.Context(), b.dir, appOptions{log: io.Discard, now: time.Now, ownJobsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeCommand)
	command.work(t)
	must("", command.AdoptInterruptedJob(command.ctx, key))(t)
	if elsewhere, err := command.RunsElsewhere(command.ctx, key); err != nil || !elsewhere {
		t.Errorf("the job runs in another process: %t, %v", elsewhere, err)
	}
	must("", rows.ReleaseJob(t.Context(), claimed.Key, time.Now()))(t)
	if p := command.awaitPrediction(t, key); p.Status != api.PredictionCompleted {
		t.Errorf("the prediction is %s: %s", p.Status, p.FailureReason)
	}
}

// TestDeadlineWithoutWorker checks the reason if a race has waited beyond its deadline although no other
// race was before it.
func TestDeadlineWithoutWorker(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	ann := b.as(t, "ann@example.com")
	stop := b.work(t)
	short := newRace(ann.prepared(t, "flowers", labelled(300)).DatasetKey, 0)
	stop()
	short.Body.FinishWithinSeconds = new(0.2)
	for _, tt := range []struct {
		want    string
		disable bool
	}{{"no worker could run it", false}, {"its account was disabled", true}} {
		key := must(ann.CreateTraining(ann.ctx, short))(t).TrainingJobKey
		get := &api.TrainingInput{TrainingJobKey: key}
		if tt.disable {
			must(b.DisableAccount(t.Context(), b.account(t, "ann@example.com")))(t)
		}
		<-time.After(300 * time.Millisecond) // until the deadline
		stop := b.work(t)
		r := eventually(t, func() (*api.Training, error) { return ann.GetTraining(ann.ctx, get) }, func(r *api.Training) bool { return r.Status != api.TrainingPending && r.Status != api.TrainingRunning })
		if r.Status != api.TrainingTimedOut || !strings.Contains(r.FailureReason, tt.want) {
			t.Errorf("it is %s, because %q, want %q", r.Status, r.FailureReason, tt.want)
		}
		stop()
	}
}

// TestDeadlineWhileQueued lets races wait beyond their deadline for a worker
// that is busy with another race. A process that runs only its own jobs, and has ended, has queued one of
// them.
func TestDeadlineWhileQueued(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	stop := b.work(t)
	dataset := b.prepared(t, "flowers", noisy(20000)).DatasetKey
	stop()
	long := newRace(dataset, 1)
	long.Body.Algorithms, long.Body.ScalingFactor = []string{"BSEV01", "BFIF01"}, 0
	first := must(b.CreateTraining(b.ctx, long))(t).TrainingJobKey
	short, within := newRace(dataset, 0), 0.2
	short.Body.FinishWithinSeconds = &within
	second := must(b.CreateTraining(b.ctx, short))(t).TrainingJobKey
	command, closeCommand, err := openIn(t.Context(), dir, appOptions{log: io.Discard, now: time.Now, ownJobsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	third := must(command.CreateTraining(command.ctx, short))(t).TrainingJobKey
	closeCommand()
	stopped := must(b.CreateTraining(b.ctx, short))(t).TrainingJobKey
	b.execSQL(t, "UPDATE training SET status = 'RUNNING', started = created WHERE key = '"+stopped+"'") // as a worker that is stopped leaves it

	b.work(t)
	for _, key := range []string{second, third} {
		r := b.awaitTraining(t, key)
		if r.Status != api.TrainingTimedOut || !strings.Contains(r.FailureReason, "queued") {
			t.Errorf("it is %s, because %q", r.Status, r.FailureReason)
		}
	}
	if r := b.awaitTraining(t, stopped); r.Status != api.TrainingTimedOut || !strings.Contains(r.FailureReason, "was returned to the queue") {
		t.Errorf("a race whose worker was stopped is %s, because %q", r.Status, r.FailureReason)
	}
	r := eventually(t, func() (*api.Training, error) {
		return b.GetTraining(b.ctx, &api.TrainingInput{TrainingJobKey: first})
	}, func(r *api.Training) bool { return r.Status != api.TrainingPending }) // reading its table takes a while
	if r.Status != api.TrainingRunning {
		t.Fatalf("the race before it is %s: what was tested is not what was meant", r.Status)
	}
	page := must(b.ListTrainingsOfDataset(b.ctx, &api.ListTrainingsOfDatasetInput{
		DatasetPageInput: api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: dataset}, PageInput: api.PageInput{Limit: 9}},
	}))(t)
	for _, child := range page.TrainingJobs {
		if child.ParentTrainingJobKey == second && child.Status != api.TrainingTimedOut {
			t.Errorf("its run is %s", child.Status)
		}
	}
	must(b.CancelTraining(b.ctx, &api.TrainingInput{TrainingJobKey: first}))(t)
}
