package learn

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/parallel"
	"foretell/internal/table/frame"
)

// machines simulates a race on several machines. Each algorithm in remote is trained on
// its own machine, one after another. The other algorithms are trained on the machine
// that runs the race.
type machines struct {
	frame      *frame.Frame
	params     Params
	algorithms []algorithm
	remote     []string
	// For the algorithm lose, Await returns no recording. For the algorithm damage, it
	// returns an incomplete recording.
	lose, damage string
	// stop is closed to cut the runs on the other machines short.
	stop chan struct{}

	mu        sync.Mutex
	wins      []ThresholdReached
	listeners []chan ThresholdReached
}

// listen returns a channel that receives all wins, including those before the call.
func (m *machines) listen() chan ThresholdReached {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := make(chan ThresholdReached, 100)
	for _, win := range m.wins {
		c <- win
	}
	m.listeners = append(m.listeners, c)
	return c
}

func (m *machines) announce(win ThresholdReached) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wins = append(m.wins, win)
	for _, c := range m.listeners {
		c <- win
	}
}

func (m *machines) race(t *testing.T) *Outcome {
	t.Helper()
	p := m.params
	p.Remote = &RemoteRuns{Algorithms: m.remote, ReachedElsewhere: m.listen(), ReportReached: m.announce}
	p.Remote.Await = func(ctx context.Context, name string, _ <-chan struct{}) (io.ReadCloser, int64, error) {
		if name == m.lose {
			return nil, 0, nil
		}
		there := m.params
		there.Remote = &RemoteRuns{ReachedElsewhere: m.listen(), ReportReached: m.announce}
		there.Stop, there.Progress = m.stop, nil
		var b bytes.Buffer
		if err := trainAndRecordRun(ctx, m.frame, there, name, &b, m.algorithms); err != nil {
			return nil, 0, err
		}
		if name == m.damage {
			b.Truncate(b.Len() - 1)
		}
		return io.NopCloser(&b), int64(b.Len()), nil
	}
	o, err := raceAlgorithms(t.Context(), m.frame, p, m.algorithms)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// wantSameOutcome compares a race on several machines with one on a single machine.
func wantSameOutcome(t *testing.T, want, got *Outcome) {
	t.Helper()
	sameError := cmp.Comparer(func(a, b error) bool { return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error() })
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Outcome{}, "Model"), cmpopts.EquateNaNs(), sameError); diff != "" {
		t.Errorf("on several machines (-one +several):\n%s", diff)
	}
	if !bytes.Equal(bytesOf(t, want.Model), bytesOf(t, got.Model)) {
		t.Error("the model bytes differ")
	}
}

func TestRaceOnSeveralMachines(t *testing.T) {
	f := fakeFrame(1000, 2)
	fails := func(step int) error {
		if step == 3 {
			return errors.New("out of luck")
		}
		return nil
	}
	seeds := uint64(3)
	if testing.Short() { // the race detector needs one seed, because the others change only the pauses
		seeds = 1
	}
	for name, threshold := range map[string]*float64{"won": new(0.9), "missed": new(0.99), "none": nil} {
		for seed := range seeds {
			synctest.Test(t, func(t *testing.T) {
				m := &machines{frame: f, params: Params{Threshold: threshold, Seed: 5, Workers: 2}, algorithms: fakeAlgorithms(
					fakeFitter{skills: risingSkills(0.5, 0.95, 4), work: 400e6, pause: jitter(seed)},
					fakeFitter{skills: risingSkills(0.5, 0.95, 10), work: 300e6, pause: jitter(seed + 100)},
					fakeFitter{skills: risingSkills(0.5, 0.95, 20), work: 50e6, pause: jitter(seed + 200)},
					fakeFitter{skills: risingSkills(0.5, 0.8, 20), work: 90e6, pause: jitter(seed + 300), fault: fails},
				)}
				one := m.race(t)
				for _, remote := range [][]string{{"BSIX01"}, {"BSEV01", "BSEV02"}, {"BFIF01", "BSIX01", "BSEV02"}, {"BSEV01", "BFIF01", "BSIX01", "BSEV02"}} {
					m.remote, m.wins, m.listeners = remote, nil, nil
					several := m.race(t)
					wantSameOutcome(t, one, several)
				}
				if m.lose, m.damage = "BSIX01", "BFIF01"; t.Failed() {
					t.Errorf("threshold %s, seed %d", name, seed)
				}
				several := m.race(t)
				several.Report.Notes = nil // of the damaged part; see TestFailedPartIsNoted
				wantSameOutcome(t, one, several)
			})
		}
	}
}

