// Package scheduler decides which algorithm of a race wins. Each algorithm is trained in a run. The
// scheduler compares the virtual times at which the runs win: at which they reach the threshold or,
// without one, stall with perfect scores. The winner is therefore the same on every machine.
package scheduler

import (
	"context"
	"math"
	"sync"
)

// maxLead is the virtual time, in nanoseconds, by which a run may be ahead of the slowest run
// without waiting. If single steps take longer than maxLead, the run may be further ahead; see
// latestDue. maxLead does not affect which run wins. With a larger value, more cores are busy; with
// a smaller value, the race ends sooner after a win.
const maxLead = 250e6

// Scheduler orders the steps of the runs by virtual time, as in fair queueing. The winner then does
// not depend on how the machine divides its cores among the runs.
//
// A run's virtual clock is the cost of its steps so far, which is the same on every machine. Each
// score has a due time that is known before its step begins: the clock plus the cost of the
// previous step or, if it is later, the time of the previous score. After the step, the time of the
// score is the due time or the clock, whichever is later.
//
//	virtual time ───────────────────▶ T
//	SEV01  ├────┼────┼────┼────┤      ┊        due before T: continues, may still win
//	FIF01  ├───────┼───────┼───────┼╌╌┊╌╌╌╌┤   due after T: stopped during its step
//	SIX01  ├──┼──┼──┼──┼──┼──┼──┼──┼──●        won at T
//	SEV02  ├─────┼──────┼──────┼──────┊        due after T: does not begin
//
// The winner is the run whose score reaches the threshold at the smallest virtual time or, in a
// tie, the run with the smallest index. When a run has reached the threshold at T, each run whose
// next score is due before T continues, until it reaches the threshold itself or its next score is
// due after T. If it reaches the threshold before T, the time of its score is the new T. All these
// decisions depend only on virtual times, so they are reproducible.
//
// While no run has reached the threshold, a run that is far ahead waits for the other runs. When a
// run then reaches the threshold, the other runs need little time to get to T. Without a threshold,
// no run waits, so that cheap runs end early.
type Scheduler struct {
	mu      sync.Mutex
	changed *sync.Cond
	runs    []runState
	lead    float64 // maxLead, or +Inf if no run waits
	winTime float64 // virtual time of the win; +Inf if no run has won
	winner  int     // the run that has won so far; -1 before any run has won
}

// runState is the state of a run in the scheduler. Runs are identified by their index.
type runState struct {
	active            bool               // whether other runs wait for it
	ignoresRemoteWins bool               // whether wins on another machine no longer count; see DropRemoteWin
	due               float64            // the due time of its next score
	clock             float64            // the cost of its steps so far
	lastStepCost      float64            // the cost of its last step
	wonAt             float64            // the virtual time at which it has won, or +Inf
	cancel            context.CancelFunc // nil until RunContext
}

// New returns a scheduler for the given number of runs. If wait is true, a run that is
// far ahead of the slowest run waits.
func New(runs int, wait bool) *Scheduler {
	lead := math.Inf(1)
	if wait {
		lead = maxLead
	}
	s := &Scheduler{runs: make([]runState, runs), lead: lead, winTime: math.Inf(1), winner: -1}
	s.changed = sync.NewCond(&s.mu)
	for i := range s.runs {
		s.runs[i].active, s.runs[i].wonAt = true, math.Inf(1)
	}
	return s
}

// RunContext returns the context for the steps of a run. The context is cancelled when
// ctx is, or when the run can no longer win.
func (s *Scheduler) RunContext(ctx context.Context, index int) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, s.runs[index].cancel = context.WithCancel(ctx)
	s.runs[index].active = true
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})
	return ctx
}

// WaitTurn waits until a run may do its next step. It returns false if the
// run can no longer win or ctx is cancelled.
func (s *Scheduler) WaitTurn(ctx context.Context, index int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ctx.Err() == nil && s.canWin(index) {
		if s.runs[index].due <= s.latestDue() {
			return true
		}
		s.changed.Wait()
	}
	return false
}

