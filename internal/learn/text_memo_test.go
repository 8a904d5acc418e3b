package learn

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"foretell/internal/learn/model"
	"foretell/internal/learn/text"
)

// TestTimeOfTextsIsReserved checks that a race with a time limit reserves the time to
// train the text models again on all rows.
func TestTimeOfTextsIsReserved(t *testing.T) {
	r, err := newRace(t.Context(), fakeFrame(300, 2), Params{TimeLimit: time.Hour, Now: time.Now}, fakeAlgorithms(fakeFitter{work: 1e9}))
	if err != nil {
		t.Fatal(err)
	}
	run := r.runs[0]
	run.best, run.lastCost, r.trainingTime = savedStep{step: 1, cost: 10e9}, 10e9, 10*time.Second
	without := r.refitBudget()
	r.data.textTimer.AddRecorded(text.Durations{Reading: 4 * time.Second, Training: 20 * time.Second, Rows: 600})
	if got, want := r.refitBudget()-without, time.Duration((4+10)*safetyFactor*float64(time.Second)); got != want {
		t.Errorf("%v are reserved for texts that this machine has not read, want %v", got, want)
	}
	r.data.textTimer.Add(text.Durations{Reading: 3 * time.Second, Training: 20 * time.Second, Rows: 300})
	if got, want := r.refitBudget()-without, time.Duration(20*safetyFactor*float64(time.Second)); got != want {
		t.Errorf("%v are reserved for texts, want %v", got, want)
	}
}

// TestRefitsOfBlendAreReserved checks that time is reserved for the refits of all runs
// with scores, because the model will be their blend.
func TestRefitsOfBlendAreReserved(t *testing.T) {
	r, err := newRace(t.Context(), fakeFrame(300, 2), Params{TimeLimit: time.Hour, Now: time.Now}, fakeAlgorithms(fakeFitter{work: 1e9}, fakeFitter{work: 1e9}, fakeFitter{work: 1e9}))
	if err != nil {
		t.Fatal(err)
	}
	r.refitLimit = refitLimit{share: 10}
	for _, run := range r.runs {
		run.lastCost = 10e9
	}
	r.runs[0].best = savedStep{step: 1, cost: 10e9}
	r.trainingTime = 30 * time.Second
	one := r.refitBudget() - r.reportBudget()
	r.runs[1].best = r.runs[0].best
	if got := r.refitBudget() - r.reportBudget(); (got - 2*one).Abs() > time.Millisecond {
		t.Errorf("%v are reserved for two refits, and %v for one", got, one)
	}
	r.timer.limit = 4 * one
	if got := r.refitBudget() - r.reportBudget(); (got-one).Abs() > one/2 || got < one {
		t.Errorf("%v of a limit of %v are reserved for two refits, and %v for one", got, r.timer.limit, one)
	}
	r.timer.limit = time.Hour
	r.scheduler.RecordRemoteWin(0, 1)
	if got := r.refitBudget() - r.reportBudget(); got != one {
		t.Errorf("%v are reserved, want %v, because a run has won", got, one)
	}
	r.scheduler.DropRemoteWin(0)
	r.refitLimit = refitLimit{}
	if got := r.refitBudget() - r.reportBudget(); got != one {
		t.Errorf("%v are reserved, want %v, because the second refit is not affordable", got, one)
	}
}

// TestRecordingHasTexts checks that a recording contains the text models, so that the
// machine that reads it does not train them again.
func TestRecordingHasTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("it races")
	}
	f := loadTextTable(t, 120)
	p := Params{Algorithms: []string{"MSEV02"}, Seed: 1, Now: time.Now, Threshold: new(0.1)}
	var recording bytes.Buffer
	if err := RecordRun(t.Context(), f, p, "MSEV02", &recording); err != nil {
		t.Fatal(err)
	}
	r, err := newRace(t.Context(), f, p, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	run := r.runs[0]
	end, err := r.readRecording(run, &recording, int64(recording.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if r.data.foldFeatures != nil {
		t.Error("models are shared before the recording is known to be complete")
	}
	r.endAsRecorded(run, end)
	if known := r.data.textTimer.Durations(); known.Training <= 0 || known.Rows <= f.Rows || r.data.foldData != nil || len(r.data.foldFeatures) != len(run.folds) {
		t.Errorf("%+v, %d folds are trained again", known, len(r.data.foldData))
	}
	fold, err := r.data.dataOfFold(t.Context(), run.firstFoldIndex, run.folds[0].Train)
	if err != nil {
		t.Fatal(err)
	}
	inner, recorded := model.UnwrapFeatures(run.models[0])
	if fold.features != recorded {
		t.Error("the models of a fold are in memory twice")
	}
	whole := &trainingData{Frame: f, params: r.data.params}
	again, err := whole.dataOfFold(t.Context(), run.firstFoldIndex, run.folds[0].Train)
	if err != nil {
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	if err := errors.Join(model.WritePredictor(&want, model.WithFeatures(inner, again.features)), model.WritePredictor(&got, run.models[0])); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("the recorded text models differ from those that this machine trains")
	}
}
