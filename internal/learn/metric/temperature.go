package metric

import (
	"context"
	"math"
)

// Temperature calibrates probabilities by one number T for all classes:
//
//	q_c = p_c^(1/T) / Σ_k p_k^(1/T)
//
// T > 1 makes the probabilities of an overconfident model softer, and T < 1
// makes the probabilities of an underconfident model sharper. The order of the
// classes stays the same, so decisions do not change. See Guo et al., On
// Calibration of Modern Neural Networks (2017).
type Temperature float64

// priorDeviation is the standard deviation of the normal prior on ln T. The
// prior keeps T near 1 for few rows. Without the prior, a few rows that are all
// predicted correctly would yield T = 0.
const priorDeviation = 0.5

// maxLogTemperature is the largest |ln T| that FitTemperature considers. Unless there are millions
// of rows, the prior keeps |ln T| far below this limit.
const maxLogTemperature = 3

// FitTemperature returns the temperature that minimises the log loss of p. The model must not have
// been trained on the rows of p. The result is 1 if p has no rows. FitTemperature returns an error
// only if ctx is cancelled.
func FitTemperature(ctx context.Context, p Predictions) (Temperature, error) {
	if len(p.Labels) == 0 {
		return 1, ctx.Err()
	}
	logs := p.shiftedLogProbabilities(ctx)
	rows := float64(len(p.Labels))
	cost := func(u float64) float64 {
		return temperedLogLoss(ctx, logs, p.Labels, math.Exp(-u)) + u*u/(2*priorDeviation*priorDeviation*rows)
	}
	u := goldenSectionSearch(cost, -maxLogTemperature, maxLogTemperature)
	return Temperature(math.Exp(u)), ctx.Err()
}

// shiftedLogProbabilities returns the logarithms of the probabilities of p. The logarithms of each
// row are shifted so that the largest is 0. The result is incomplete if ctx is cancelled.
func (p Predictions) shiftedLogProbabilities(ctx context.Context) []float64 {
	logs := make([]float64, len(p.Probabilities))
	for i := range p.Labels {
		if isCancelled(ctx, i) {
			return logs
		}
		row, top := logs[i*p.Classes:(i+1)*p.Classes], math.Inf(-1)
		for c, q := range p.row(i) {
			row[c] = logProbability(q)
			top = max(top, row[c])
		}
		for c := range row {
			row[c] -= top
		}
	}
	return logs
}

// logProbability returns the natural logarithm of q. A q below the smallest normal float32 counts
// as this float32, because the logarithm of 0 is infinite.
func logProbability(q float32) float64 {
	return math.Log(float64(max(q, 0x1p-126)))
}

// temperedLogLoss returns the mean log loss after Temperature(1/beta) has been applied to the
// probabilities. logs is the result of shiftedLogProbabilities. The result is undefined if ctx is
// cancelled.
func temperedLogLoss(ctx context.Context, logs []float64, labels []int32, beta float64) float64 {
	classes := len(logs) / len(labels)
	sum := 0.0
	for i, label := range labels {
		if isCancelled(ctx, i) {
			break
		}
		row := logs[i*classes : (i+1)*classes]
		total := 0.0
		for _, l := range row {
			total += math.Exp(beta * l)
		}
		sum += math.Log(total) - beta*row[label]
	}
	return sum / float64(len(labels))
}

// goldenSectionSearch returns the x between low and high that minimises f, to within 0.01.
// f must have a single minimum there.
func goldenSectionSearch(f func(float64) float64, low, high float64) float64 {
	const ratio = 0.6180339887498949
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	fa, fb := f(a), f(b)
	for high-low > 0.02 {
		if fa <= fb {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}

// Apply applies the temperature in place to probabilities, which are row-major with classes
// columns. A temperature that is not above 0, such as the zero value, changes
// nothing.
func (t Temperature) Apply(probabilities []float32, classes int) {
	if !(t > 0) || t == 1 {
		return
	}
	beta := 1 / float64(t)
	powers := make([]float64, classes)
	for ; len(probabilities) >= classes && classes > 0; probabilities = probabilities[classes:] {
		row := probabilities[:classes]
		top := row[0]
		for _, q := range row {
			top = max(top, q)
		}
		if !(top > 0) {
			continue
		}
		total := 0.0
		for c, q := range row {
			powers[c] = math.Pow(float64(q/top), beta)
			total += powers[c]
		}
		for c, power := range powers {
			row[c] = float32(power / total)
		}
	}
}
