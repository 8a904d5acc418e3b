package learn

import (
	"context"
	"math"
	"slices"

	"foretell/internal/learn/split"
)

// run is one algorithm in the race: a fitter for each part of the plan, all of
// them at the same step.
type run struct {
	entrant
	lane    int
	fitters []learner // nil once the run is out
	// models are what they have kept by then. None of them ever predicts: to do
	// that would take several times the memory, see share.fold.
	models  []predictor
	parts   []split.Part
	classes int
	workers int

	over   []bool // the fitters that are done
	step   int
	worked float64 // the clock as of the last score
	stall  stall
	kept   kept
	curve  []point

	reached bool // its last score is at the threshold or above, or it is certain
	status  Status
	err     error
}

// kept is the state a run's fitters remember.
type kept struct {
	score
	step          int     // 0 if nothing is kept
	merit         float64 // less is better
	work          float64 // that led to it
	probabilities []float32
}

// point is one score of a run's curve, with what was kept by then.
type point struct {
	due         float64
	performance float64
	kept        kept // without probabilities
}

// open makes the run's fitters.
func (u *run) open(ctx context.Context, t *table, seed uint64) error {
	u.fitters = make([]learner, len(u.parts))
	u.over = make([]bool, len(u.parts))
	shared := &rooms{}
	inner := max(1, (u.workers+len(u.parts)-1)/len(u.parts))
	return each(u.workers, len(u.parts), func(i int) (err error) {
		u.fitters[i], err = u.by.fit(ctx, task{
			table: t, part: u.parts[i], number: i, seed: derive(seed, i), workers: inner, rooms: shared,
		})
		return err
	})
}

// advance does the next step of every fitter. done tells that none of them has
// another step to do.
func (u *run) advance(ctx context.Context) (done bool, err error) {
	err = each(u.workers, len(u.fitters), func(i int) error {
		if u.over[i] {
			return nil
		}
		var err error
		u.over[i], err = u.fitters[i].Step(ctx)
		return err
	})
	u.step++
	return !slices.Contains(u.over, false), err
}

// tellAll writes what the fitters say of the validation rows, part after part,
// to dst.
func (u *run) tellAll(dst []float32) error {
	at := make([]int, len(u.parts)+1)
	for i, part := range u.parts {
		at[i+1] = at[i] + len(part.Eval)*u.classes
	}
	return each(u.workers, len(u.fitters), func(i int) error {
		u.fitters[i].EvalProbabilities(dst[at[i]:at[i+1]])
		return nil
	})
}

// work is the run's virtual clock.
func (u *run) work() float64 {
	sum := 0.0
	for _, fitter := range u.fitters {
		sum += fitter.Cost()
	}
	return sum
}

// retire keeps the models of a run that is out and lets go of all that it
// needed to learn.
func (u *run) retire() {
	u.models = make([]predictor, len(u.parts))
	for i, fitter := range u.fitters {
		if fitter != nil && u.status != Failed {
			u.models[i] = fitter.Model()
		}
		u.fitters[i] = nil // the next model needs the memory
	}
	u.fitters = nil
}

// note records the score of the last step, whose probabilities are now, keeps the
// step if it is the best or must is set, and reports whether the run has stalled.
// must is for a step that has reached the threshold, and for one without rows to
// judge it on. The run keeps now if it keeps the step; spare is a slice that it
// does not need any more.
func (u *run) note(s score, now []float32, due float64, must bool) (spare []float32, stalled bool) {
	if m := merit(s, len(now)/u.classes); must || u.kept.step == 0 || m < u.kept.merit {
		for _, fitter := range u.fitters {
			fitter.Checkpoint()
		}
		spare = u.kept.probabilities
		u.kept = kept{score: s, step: u.step, merit: m, work: u.work(), probabilities: now}
	} else {
		spare = now
	}
	summary := u.kept
	summary.probabilities = nil
	u.worked = u.work()
	u.curve = append(u.curve, point{due: due, performance: s.performance, kept: summary})
	patience := u.by.patience
	if len(u.parts) == 1 {
		patience = (patience + 1) / 2
	}
	return spare, u.stall.after(s, len(now)/u.classes, u.step, patience)
}

// merit orders the steps of a run, less being better: the geometric mean of
// error and log loss, in logarithms. Log loss alone is smooth but its minimum
// may be far from that of the error; the error alone is coarse and would keep
// a lucky step. A change of either counts by its ratio. Half a row is added to
// the error so that none at all is not infinitely good.
func merit(s score, rows int) float64 {
	return math.Log(1-s.performance+0.5/float64(max(rows, 1))) + math.Log(s.logLoss+1e-6)
}

// stall finds out when a run gets no better.
type stall struct {
	logLoss, performance float64 // the best so far
	step                 int     // when one of them was last improved
}

// leastGain is the smallest relative improvement of log loss that counts.
//
// The log loss of a run that is right on every row falls for ever. What it gains
// then tells less and less of other rows: that n rows are right leaves room for
// an error on one of n others. So an improvement counts if it is a tenth of that,
// perfectGain/n, at least.
const (
	leastGain   = 1e-4
	perfectGain = 0.1
)

// after reports whether the last patience steps have improved neither log loss
// nor performance, both on rows rows.
func (l *stall) after(s score, rows, step, patience int) bool {
	if l.step == 0 {
		*l = stall{logLoss: math.Inf(1), performance: -1}
	}
	gain := leastGain * l.logLoss
	if s.performance >= 1 && l.step > 0 {
		gain = max(gain, perfectGain/float64(max(rows, 1)))
	}
	if s.logLoss < l.logLoss-gain || s.performance > l.performance {
		*l = stall{min(l.logLoss, s.logLoss), max(l.performance, s.performance), step}
	}
	return step-l.step >= patience
}

// withdraw forgets the scores that were due after the win: whether they were
// made depends on the machine.
func (u *run) withdraw(p *pacer) {
	n := len(u.curve)
	for n > 0 && p.beaten(u.lane, u.curve[n-1].due) {
		n--
	}
	if n == len(u.curve) {
		return
	}
	u.curve = u.curve[:n]
	u.kept = kept{}
	if n > 0 {
		u.kept = u.curve[n-1].kept
	}
}

// derive returns a seed for the i-th of several equal things (SplitMix64's
// finaliser).
func derive(seed uint64, i int) uint64 {
	x := seed + uint64(i+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
