package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"foretell/internal/learn/parallel"
	"foretell/internal/table/frame"
)

// RemoteRuns connects a race to other machines that train some of its runs. The machines may train
// at different times and speeds, because virtual time determines the winner.
type RemoteRuns struct {
	// Algorithms are the algorithms that other machines train with [TrainAndRecordRun].
	Algorithms []string
	// Await waits until another machine has recorded the run of an algorithm, and returns the
	// recording and its size in bytes. If this machine must train the run, the recording is nil. If
	// the reason is that the other machine failed, Await also returns an error, which appears in
	// the notes of the report.
	//
	// idle is closed when this machine has no more runs of its own: all runs of algorithms that are
	// not in Algorithms have ended. When ctx is done, Await must soon return the recording of the
	// unfinished run, or an error. After such an error the run has no score.
	Await func(ctx context.Context, algorithm string, idle <-chan struct{}) (recording io.ReadCloser, size int64, err error)
	// StopTimeout is how long Await may take after ctx is done. A race with a time limit
	// reserves this time while it waits for runs on other machines.
	StopTimeout time.Duration
	// ReachedElsewhere delivers the runs on other machines that have reached the threshold, in any
	// order. A run may be delivered several times. ReachedElsewhere may be nil.
	ReachedElsewhere <-chan ThresholdReached
	// ReportReached is called when a run on this machine has reached the threshold.
	ReportReached func(ThresholdReached)
}

// ThresholdReached is the message that Algorithm has reached the threshold at the virtual time
// Time.
type ThresholdReached struct {
	Algorithm string
	Time      float64
}

// includes reports whether another machine trains the algorithm.
func (r *RemoteRuns) includes(algorithm string) bool {
	return r != nil && slices.Contains(r.Algorithms, algorithm)
}

// TrainAndRecordRun trains one algorithm of the race with the frame f and the parameters p, and
// writes a recording of the run to w. The machine that runs the race receives the recording through
// [RemoteRuns.Await]. The run ends under the same conditions as in [Race]. If it is cut short, its
// scores so far are recorded. p.Remote must have only ReachedElsewhere and ReportReached. If ctx is
// cancelled, TrainAndRecordRun returns the cause of the cancellation. If the algorithm panics, it
// returns a *[parallel.PanicError], because a recording cannot hold the stack.
func TrainAndRecordRun(ctx context.Context, f *frame.Frame, p Params, algorithm string, w io.Writer) error {
	return trainAndRecordRun(ctx, f, p, algorithm, w, algorithms)
}

func trainAndRecordRun(ctx context.Context, f *frame.Frame, p Params, algorithm string, w io.Writer, algorithms []algorithm) error {
	r, err := newRace(ctx, f, p, algorithms)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	stop, release := withStop(ctx, p.Stop)
	defer release()
	racing, done := r.timer.withLimit(stop, r.reportBudget)
	defer done()
	defer r.watchReachedElsewhere(racing)()
	index := slices.IndexFunc(r.runs, func(run *run) bool { return run.Name == algorithm })
	if index < 0 {
		return fmt.Errorf("algorithm=%q: not in the race", algorithm)
	}
	for _, run := range r.runs {
		if run.index != index {
			r.scheduler.SetRemote(run.index)
		}
	}
	r.runHere(racing, r.runs[index])
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := r.runs[index].err; errors.Is(err, parallel.ErrPanic) {
		return err
	}
	return r.writeRecording(w, r.runs[index])
}

// watchReachedElsewhere records in the scheduler which runs on other machines have reached the
// threshold, until stop is called. It receives these runs from the channel
// [RemoteRuns.ReachedElsewhere].
func (r *race) watchReachedElsewhere(ctx context.Context) (stop func()) {
	remote := r.data.params.Remote
	if remote == nil || remote.ReachedElsewhere == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case win := <-remote.ReachedElsewhere:
				for _, run := range r.runs {
					if run.Name == win.Algorithm {
						r.scheduler.RecordRemoteWin(run.index, win.Time)
					}
				}
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// reportThresholdReached calls Remote.ReportReached for a run that has reached the threshold.
func (r *race) reportThresholdReached(run *run) {
	if remote := r.data.params.Remote; remote != nil && remote.ReportReached != nil {
		remote.ReportReached(ThresholdReached{run.Name, run.lastScoreVirtualTime()})
	}
}

// lastScoreVirtualTime returns the virtual time of the last score.
func (r *run) lastScoreVirtualTime() float64 { return max(r.lastCost, r.curve[len(r.curve)-1].due) }

// awaitRun waits until another machine has trained run. If that machine fails or no other machine
// trains the run, this machine trains it. idle is the argument for RemoteRuns.Await.
func (r *race) awaitRun(ctx context.Context, run *run, idle <-chan struct{}) {
	recording, size, err := r.data.params.Remote.Await(ctx, run.Name, idle)
	r.awaitedRuns.Add(-1)
	if err == nil && recording != nil {
		var end recordedEnd
		end, err = r.readRecording(run, recording, size)
		closed := recording.Close()
		if err == nil && closed == nil {
			if !end.reached { // an earlier attempt, whose recording was lost, may have reported a win
				r.scheduler.DropRemoteWin(run.index)
			}
			r.endAsRecorded(run, end)
			return
		}
		r.discardRecording(run) // the recording may be damaged
		err = cmp.Or(err, closed)
	}
	r.scheduler.DropRemoteWin(run.index)
	if ctx.Err() == nil {
		run.remoteErr = err
		r.slots <- struct{}{}
		r.runHere(ctx, run)
		<-r.slots
	}
}
