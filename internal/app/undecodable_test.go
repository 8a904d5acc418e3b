package app_test

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
)

// TestUndecodableParameter damages a parameter of two queued races. They must still be listed. One is
// cancelled. The other fails when it is run, because a model without the parameter would be wrong.
func TestUndecodableParameter(t *testing.T) {
	t.Parallel()
	a, log := openWithLog(t)
	stop := a.work(t)
	d := a.prepared(t, "numbers", labelled(60))
	stop()
	create := func() *api.TrainingInput {
		return &api.TrainingInput{TrainingJobKey: must(a.CreateTraining(a.ctx, newRace(d.DatasetKey, 0.8)))(t).TrainingJobKey}
	}
	cancelled, failed := create(), create()
	a.execSQL(t, "UPDATE training SET class_weights = '{'")

	page := must(a.ListTrainings(a.ctx, &api.ListTrainingsInput{PageInput: api.PageInput{Limit: 9}, ParentOnly: true}))(t)
	if len(page.TrainingJobs) != 2 {
		t.Errorf("%d of 2 races are listed", len(page.TrainingJobs))
	}
	if r := must(a.CancelTraining(a.ctx, cancelled))(t); r.Status != api.TrainingCancelled {
		t.Errorf("the cancelled race is %s", r.Status)
	}
	stop = a.work(t)
	if r := a.awaitTraining(t, failed.TrainingJobKey); r.Status != api.TrainingFailed || !strings.Contains(r.FailureReason, "database is damaged") {
		t.Errorf("the race that was run is %s: %s", r.Status, r.FailureReason)
	}
	stop()
	if want := "class_weights of training job " + failed.TrainingJobKey; !strings.Contains(log.String(), want) {
		t.Errorf("the log does not contain %q: %s", want, log.String())
	}
}

// TestWeightOfUnknownClass changes the class weights of a queued race so that they name no class of the
// dataset. The race must fail, because a model that was trained without the weights would be wrong.
func TestWeightOfUnknownClass(t *testing.T) {
	t.Parallel()
	a, log := openWithLog(t)
	stop := a.work(t)
	d := a.prepared(t, "numbers", labelled(60))
	stop()
	key := must(a.CreateTraining(a.ctx, newRace(d.DatasetKey, 0.8)))(t).TrainingJobKey
	a.execSQL(t, `UPDATE training SET class_weights = '{"perhaps":2}'`)
	stop = a.work(t)
	if r := a.awaitTraining(t, key); r.Status != api.TrainingFailed || r.FailureReason != api.InternalFailure {
		t.Errorf("the race is %s: %s", r.Status, r.FailureReason)
	}
	stop()
	if want := "class_weights of training job " + key; !strings.Contains(log.String(), want) {
		t.Errorf("the log does not contain %q: %s", want, log.String())
	}
}

// TestUndecodableInterval damages the interval of a model. The model must still be listed, without
// the interval, and the log must say which value is damaged.
func TestUndecodableInterval(t *testing.T) {
	t.Parallel()
	a, log := openWithLog(t)
	stop := a.work(t)
	race := a.trained(t, "numbers")
	stop()
	a.execSQL(t, "UPDATE model SET validation_interval = '{'")

	if page := must(a.ListModelsOfDataset(a.ctx, &api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: race.DatasetKey}, PageInput: api.PageInput{Limit: 9}}))(t); len(page.Models) != 1 {
		t.Errorf("%d models are listed", len(page.Models))
	}
	m := must(a.GetModel(a.ctx, &api.ModelInput{ModelKey: race.ModelKey}))(t)
	if m.AchievedInterval != nil || !strings.Contains(log.String(), "validation_interval of model "+race.ModelKey) {
		t.Errorf("the interval is %v, and the log is %s", m.AchievedInterval, log.String())
	}
}

// openWithLog opens an App in a new folder and returns it with its log.
func openWithLog(t *testing.T) (*testApp, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	a, closeAll, err := openIn(t.Context(), t.TempDir(), appOptions{log: log, now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	return a, log
}

// execSQL executes a statement on the database of the App.
func (a *testApp) execSQL(t *testing.T, statement string) {
	t.Helper()
	db := must(sql.Open("sqlite", "file:"+filepath.Join(a.dir, "foretell.db")+"?_pragma=busy_timeout(30000)"))(t)
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
