package learn

import (
	"testing"
	"time"

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
	r.data.textTimer.SetRecorded(text.Durations{Reading: 4 * time.Second, Training: 20 * time.Second, Rows: 600})
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
