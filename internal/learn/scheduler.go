package learn

import (
	"context"
	"math"
	"sync"
)

// maxLead is how far, in nanoseconds of virtual time, a run may get ahead of
// the slowest without waiting. It affects only speed, not the winner: a larger
// value keeps more cores busy, a smaller one ends the race sooner after a win.
const maxLead = 250e6

// scheduler orders the runs of a race by virtual time, as fair queueing does, so
// that the winner does not depend on how the machine divides its cores.
//
// A run's virtual clock is the sum of its fitters' Cost, which is estimated
// from the shape of the data alone. Before a step, the run's due time is its
// clock plus the cost of the previous step. The time of the step's score is the
// due time or the clock after the step, whichever is later. A lower bound of
// the time of a score is therefore known before its step begins.
//
//	virtual time ───────────────────▶ T
//	SEV01  ├────┼────┼────┼────┤      ┊        due before T: continues, may still win
//	FIF01  ├───────┼───────┼───────┼╌╌┊╌╌╌╌┤   due after T: stopped during its step
//	SIX01  ├──┼──┼──┼──┼──┼──┼──┼──┼──●        reached the threshold at T
//	SEV02  ├─────┼──────┼──────┼──────┊        due after T: does not begin
//
// The winner is the run whose score reaches the threshold at the smallest
// virtual time, or the first in order if two do. Once a run has reached it at
// T, the runs that are due before T continue. They stop when they reach the
// threshold themselves, which makes T earlier, or when they are due after T.
// These decisions compare only virtual times and are therefore reproducible.
//
// While no run has reached the threshold, a run that is far ahead waits for the
// others, so that little remains to be done once a run has reached it.
type scheduler struct {
	mu       sync.Mutex
	changed  *sync.Cond
	entrants []entrant
	winTime  float64 // virtual time of the win, +Inf before one
	winner   int     // the entrant that has won so far, -1 before
}

// entrant is the state of a run in the scheduler. Runs are identified by index.
type entrant struct {
	active bool
	due    float64            // the earliest virtual time of its next score
	clock  float64            // the cost of its steps so far
	step   float64            // the cost of its last step
	cancel context.CancelFunc // nil until start
}

func newScheduler(entrants int) *scheduler {
	p := &scheduler{entrants: make([]entrant, entrants), winTime: math.Inf(1), winner: -1}
	p.changed = sync.NewCond(&p.mu)
	for i := range p.entrants {
		p.entrants[i].active = true
	}
	return p
}

// start returns the context of an entrant's steps. It is cancelled with ctx, or
// when the entrant can no longer win.
func (p *scheduler) start(ctx context.Context, index int) context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx, p.entrants[index].cancel = context.WithCancel(ctx)
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changed.Broadcast()
	})
	return ctx
}

// waitTurn waits until an entrant may do its next step. It returns false if the
// entrant can no longer win or ctx is cancelled.
func (p *scheduler) waitTurn(ctx context.Context, index int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ctx.Err() == nil && p.canWin(index) {
		if p.entrants[index].due <= p.horizon() {
			return true
		}
		p.changed.Wait()
	}
	return false
}

// canWin reports whether the next score of an entrant may be earlier than the
// win.
func (p *scheduler) canWin(index int) bool {
	due := p.entrants[index].due
	return due < p.winTime || due == p.winTime && index < p.winner
}

// horizon returns the latest due time at which a run may begin a step: that of
// the run due first plus maxLead or the longest last step, whichever is larger.
func (p *scheduler) horizon() float64 {
	first, ahead := math.Inf(1), float64(maxLead)
	for _, l := range p.entrants {
		if l.active {
			first = min(first, l.due)
			ahead = max(ahead, l.step)
		}
	}
	return first + ahead
}

// endStep records that an entrant has done a step. clock is the entrant's total
// cost. reached reports whether the score has reached the threshold; if so, the
// entrant does no further step, but only when the others have ended is it known
// whether it has won.
func (p *scheduler) endStep(index int, clock float64, reached bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &p.entrants[index]
	l.step = max(clock-l.clock, 0)
	l.clock = clock
	stands := max(clock, l.due)
	l.due = max(stands, clock+l.step)
	l.active = l.active && !reached
	if reached && (stands < p.winTime || stands == p.winTime && index < p.winner) {
		p.winTime, p.winner = stands, index
		for i := range p.entrants {
			if p.entrants[i].active && p.entrants[i].cancel != nil && !p.canWin(i) {
				p.entrants[i].cancel()
			}
		}
	}
	p.changed.Broadcast()
}

// due returns the earliest virtual time of an entrant's next score.
func (p *scheduler) due(index int) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entrants[index].due
}

// remove removes an entrant from the race.
func (p *scheduler) remove(index int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entrants[index].active = false
	p.entrants[index].cancel()
	p.changed.Broadcast()
}

// leading returns the entrant that has won so far, or -1 if none has.
func (p *scheduler) leading() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.winner
}

// isLate reports whether a score that was due at the given time does not count,
// because another entrant has won and would have won whatever the score.
func (p *scheduler) isLate(index int, due float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.winner < 0 || p.winner == index {
		return false
	}
	return due > p.winTime || due == p.winTime && index > p.winner
}