// TestStoppedRunIsRecorded cuts the runs on other machines short, and checks that their
// scores so far are used.
func TestStoppedRunIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		m := &machines{frame: fakeFrame(300, 2), params: Params{Threshold: new(1.0)}, remote: []string{"BFIF01"}, stop: stop, algorithms: fakeAlgorithms(
			fakeFitter{skills: risingSkills(0.5, 0.8, 4), work: 1e6},
			fakeFitter{skills: risingSkills(0.5, 0.9, 400), work: 1e6, pause: jitter(1)},
		)}
		m.params.Progress = func(e Event) {
			if e.Algorithm == "BSEV01" && e.Status == NotCompleted {
				close(stop)
			}
		}
		if o := m.race(t); o.Model == nil || len(o.Runs[1].Curve) > 300 || o.Runs[1].Status != NotCompleted {
			t.Errorf("%s, %+v", o.Status, o.Runs)
		}
	})
}

// TestRealRaceOnSeveralMachines compares the model bytes of the real algorithms.
func TestRealRaceOnSeveralMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("it races")
	}
	f := smallIris(t)
	for _, tt := range []struct {
		threshold *float64
		remote    []string
	}{{new(0.93), []string{"MSEV01", "MSIX01"}}, {nil, []string{"MFIF01", "MSEV02"}}} {
		m := &machines{frame: f, params: Params{Threshold: tt.threshold, Seed: 1, Metric: "macroF1"}, algorithms: algorithms}
		one := m.race(t)
		m.remote, m.wins, m.listeners = tt.remote, nil, nil
		wantSameOutcome(t, one, m.race(t))
	}
}

// TestDamagedRecordingAfterTheEnd checks that no scores or models of a damaged recording
// are used if there is no time to train the run again.
func TestDamagedRecordingAfterTheEnd(t *testing.T) {
	fakes := fakeAlgorithms(fakeFitter{skills: []float64{0.5, 0.7}, work: 1e6, done: 3})
	data := fakeFrame(300, 2)
	var valid bytes.Buffer
	if err := trainAndRecordRun(t.Context(), data, Params{}, "BSEV01", &valid, fakes); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, recording := range map[string]io.ReadCloser{
		"incomplete":     io.NopCloser(bytes.NewReader(valid.Bytes()[:valid.Len()-1])),
		"wrong checksum": damagedRecording{bytes.NewReader(valid.Bytes())},
	} {
		p := Params{Remote: &RemoteRuns{Await: func(context.Context, string, <-chan struct{}) (io.ReadCloser, int64, error) {
			return recording, int64(valid.Len()), nil
		}}}
		r, err := newRace(t.Context(), data, p, fakes)
		if err != nil {
			t.Fatal(err)
		}
		r.awaitRun(over, r.runs[0], nil)
		if run := r.runs[0]; run.step != 0 || run.curve != nil || run.best.step != 0 || run.best.probabilities != nil || run.models != nil {
			t.Errorf("%s: %d steps, best %+v, %d models", name, run.step, run.best.score, len(run.models))
		}
	}
}