// canWin reports whether the next score of a run is due early enough to win.
func (s *Scheduler) canWin(index int) bool {
	due := s.runs[index].due
	return due < s.winTime || due == s.winTime && index <= s.winner
}

// latestDue returns the latest due time with which a run may begin a step; runs with a later due
// time wait. It is the earliest due time of the active runs plus a lead. The lead is s.lead or, if
// that is larger, the largest lastStepCost of the active runs.
func (s *Scheduler) latestDue() float64 {
	first, ahead := math.Inf(1), s.lead
	for _, e := range s.runs {
		if e.active {
			first = min(first, e.due)
			ahead = max(ahead, e.lastStepCost)
		}
	}
	return first + ahead
}

// EndStep records that a run has done a step. clock is the total cost of the run. reached reports
// whether the score has reached the threshold. The run then does no further step, but another run
// that has not ended may still win.
func (s *Scheduler) EndStep(index int, clock float64, won bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &s.runs[index]
	e.lastStepCost = max(clock-e.clock, 0)
	e.clock = clock
	scoreTime := max(clock, e.due)
	e.due = max(scoreTime, clock+e.lastStepCost)
	e.active = e.active && !won
	if won {
		s.recordWinAndCancelLosers(index, scoreTime)
	}
	s.changed.Broadcast()
}

// recordWinAndCancelLosers records that a run has reached the threshold at the virtual time
// scoreTime. It cancels the runs that can no longer win. If the current winner was earlier, it
// cancels no run.
func (s *Scheduler) recordWinAndCancelLosers(index int, scoreTime float64) {
	s.runs[index].wonAt = scoreTime
	if s.chooseWinner(); s.winner != index {
		return
	}
	for i := range s.runs {
		if s.runs[i].active && s.runs[i].cancel != nil && !s.canWin(i) {
			s.runs[i].cancel()
		}
	}
}

// chooseWinner sets s.winner to the run that has won at the smallest virtual time, and s.winTime to
// this time. In a tie it chooses the run with the smallest index.
func (s *Scheduler) chooseWinner() {
	s.winTime, s.winner = math.Inf(1), -1
	for i, e := range s.runs {
		if e.wonAt < s.winTime {
			s.winTime, s.winner = e.wonAt, i
		}
	}
}

// SetRemote marks a run as trained by another machine. Other runs do not wait for
// it.
func (s *Scheduler) SetRemote(index int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[index].active = false
}

// RecordRemoteWin records that a run on another machine has won at the virtual time scoreTime, and
// cancels the runs that can no longer win.
func (s *Scheduler) RecordRemoteWin(index int, scoreTime float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.runs[index].ignoresRemoteWins {
		s.recordWinAndCancelLosers(index, scoreTime)
	}
	s.changed.Broadcast()
}

// DropRemoteWin drops the win of a run on another machine, because no recording confirms it. The
// run can then win only on this machine. The earliest of the other runs that have reached the
// threshold becomes the winner.
func (s *Scheduler) DropRemoteWin(index int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[index].ignoresRemoteWins, s.runs[index].wonAt = true, math.Inf(1)
	s.chooseWinner()
	s.changed.Broadcast()
}

// NextDue returns the virtual time at which the next score of the run with this index is due. The score
// may come later.
func (s *Scheduler) NextDue(index int) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[index].due
}

// RemoveRun removes a run that has ended: the other runs no longer wait for it. RemoveRun cancels
// the context that RunContext returned. If the run has won, its win stays recorded.
func (s *Scheduler) RemoveRun(index int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[index].active = false
	s.runs[index].cancel()
	s.changed.Broadcast()
}

// CurrentWinner returns the run that has won so far, or -1 if no run has won.
func (s *Scheduler) CurrentWinner() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.winner
}

// IsLate reports whether a score of a run comes too late to be used, because another run wins
// before the score is due. due is the due time of the score.
func (s *Scheduler) IsLate(index int, due float64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.winner < 0 || s.winner == index {
		return false
	}
	return due > s.winTime || due == s.winTime && index > s.winner
}
