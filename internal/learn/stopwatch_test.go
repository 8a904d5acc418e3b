package learn

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestStopwatchCountsOverlapOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s stopwatch
		wait := func(want time.Duration) {
			t.Helper()
			time.Sleep(time.Second)
			if got := s.elapsed(time.Now); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
		wait(0)
		first := s.start(time.Now)
		wait(1 * time.Second)
		second := s.start(time.Now)
		wait(2 * time.Second)
		first()
		wait(3 * time.Second)
		second()
		wait(3 * time.Second)
		defer s.start(time.Now)()
		wait(4 * time.Second)
	})
}

// TestTrainedTimeWithTexts checks that time spent only on texts is not training time. It is
// reserved separately, so it must not increase the time per cost of the runs. If another run
// trains at the same time, this time must not be subtracted.
func TestTrainedTimeWithTexts(t *testing.T) {
	for name, beside := range map[string]bool{"no_other_run": false, "beside_another_run": true} {
		t.Run(name, func(t *testing.T) {
			f := loadTextTable(t, 300)
			var ticks atomic.Int64
			clock := func() time.Time { return time.Unix(ticks.Add(1), 0) } // a second for each reading
			data := &trainingData{Frame: f, params: Params{Workers: 1, Now: clock}}
			stop := func() {}
			if beside {
				stop = data.trainingTime.start(data.params.clock)
			}
			began := ticks.Load()
			rows := make([]int32, f.Rows)
			for i := range rows {
				rows[i] = int32(i)
			}
			if _, err := data.dataOfFold(t.Context(), 0, rows); err != nil {
				t.Fatal(err)
			}
			texts := data.textTimer.Durations()
			if texts.Reading+texts.Training <= 0 {
				t.Fatal("no time for texts")
			}
			took := time.Duration(ticks.Load()-began) * time.Second
			stop()
			got := data.trainingTime.elapsed(data.params.clock)
			if !beside && got != 0 || beside && got <= took {
				t.Errorf("%v of training in %v with %v of texts", got, took, texts.Reading+texts.Training)
			}
		})
	}
}

// TestTrainedTimeWithoutWait checks the training time if another machine fails and its run is
// trained here. The wait for that machine must not increase the time per cost, from which the
// time of the refits is estimated.
func TestTrainedTimeWithoutWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var trained atomic.Int64
		pause := func(int) time.Duration {
			trained.Add(int64(time.Second))
			return time.Second
		}
		fake := fakeFitter{skills: []float64{0.7}, work: 1e9, pause: pause, done: 3}
		fakes := fakeAlgorithms(fake, fake)
		remote := &RemoteRuns{Algorithms: []string{"B" + fakes[1].Name}}
		remote.Await = func(context.Context, string, <-chan struct{}) (io.ReadCloser, int64, error) {
			time.Sleep(time.Hour)
			return nil, 0, errors.New("lost")
		}
		r, err := newRace(t.Context(), fakeFrame(300, 2), Params{Workers: 1, TimeLimit: 24 * time.Hour, Now: time.Now, Remote: remote}, fakes)
		if err != nil {
			t.Fatal(err)
		}
		r.timer.start()
		r.runAll(t.Context())
		if want := time.Duration(trained.Load()); r.trainingTime != want || want == 0 || r.runs[1].remoteErr == nil {
			t.Errorf("trained for %v, want %v", r.trainingTime, want)
		}
	})
}

// TestTimeToStopOtherMachinesIsReserved checks that the time in which other machines end
// their runs is not taken from the refits.
func TestTimeToStopOtherMachinesIsReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeFitter{skills: []float64{0.7}, work: 1e9, pause: func(int) time.Duration { return time.Second }, done: 3}
		fakes := fakeAlgorithms(fake, fake)
		const limit, timeout = 10 * time.Minute, 3 * time.Second // the race reads the clock 100 times a second
		var stopped time.Duration
		began := time.Now()
		remote := &RemoteRuns{Algorithms: []string{"B" + fakes[1].Name}, StopTimeout: timeout}
		remote.Await = func(ctx context.Context, _ string, _ <-chan struct{}) (io.ReadCloser, int64, error) {
			<-ctx.Done()
			stopped = time.Since(began)
			time.Sleep(timeout)
			return nil, 0, context.Cause(ctx)
		}
		r, err := newRace(t.Context(), fakeFrame(300, 2), Params{Workers: 1, TimeLimit: limit, Now: time.Now, Remote: remote}, fakes)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		left := limit - stopped - timeout // the clock is read at intervals
		if budget := r.refitBudget(); left < budget-pollInterval || left > budget+timeout/2 {
			t.Errorf("%v are left for refits and report, want %v", left, budget)
		}
	})
}
