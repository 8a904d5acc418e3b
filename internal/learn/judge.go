package learn

import (
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// score is how good probabilities are on the rows a race is judged on.
type score struct {
	// performance is by the metric of the race: 0…1, more is better.
	performance float64
	// logLoss is in nats, less is better.
	logLoss float64
}

// judge scores the probabilities of the validation rows. Its methods may be
// called by several goroutines.
//
// Decision weights and the temperature are fitted to the very rows they are to
// be judged on. Cross-fitting keeps that honest: the rows are dealt into two
// halves, and each half is scored with what was fitted to the other.
type judge struct {
	metric  string
	classes int
	labels  []int32
	halves  [2][]int32 // places in labels
	// slates are where runs write their probabilities, so many at a time; nil
	// is one to be made.
	slates chan []float32
}

// judgedAtOnce is the number of runs whose steps are judged at a time: all that
// the judge looks at is in memory.
const judgedAtOnce = 2

func newJudge(name string, classes int, labels []int32) *judge {
	j := &judge{metric: name, classes: classes, labels: labels, slates: make(chan []float32, judgedAtOnce)}
	for range judgedAtOnce {
		j.slates <- nil
	}
	dealt := make([]uint8, classes)
	for i, label := range labels {
		half := dealt[label] & 1
		dealt[label]++
		j.halves[half] = append(j.halves[half], int32(i))
	}
	return j
}

// assess scores the last step of a run, and tells whether the run has stalled.
func (r *race) assess(u *run) (stalled bool, err error) {
	now := <-r.judge.slates
	defer func() { r.judge.slates <- now }()
	if now == nil {
		now = make([]float32, len(r.judge.labels)*r.judge.classes)
	}
	if err := u.tellAll(now); err != nil {
		return false, err
	}
	s := r.judge.score(now)
	u.reached = r.reaches(s.performance)
	r.mu.Lock()
	defer r.mu.Unlock()
	now, stalled = u.note(s, now, r.pace.due(u.lane), u.reached || len(r.judge.labels) == 0)
	return stalled, nil
}

// score returns the score of the given probabilities, one row for each label.
func (j *judge) score(probabilities []float32) score {
	p := j.decided(probabilities)
	performance, err := metric.Score(j.metric, p)
	if err != nil || math.IsNaN(performance) { // the name is known; nothing to score is worth nothing
		performance = 0
	}
	p.Probabilities = probabilities
	return score{performance: performance, logLoss: finite(metric.LogLoss(p))}
}

// decided returns the predictions with the decision weights that the metric asks
// for, cross-fitted.
func (j *judge) decided(probabilities []float32) metric.Predictions {
	if j.weighs() {
		probabilities = j.weighted(probabilities)
	}
	return j.predictions(probabilities)
}

// weighs tells whether decisions are weighted under the metric.
func (j *judge) weighs() bool {
	return j.metric == metric.NameBalancedAccuracy || j.metric == metric.NameMacroF1
}

func (j *judge) predictions(probabilities []float32) metric.Predictions {
	return metric.Predictions{Probabilities: probabilities, Labels: j.labels, Classes: j.classes}
}

// weights returns the decision weights for new rows.
func (j *judge) weights(probabilities []float32) []float64 {
	return metric.FitClassWeights(j.metric, j.predictions(probabilities))
}

// weighted returns the probabilities with each half multiplied by the weights
// fitted to the other.
func (j *judge) weighted(probabilities []float32) []float32 {
	return j.crossed(probabilities, func(fit metric.Predictions) func(row []float32) {
		weights := metric.FitClassWeights(j.metric, fit)
		return func(row []float32) {
			for c := range weights {
				row[c] *= float32(weights[c])
			}
		}
	})
}

// tempered returns the probabilities with each half at the temperature fitted
// to the other.
func (j *judge) tempered(probabilities []float32) []float32 {
	return j.crossed(probabilities, func(fit metric.Predictions) func(row []float32) {
		temperature := metric.FitTemperature(fit)
		return func(row []float32) { temperature.Apply(row, j.classes) }
	})
}

// crossed returns a copy of the probabilities, the rows of each half changed
// by what fit returns for the other half.
func (j *judge) crossed(probabilities []float32, fit func(metric.Predictions) func(row []float32)) []float32 {
	dst := slices.Clone(probabilities)
	for half, places := range j.halves {
		change := fit(j.only(probabilities, j.halves[1-half]))
		for _, i := range places {
			change(dst[int(i)*j.classes:][:j.classes])
		}
	}
	return dst
}

// only returns the predictions of the rows at the given places.
func (j *judge) only(probabilities []float32, places []int32) metric.Predictions {
	p := metric.Predictions{Classes: j.classes}
	for _, i := range places {
		p.Probabilities = append(p.Probabilities, probabilities[int(i)*j.classes:][:j.classes]...)
		p.Labels = append(p.Labels, j.labels[i])
	}
	return p
}

// interval returns the 95 % confidence interval of the performance of
// probabilities; none for nil.
func (j *judge) interval(probabilities []float32) metric.Interval {
	if probabilities == nil {
		return metric.Interval{Low: math.NaN(), High: math.NaN()}
	}
	return metric.ScoreInterval(j.metric, j.decided(probabilities))
}

// finite is x, or 0 where there was nothing to compute it from.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
