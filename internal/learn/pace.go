package learn

import (
	"context"
	"math"
	"sync"
)

// leeway is by how much virtual time, in nanoseconds, a run may be ahead of
// the slowest, at least. It is a matter of speed only: more keeps more cores
// busy, less ends the race sooner after a win. It does not decide who wins.
const leeway = 250e6

// pacer orders the runs of a race by virtual time, so that who wins does not
// depend on how the machine divides its cores among them.
//
// A run's virtual clock is the sum of its fitters' Work: an estimate of the
// work done, from the shape of the data alone. Before a step the run says when
// it is due: the time on its clock plus the work of the step before. The score
// of the step stands from when it is due or from when its work was done,
// whichever is later. So a run's scores never come earlier than it is due,
// which it is known before the step begins.
//
//	virtual time ───────────────────▶ T
//	SEV01  ├────┼────┼────┼────┤      ┊        due before T: goes on, it may yet win
//	FIF01  ├───────┼───────┼───────┼╌╌┊╌╌╌╌┤   due after T: stopped amid its step
//	SIX01  ├──┼──┼──┼──┼──┼──┼──┼──┼──●        reached the threshold at T
//	SEV02  ├─────┼──────┼──────┼──────┊        due after T: may not begin
//
// The winner is the run whose score reaches the threshold at the smallest
// virtual time, the first in order if two do. Once one has reached it at T,
// those that are due before T go on until they reach it themselves, which
// makes an earlier T, or are due later. Each of these decisions compares
// virtual times only, hence falls the same way every time.
//
// While no run has reached the threshold, a run that is far ahead waits for the
// others: then little is left to do when one does.
type pacer struct {
	mu     sync.Mutex
	turn   *sync.Cond
	lanes  []lane
	won    float64 // virtual time of the win, +Inf before one
	winner int     // the lane that has won so far, -1 before
}

// lane is what the pacer knows of a run.
type lane struct {
	active bool
	due    float64            // no score of it stands earlier than this
	clock  float64            // the work it has done
	step   float64            // the work of its last step
	cancel context.CancelFunc // nil until it has entered
}

func newPacer(lanes int) *pacer {
	p := &pacer{lanes: make([]lane, lanes), won: math.Inf(1), winner: -1}
	p.turn = sync.NewCond(&p.mu)
	for i := range p.lanes {
		p.lanes[i].active = true
	}
	return p
}

// enter returns the context of lane's steps: it ends with ctx and when the
// lane cannot win any more.
func (p *pacer) enter(ctx context.Context, lane int) context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx, p.lanes[lane].cancel = context.WithCancel(ctx)
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.turn.Broadcast()
	})
	return ctx
}

// begin waits until lane may do its next step. It returns false if there is
// none to do: the lane cannot win any more or ctx has ended.
func (p *pacer) begin(ctx context.Context, lane int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ctx.Err() == nil && p.canWin(lane) {
		if p.lanes[lane].due <= p.horizon() {
			return true
		}
		p.turn.Wait()
	}
	return false
}

// canWin tells whether the next score of lane could stand before the win.
func (p *pacer) canWin(lane int) bool {
	due := p.lanes[lane].due
	return due < p.won || due == p.won && lane < p.winner
}

// horizon is how far a run may be due to begin: leeway, or the longest of the
// last steps, beyond the run that is due first.
func (p *pacer) horizon() float64 {
	first, ahead := math.Inf(1), float64(leeway)
	for _, l := range p.lanes {
		if l.active {
			first = min(first, l.due)
			ahead = max(ahead, l.step)
		}
	}
	return first + ahead
}

// end tells that lane has done a step, its clock now showing clock, and
// whether the score has reached the threshold. It returns when the step was
// due. A lane that has reached the threshold is out: it has to wait for the
// others' end to know whether it has won.
func (p *pacer) end(lane int, clock float64, reached bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &p.lanes[lane]
	l.step = max(clock-l.clock, 0)
	l.clock = clock
	stands := max(clock, l.due)
	l.due = max(stands, clock+l.step)
	l.active = l.active && !reached
	if reached && (stands < p.won || stands == p.won && lane < p.winner) {
		p.won, p.winner = stands, lane
		for i := range p.lanes {
			if p.lanes[i].active && p.lanes[i].cancel != nil && !p.canWin(i) {
				p.lanes[i].cancel()
			}
		}
	}
	p.turn.Broadcast()
}

// due returns when the next score of lane is due.
func (p *pacer) due(lane int) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lanes[lane].due
}

// leave takes lane out of the race.
func (p *pacer) leave(lane int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lanes[lane].active = false
	p.lanes[lane].cancel()
	p.turn.Broadcast()
}

// first returns the lane that has won so far, -1 if none has.
func (p *pacer) first() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.winner
}

// beaten tells whether a score that was due at the given time comes too late:
// another lane has won, and would have whatever this one scored.
func (p *pacer) beaten(lane int, due float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.winner < 0 || p.winner == lane {
		return false
	}
	return due > p.won || due == p.won && lane > p.winner
}
