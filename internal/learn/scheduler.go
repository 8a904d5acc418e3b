package learn

import (
	"context"
	"math"
	"sync"
)

// maxLead is how far, in nanoseconds of virtual time, a run may get ahead of the slowest
// run without waiting. It affects only speed, not the winner: a larger value keeps more
// cores busy, a smaller one ends the race sooner after a win.
const maxLead = 250e6

// scheduler orders the runs of a race by virtual time, as fair queueing does, so
// that the winner does not depend on how the machine divides its cores.
//
// A run's virtual clock is the sum of its fitters' Cost, which is computed from counts of
// operations and does not depend on the machine. Before a step, the run's due time is its
// clock plus the cost of the previous step. The time of the step's score is the due time
// or the clock after the step, whichever is later. A lower bound of the time of a score is
// therefore known before its step begins.
//
//	virtual time ───────────────────▶ T
//	SEV01  ├────┼────┼────┼────┤      ┊        due before T: continues, may still win
//	FIF01  ├───────┼───────┼───────┼╌╌┊╌╌╌╌┤   due after T: stopped during its step
//	SIX01  ├──┼──┼──┼──┼──┼──┼──┼──┼──●        reached the threshold at T
//	SEV02  ├─────┼──────┼──────┼──────┊        due after T: does not begin
//
// The winner is the run whose score reaches the threshold at the smallest
// virtual time, or the first of them in order if times are equal. Once a run
// has reached it at T, the runs that are due before T continue. They stop when
// they reach the threshold themselves, which makes T earlier, or when they are
// due after T. These decisions compare only virtual times and are therefore
// reproducible.
//
// While no run has reached the threshold, a run that is far ahead waits for the
// others, so that little remains to be done once a run has reached it. Without a
// threshold no run waits, so that cheap runs end early.
type scheduler struct {
	mu       sync.Mutex
	changed  *sync.Cond
	entrants []entrant
	lead     float64 // maxLead, or +Inf if no run waits
	winTime  float64 // virtual time of the win, +Inf if none exists yet
	winner   int     // the entrant that has won so far, -1 if none exists yet
}

// entrant is the state of a run in the scheduler. Runs are identified by index.
type entrant struct {
	active bool               // whether others wait for it
	due    float64            // the earliest virtual time of its next score
	clock  float64            // the cost of its steps so far
	step   float64            // the cost of its last step
	cancel context.CancelFunc // nil until start
}

// newScheduler returns a scheduler in which a run may be ahead of the slowest run by lead,
// in nanoseconds; see maxLead.
func newScheduler(entrants int, lead float64) *scheduler {
	s := &scheduler{entrants: make([]entrant, entrants), lead: lead, winTime: math.Inf(1), winner: -1}
	s.changed = sync.NewCond(&s.mu)
	for i := range s.entrants {
		s.entrants[i].active = true
	}
	return s
}

// start returns the context of an entrant's steps. It is cancelled with ctx, or
// when the entrant can no longer win.
func (s *scheduler) start(ctx context.Context, index int) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, s.entrants[index].cancel = context.WithCancel(ctx)
	s.entrants[index].active = true
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})
	return ctx
}

// waitTurn waits until an entrant may do its next step. It returns false if the
// entrant can no longer win or ctx is cancelled.
func (s *scheduler) waitTurn(ctx context.Context, index int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ctx.Err() == nil && s.canWin(index) {
		if s.entrants[index].due <= s.latestDue() {
			return true
		}
		s.changed.Wait()
	}
	return false
}

// canWin reports whether the next score of an entrant may be earlier than the
// win.
func (s *scheduler) canWin(index int) bool {
	due := s.entrants[index].due
	return due < s.winTime || due == s.winTime && index <= s.winner
}

// latestDue returns the latest due time at which a run may begin a step. It is
// the earliest due time of the active runs, plus the larger of lead and their
// longest last step.
func (s *scheduler) latestDue() float64 {
	first, ahead := math.Inf(1), s.lead
	for _, e := range s.entrants {
		if e.active {
			first = min(first, e.due)
			ahead = max(ahead, e.step)
		}
	}
	return first + ahead
}

// endStep records that an entrant has done a step. clock is the entrant's total
// cost. reached reports whether the score has reached the threshold. If so, the
// entrant does no further step, but whether it has won is known only when the
// others have ended.
func (s *scheduler) endStep(index int, clock float64, reached bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &s.entrants[index]
	e.step = max(clock-e.clock, 0)
	e.clock = clock
	scoreTime := max(clock, e.due)
	e.due = max(scoreTime, clock+e.step)
	e.active = e.active && !reached
	if reached {
		s.recordWin(index, scoreTime)
	}
	s.changed.Broadcast()
}

// recordWin records that an entrant has reached the threshold at the virtual
// time scoreTime, and stops the entrants that can no longer win.
func (s *scheduler) recordWin(index int, scoreTime float64) {
	if scoreTime > s.winTime || scoreTime == s.winTime && index >= s.winner {
		return
	}
	s.winTime, s.winner = scoreTime, index
	for i := range s.entrants {
		if s.entrants[i].active && s.entrants[i].cancel != nil && !s.canWin(i) {
			s.entrants[i].cancel()
		}
	}
}

// setRemote marks an entrant as trained by another machine. Other entrants do not wait for
// it.
func (s *scheduler) setRemote(index int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entrants[index].active = false
}

// recordRemoteWin is recordWin for an entrant that another machine trains.
func (s *scheduler) recordRemoteWin(index int, scoreTime float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordWin(index, scoreTime)
	s.changed.Broadcast()
}

// nextDue returns the earliest virtual time of an entrant's next score.
func (s *scheduler) nextDue(index int) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entrants[index].due
}

// remove removes an entrant from the race.
func (s *scheduler) remove(index int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entrants[index].active = false
	s.entrants[index].cancel()
	s.changed.Broadcast()
}

// currentWinner returns the entrant that has won so far, or -1 if none has.
func (s *scheduler) currentWinner() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.winner
}

// isLate reports whether a score of an entrant is too late to count. The parameter due is
// the virtual time at which the score was due. A score is too late if another entrant has
// won and a score at the time due could not have beaten the winner.
func (s *scheduler) isLate(index int, due float64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.winner < 0 || s.winner == index {
		return false
	}
	return due > s.winTime || due == s.winTime && index > s.winner
}
