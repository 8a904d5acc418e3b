package learn

import (
	"context"
	"fmt"
	"iter"
	"math"
	"time"

	"foretell/internal/learn/split"
)

// What follows the race is not free: this much of a time limit is kept for the
// figures of the report, with what the validation rows take to be calibrated and
// scored, and the refit is reckoned a little dearer than it is. The time per cell,
// one class of one row, was measured on kddcup99: 0.7 s for 767,000 cells.
const (
	figuresShare = 0.03
	figuresLeast = 250 * time.Millisecond
	figuresMost  = 2 * time.Second
	perCell      = 1000 * time.Nanosecond
	caution      = 1.25
)

// refit learns the model of each share from every labelled row, the heaviest
// first. Where it cannot finish, because ctx ended or the limit is near, a
// share is the models of its folds, and complete is false: together they have
// learnt from all rows but the test part.
//
// One fit on all rows is better than the mean of the fold models: on rows set
// aside, the log loss of boosting was lower by 1 % on credit-g, 17 % on soybean
// and 55 % on car. The mean of five such fits, each with a seed of its own, was
// no better than one of them (by 0.4 %), at five times the cost.
//
// Refits that would take long beside the race are saved: where there are so
// many rows, the one holdout has left hardly fewer to learn from.
func (r *race) refit(ctx context.Context, c *choice) (members []member, complete bool) {
	ctx, done := r.timer.within(ctx, r.figures)
	defer done()
	complete = true
	budget := max(leastRefit, r.worked()*refitShare)
	for i, s := range c.shares {
		budget -= s.refitWork(r.table.Rows)
		if i == 0 || budget >= 0 {
			if p, err := r.relearn(ctx, s.run); err == nil {
				members = append(members, member{s.by.kind, s.weight, p})
				continue
			}
			complete = false
		}
		for _, p := range s.models { // as they wait on the disk
			members = append(members, member{s.by.kind, s.weight / float64(len(s.models)), p})
		}
	}
	return members, complete
}

// What the refits of a blend may take: a share of the work of the race, or so
// many nanoseconds of one core where that is more.
const (
	refitShare = 1.0 / 3
	leastRefit = 30e9
)

// relearn returns a run's model, learnt from every labelled row for as many
// steps as were found to be best.
func (r *race) relearn(ctx context.Context, u *run) (p predictor, err error) {
	all := make([]int32, r.table.Rows)
	for i := range all {
		all[i] = int32(i)
	}
	err = guarded(func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		fitter, err := u.by.fit(ctx, task{
			table: r.table, part: split.Part{Train: all}, number: refitPart, workers: r.table.params.Workers, rooms: &rooms{},
			seed: derive(r.table.params.Seed, int(u.by.kind)+refitSeeds),
		})
		steps := u.refitSteps(r.table.Rows)
		for step, over := 0, false; err == nil && !over && step < steps; step++ {
			over, err = fitter.Step(ctx)
		}
		if err == nil {
			p = fitter.Model()
		}
		return err
	})
	return p, err
}

// folds yields the members that stand for a share without a refit: what its
// fitters have kept. Each is made when it is asked for.
func (s share) folds() iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		for i := range s.parts {
			one, err := s.fold(i)
			one.weight /= float64(len(s.parts))
			if !yield(one, err) {
				return
			}
		}
	}
}

// fold returns what the share's fitter of one fold has kept, as a model of its
// own to predict with: what that needs goes when the caller is done.
func (s share) fold(i int) (member, error) {
	one, err := s.by.reread(member{s.by.kind, s.weight, s.models[i]})
	if err != nil {
		return member{}, fmt.Errorf("%s: fold %d: %w", s.Name, i+1, err)
	}
	return one, nil
}

// reread returns a copy of a member that what it needs to predict goes with.
func (m *method) reread(one member) (member, error) {
	inner, columns := unscreened(one.predictor)
	b, err := inner.AppendBinary(nil)
	if err != nil {
		return member{}, err
	}
	one.predictor, err = m.read(b)
	if columns != nil {
		one.predictor = screenedModel{one.predictor, columns}
	}
	return one, err
}

// refitSeeds keeps the seeds of the refit apart from those of the folds, and
// refitPart its number.
const (
	refitSeeds = 1000
	refitPart  = -1
)

// ratio is how many times as many rows the refit learns from as a fold did.
func (u *run) ratio(rows int) float64 {
	learnt := 0
	for _, part := range u.parts {
		learnt += len(part.Train)
	}
	return float64(rows) * float64(len(u.parts)) / float64(max(learnt, 1))
}

// refitSteps is the number of steps of the refit on the given number of rows.
func (u *run) refitSteps(rows int) int {
	return int(math.Round(float64(u.kept.step) * math.Pow(u.ratio(rows), u.by.growth)))
}

// spare is how much time has to be left when the race ends: what the refit of
// the present lead takes, judging by the work done per second so far.
func (r *race) spare() time.Duration {
	lead := r.lead()
	if lead == nil {
		return r.figures()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seconds := lead.refitWork(r.table.Rows) / max(r.worked(), 1) * r.timer.elapsed().Seconds() * caution
	return r.figures() + time.Duration(seconds*float64(time.Second))
}

// worked is the work of all runs so far.
func (r *race) worked() float64 {
	sum := 0.0
	for _, u := range r.runs {
		sum += u.worked
	}
	return sum
}

// refitWork is the work of the refit on the given number of rows.
func (u *run) refitWork(rows int) float64 {
	return u.kept.work / float64(len(u.parts)) * math.Pow(u.ratio(rows), 1+u.by.growth)
}

// figures is how much time is kept for the report.
func (r *race) figures() time.Duration {
	cells := len(r.judge.labels) * r.table.classes()
	return min(figuresMost, max(figuresLeast, time.Duration(float64(r.timer.limit)*figuresShare))) + time.Duration(cells)*perCell
}
