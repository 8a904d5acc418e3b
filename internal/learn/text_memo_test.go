package learn

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"foretell/internal/learn/text"
)

// trainTexts returns features with text models that are trained on all rows of data.
func trainTexts(t *testing.T, data *trainingData) *foldFeatures {
	t.Helper()
	rows := make([]int32, data.Rows)
	for i := range rows {
		rows[i] = int32(i)
	}
	fold, err := data.dataOfFold(t.Context(), 0, rows)
	if err != nil {
		t.Fatal(err)
	}
	return fold.features
}

// TestTextsAreScoredOnce checks that members of a blend with the same text models score
// each text only once.
func TestTextsAreScoredOnce(t *testing.T) {
	f := loadTextTable(t, 120)
	features := trainTexts(t, &trainingData{Frame: f, params: Params{Workers: 2}})
	other := &foldFeatures{features.columns, &textModels{columns: features.texts.columns, models: features.texts.models}}
	newMember := func(features *foldFeatures) member { return member{predictor: foldModel{fakeModel{}, features}} }
	if members := []member{newMember(features), newMember(other)}; &scoreTextsOnce(members)[0] != &members[0] {
		t.Error("scores are remembered although no models are shared")
	}
	members := scoreTextsOnce([]member{newMember(features), newMember(other), newMember(features)})
	var memos []*text.Memo
	for _, one := range members {
		texts := one.predictor.(foldModel).features
		want, got := features.compute(f, 10, 60), texts.compute(f, 10, 60)
		for i := range want.Columns {
			if !slices.Equal(want.Columns[i].Floats, got.Columns[i].Floats) || !slices.Equal(want.Columns[i].Codes, got.Columns[i].Codes) {
				t.Errorf("column %d differs", i)
			}
		}
		memos = append(memos, texts.texts.memos[0])
	}
	if memos[0] != memos[2] || memos[0] == memos[1] {
		t.Error("texts are remembered by the wrong models")
	}
	for i, one := range scoreTextsOnce(members) {
		if one.predictor.(foldModel).features != members[i].predictor.(foldModel).features {
			t.Error("remembered scores are forgotten")
		}
	}
}

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
	_, recorded := unwrapFeatures(run.models[0])
	if fold.features != recorded {
		t.Error("the models of a fold are in memory twice")
	}
	score := func(m *text.Model) []float32 {
		dst := make([]float32, m.Features())
		m.NewScorer().Score(dst, f.Columns[recorded.texts.columns[0]].Texts[0])
		return dst
	}
	whole := &trainingData{Frame: f, params: r.data.params}
	again, err := whole.dataOfFold(t.Context(), run.firstFoldIndex, run.folds[0].Train)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := score(recorded.texts.models[0]), score(again.features.texts.models[0]); !slices.Equal(a, b) {
		t.Errorf("scores %v, want %v", a, b)
	}
}