// TestRecordingWithTooManyScores checks that a recording whose number of scores is too large for
// its size is rejected before memory for the scores is allocated.
func TestRecordingWithTooManyScores(t *testing.T) {
	fakes := fakeAlgorithms(fakeFitter{skills: []float64{0.5, 0.7}, work: 1e6, done: 3})
	r, err := newRace(t.Context(), fakeFrame(300, 2), Params{}, fakes)
	if err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	run := r.runs[0]
	write := func(scores uint32) []byte {
		var b codec.Writer
		b.Bytes([]byte(recordingMagic)...)
		b.Uint16(recordingVersion)
		b.Bytes(run.algorithm.Kind, 0, 0) // neither reached nor ended
		b.Uint32(0)                       // no failure
		b.Float64(1)
		r.data.textTimer.Durations().Write(&b)
		b.Uint32(scores)
		return append(must(b.Result()), make([]byte, size)...)
	}
	allocated := func(recording []byte) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := r.readRecording(run, bytes.NewReader(recording), int64(len(recording))); !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("error %v", err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if n := allocated(write(size / 8)); n > size {
		t.Errorf("%d bytes were allocated for a recording of %d bytes", n, size)
	}
	if n := allocated(write(size / recordedPoint)); n < size {
		t.Errorf("the scores that the recording has room for take only %d bytes", n)
	}
}

// TestFailedPartIsNoted checks the notes of a race if another machine has failed to
// record a run, and if a recording is damaged.
func TestFailedPartIsNoted(t *testing.T) {
	fakes := fakeAlgorithms(fakeFitter{skills: []float64{0.5, 0.9}, work: 1e6, done: 3})
	for want, await := range map[string]func() (io.ReadCloser, int64, error){
		"":             func() (io.ReadCloser, int64, error) { return nil, 0, nil }, // no other machine trains the run
		"worker died":  func() (io.ReadCloser, int64, error) { return nil, 0, errors.New("worker died") },
		"not a record": func() (io.ReadCloser, int64, error) { return io.NopCloser(bytes.NewReader([]byte("x"))), 1, nil },
	} {
		p := Params{Remote: &RemoteRuns{Algorithms: []string{"BSEV01"}, Await: func(context.Context, string, <-chan struct{}) (io.ReadCloser, int64, error) {
			return await()
		}}}
		o, err := raceAlgorithms(t.Context(), fakeFrame(300, 2), p, fakes)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" && o.Report.Notes == nil {
			continue
		}
		if len(o.Report.Notes) != 1 || want == "" || !strings.HasPrefix(o.Report.Notes[0], "BSEV01 was trained on the machine that ran the race, because ") {
			t.Errorf("%s: notes %q", want, o.Report.Notes)
		}
	}
}

// TestLostWinner stops a race whose winner, on another machine, has not delivered its model.
// The other run must provide the model.
func TestLostWinner(t *testing.T) {
	stop := make(chan struct{})
	wins := make(chan ThresholdReached, 1)
	wins <- ThresholdReached{"BFIF01", 1e6}
	fakes := fakeAlgorithms(fakeFitter{skills: []float64{0.5, 0.7}, work: 1e6, done: 3}, fakeFitter{skills: []float64{0.95}, work: 1e6, done: 3})
	p := Params{Threshold: new(0.9), Stop: stop, Remote: &RemoteRuns{Algorithms: []string{"BFIF01"}, ReachedElsewhere: wins}}
	p.Remote.Await = func(ctx context.Context, _ string, idle <-chan struct{}) (io.ReadCloser, int64, error) {
		<-idle
		close(stop)
		<-ctx.Done()
		return nil, 0, errors.New("worker died")
	}
	o, err := raceAlgorithms(t.Context(), fakeFrame(300, 2), p, fakes)
	if err != nil {
		t.Fatal(err)
	}
	if o.Model == nil || o.Algorithm != "BSEV01" || o.Status != Cancelled {
		t.Errorf("%s, algorithm %q, model %v", o.Status, o.Algorithm, o.Model != nil)
	}
}

