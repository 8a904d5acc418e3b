package learn

import "math"

// If algorithm.doubles is set and the log loss is still decreasing steeply in the middle of a
// schedule, the schedule is doubled. The longer schedule may be doubled again in its own middle.
// Without doubling, the schedule would end long before the network has learned a table whose
// classes hardly overlap; see the measurements in docs/experiments.md.
const (
	// maxSteepRatio is the limit for the log loss in the middle of the schedule, divided by the log
	// loss after a quarter of the schedule. If the ratio is lower, the schedule is doubled.
	maxSteepRatio = 0.85
	// minDoublingRows is the smallest number of labelled rows for which a schedule is doubled. On
	// smaller tables, the default schedule has at least 35 epochs, and boosting also learns classes
	// that hardly overlap. Longer schedules of the network did not improve the blend on such
	// tables.
	minDoublingRows = 5000
	// maxDoubledCost is the largest cost of a doubled schedule in a race of the default effort, in
	// nanoseconds of one core.
	maxDoubledCost = 100e9
)

// doubling decides when the schedule of a run is doubled. The decision depends only on the scores
// and the estimated cost of the run, so it is the same on every machine.
type doubling struct {
	left    int     // how often it may still be doubled
	count   int     // how often it has been doubled
	maxCost float64 // largest cost of a doubled schedule of all fitters
	// quarterLogLoss is the log loss after a quarter of the current schedule; 0 before that.
	quarterLogLoss float64
}

// newDoubling returns the doubling of a run that has not begun. The longest schedule has eight times
// the default number of epochs.
func (e Effort) newDoubling() doubling {
	switch e {
	case EffortFast:
		return doubling{}
	case EffortBest: // the schedule begins with four times the default number
		return doubling{left: 1, maxCost: math.Inf(1)}
	}
	return doubling{left: 3, maxCost: maxDoubledCost}
}

// isMiddle reports whether progress, a value of fitter.Progress, has reached the middle of a
// schedule that has been doubled the given number of times.
func isMiddle(progress float64, doublings int) bool {
	const rounding = 1e-9
	return progress >= math.Ldexp(0.5, doublings)-rounding
}

// doubleIfSteep doubles the schedules of all fitters if the last step was in the middle of the
// schedule and the log loss still falls steeply. s is the score of this step, and rows is the number
// of validation rows.
func (r *run) doubleIfSteep(s score, rows int) {
	d := &r.doubling
	if d.left == 0 {
		return
	}
	switch progress := r.progress(); {
	case isMiddle(progress, d.count):
		doubledCost := 4 * r.cost() // a quarter of the doubled schedule is done
		if !(s.logLoss < maxSteepRatio*d.quarterLogLoss) || r.isFlawless(s, rows) || doubledCost > d.maxCost {
			d.left = 0
			return
		}
		for _, fitter := range r.fitters {
			fitter.DoubleSchedule()
		}
		d.left, d.count = d.left-1, d.count+1
		d.quarterLogLoss = s.logLoss // the middle of the shorter schedule is a quarter of the longer one
	case d.quarterLogLoss == 0 && progress >= 0.25:
		d.quarterLogLoss = s.logLoss
	}
}
