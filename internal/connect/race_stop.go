package connect

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/term"
)

// canStopRace reports whether the user can end a race from the terminal.
func (c *Session) canStopRace() bool {
	return c.factory != nil && c.factory.DryRun == nil && c.factory.Console.CanPrompt()
}

// raceStop holds the state of a race that the user can end from the terminal, with Enter or Ctrl-C.
type raceStop struct {
	// interrupted is closed by Ctrl-C if the service is in this process. scored is closed when the
	// first algorithm has a score.
	interrupted, scored chan struct{}
	closeScored         func()
	// requested is true when the user has asked to end the race.
	requested atomic.Bool
	// view shows the race on the terminal. It is nil before the race is shown.
	view atomic.Pointer[term.RaceView]
}

func newRaceStop() *raceStop {
	s := &raceStop{interrupted: make(chan struct{}), scored: make(chan struct{})}
	s.closeScored = sync.OnceFunc(func() { close(s.scored) })
	return s
}

// update closes scored if an algorithm has a score.
func (s *raceStop) update(p *api.TrainingProgress) {
	if slices.ContainsFunc(p.Jobs, func(run api.AlgorithmRun) bool { return run.KeptPerformance != nil }) {
		s.closeScored()
	}
}

// hasScore reports whether an algorithm has a score.
func (s *raceStop) hasScore() bool {
	select {
	case <-s.scored:
		return true
	default:
		return false
	}
}

// activityText returns the text to show beside the progress of the race after the user has asked
// to end it. activity is what the race does, such as waiting in the queue, or "" for training.
func (s *raceStop) activityText(activity string) string {
	if s.hasScore() {
		return "stopping; the best model so far is used"
	}
	if activity == "" {
		activity = "training"
	}
	return activity + "; stops as soon as an algorithm has a score (Ctrl-C: stop at once)"
}

// watchStoppable is like [Session.WatchRace], but Enter on the terminal ends the race as soon as an
// algorithm has a score, and keeps the best model so far. If the service is in this process, the
// first Ctrl-C does the same.
func (c *Session) watchStoppable(ctx context.Context, key string) (*api.Training, error) {
	if !c.canStopRace() {
		return c.WatchRace(ctx, key, false)
	}
	s := newRaceStop()
	if c.Embedded {
		interrupt := func() { close(s.interrupted) }
		c.factory.OnInterrupt.Store(&interrupt)
		defer c.factory.OnInterrupt.CompareAndSwap(&interrupt, nil)
	}
	if c.enterKeys == nil {
		c.enterKeys = c.factory.Console.ReadEnterKeys(c.factory.Now)
	}
	watchCtx, endWatch := context.WithCancel(ctx)
	var stopping sync.WaitGroup
	stopping.Go(func() { c.stopOnRequest(watchCtx, key, s) })
	job, err := c.watchRace(ctx, key, raceWatchOptions{stop: s})
	endWatch()
	stopping.Wait()
	if s.requested.Load() {
		c.stoppedRace = key
		if ctx.Err() != nil && !c.Embedded && !s.hasScore() {
			c.factory.Note("no algorithm has a score yet, so the race is still running; `foretell training cancel %s` cancels it", key)
		}
	}
	return job, err
}

// stopOnRequest waits until the user has asked to end the race and an algorithm has a score,
// and then ends the race. It also returns when ctx ends.
func (c *Session) stopOnRequest(ctx context.Context, key string, s *raceStop) {
	select {
	case <-c.enterKeys:
		if view := s.view.Load(); view != nil {
			view.CountTypedLine()
		}
		c.factory.OnInterrupt.Store(nil) // the next Ctrl-C ends the command
	case <-s.interrupted:
	case <-ctx.Done():
		return
	}
	s.requested.Store(true)
	select {
	case <-s.scored:
	case <-ctx.Done():
		return
	}
	_, err := client.Call(ctx, c.Client, api.CancelTraining, &api.TrainingInput{TrainingJobKey: key})
	if err != nil && ctx.Err() == nil && api.CodeFromError(err) != api.CodeWrongState { // the race may have ended
		c.factory.Note("the race could not be stopped: %v", err)
	}
}

// RaceError returns err if it is not nil, and otherwise the [TrainingError] of job. The exception
// is a race that the user has ended from the terminal: if it has a model, RaceError returns nil.
func (c *Session) RaceError(job *api.Training, err error) error {
	if err != nil {
		return err
	}
	if job.ModelKey != "" && job.Status == api.TrainingCancelled && job.TrainingJobKey == c.stoppedRace {
		return nil
	}
	return TrainingError(job)
}