// TestLostWinnerIsCutShort races with a part that has reached the threshold on a machine that then
// died. The second attempt is cut short, so its recording has no score, or one below the threshold.
func TestLostWinnerIsCutShort(t *testing.T) {
	for _, scores := range []int{0, 1} {
		wins := make(chan ThresholdReached, 1)
		wins <- ThresholdReached{"BFIF01", 1e6}
		slow, lost := fakeFitter{skills: []float64{0.5, 0.8}, work: 5e5, done: 3}, fakeFitter{skills: []float64{0.6, 0.95}, work: 1e6, done: 9}
		data, stop := fakeFrame(300, 2), make(chan struct{})
		close(stop)
		p := Params{Threshold: new(0.9), Remote: &RemoteRuns{Algorithms: []string{"BFIF01"}, ReachedElsewhere: wins}}
		p.Remote.Await = func(_ context.Context, _ string, idle <-chan struct{}) (io.ReadCloser, int64, error) {
			<-idle
			there, cut := Params{Threshold: new(0.9)}, lost
			if cut.skills = cut.skills[:1]; scores == 0 {
				there.Stop = stop
			}
			cut.done = 1
			var b bytes.Buffer
			err := trainAndRecordRun(t.Context(), data, there, "BFIF01", &b, fakeAlgorithms(slow, cut))
			return io.NopCloser(&b), int64(b.Len()), err
		}
		o, err := raceAlgorithms(t.Context(), data, p, fakeAlgorithms(slow, lost))
		if err != nil {
			t.Fatal(err)
		}
		if o.Status == Completed || o.Achieved >= 0.9 || o.Algorithm == "" {
			t.Errorf("%d scores: %s, algorithm %q, achieved %v", scores, o.Status, o.Algorithm, o.Achieved)
		}
	}
}

// damagedRecording is a recording whose Close returns an error, as for a wrong checksum.
type damagedRecording struct{ *bytes.Reader }

func (damagedRecording) Close() error { return errors.New("damaged") }

// FuzzRecording reads arbitrary recordings.
func FuzzRecording(f *testing.F) {
	fakes := fakeAlgorithms(fakeFitter{skills: []float64{0.5, 0.7}, work: 1e6, done: 3})
	data := fakeFrame(300, 2)
	var valid bytes.Buffer
	if err := trainAndRecordRun(f.Context(), data, Params{}, "BSEV01", &valid, fakes); err != nil {
		f.Fatal(err)
	}
	f.Add(valid.Bytes())
	f.Add(slices.Concat(valid.Bytes(), []byte{0}))
	f.Fuzz(func(t *testing.T, recording []byte) {
		r, err := newRace(t.Context(), data, Params{}, fakes)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.readRecording(r.runs[0], bytes.NewReader(recording), int64(len(recording)))
		if err == nil && !slices.Equal(recording, valid.Bytes()) {
			var again bytes.Buffer
			if err := r.writeRecording(&again, r.runs[0]); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestRemotePanic trains an algorithm that panics on another machine. That machine must return the stack
// instead of a recording, and the machine of the race must train the algorithm itself.
func TestRemotePanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machines{frame: fakeFrame(300, 2), params: Params{Threshold: new(1.0), Workers: 2}, remote: []string{"BSEV01"}, algorithms: fakeAlgorithms(
			fakeFitter{skills: risingSkills(0.5, 0.9, 4), work: 1e6, fault: func(int) error { panic("broken") }},
			fakeFitter{skills: risingSkills(0.5, 0.9, 4), work: 1e6},
		)}
		err := trainAndRecordRun(t.Context(), m.frame, m.params, "BSEV01", io.Discard, m.algorithms)
		if p := (*parallel.PanicError)(nil); !errors.As(err, &p) || len(p.Stack) == 0 {
			t.Errorf("the recording ends with the error %v", err)
		}
		if o := m.race(t); o.Model == nil || !errors.Is(o.Runs[0].Err, parallel.ErrPanic) {
			t.Errorf("the race is %s, and the run ended with the error %v", o.Status, o.Runs[0].Err)
		}
	})
}
