package learningcurve

import (
	"context"
	"math"

	"foretell/internal/learn/split"
)

// Trial is a race on a sample and its result.
type Trial struct {
	// Rows is the number of rows in the sample.
	Rows int `json:"rows"`
	// Value is the performance on held-out rows. Scored is the number of these rows.
	Value  float64 `json:"value"`
	Scored int     `json:"scored"`
	// Validation is the performance of the one algorithm that runs in all trials, on the
	// validation rows. Validated is the number of these rows. The slope of the curve is fitted
	// to Validation.
	Validation float64 `json:"alone"`
	Validated  int     `json:"judged"`
	// ValidationStdErr is the standard error of Validation if it is known from the race, otherwise
	// 0. It takes groups and rare classes into account.
	ValidationStdErr float64 `json:"-"`
	// Seconds is the duration of the race. Cut is set if the race was stopped at its time limit. A
	// complete race would then have taken longer.
	Seconds   float64 `json:"seconds"`
	Cut       bool    `json:"cut"`
	Algorithm string  `json:"algorithm,omitempty"`
	// classes holds the number of rows of each class in the sample.
	classes []int
}

// Forecast is the expected result of the race on all rows.
type Forecast struct {
	Rows int `json:"rows"`
	// Value is the expected performance on the test rows. Scored is the number of these rows. Low
	// and High are the limits of a 95 % interval. Two trials hardly determine a curve, but the
	// result was inside the interval in 11 of 12 forecasts; see docs/benchmarks.md.
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Scored int     `json:"scored"`
	// Seconds is the expected duration. Fastest and Slowest are the limits of its range. If the
	// last trial was stopped at its time limit, only Fastest is known, and Seconds and Slowest are
	// nil.
	Seconds *float64 `json:"seconds"`
	Fastest float64  `json:"fastest"`
	Slowest *float64 `json:"slowest"`
}

// NewTrial returns the trial of a race on a sample of the given number of rows. classRows holds the
// number of rows of each class in the whole file. validationScore and testScore are the performance
// on the validation rows and on the test rows, and validationRows and testRows the numbers of these
// rows. The field Value of the result is the performance on both together.
func NewTrial(rows int, classRows []int, validationScore float64, validationRows int, testScore float64, testRows int) Trial {
	scored := validationRows + testRows
	t := Trial{Rows: rows, Scored: scored, Validation: validationScore, Validated: validationRows, classes: stratifiedCounts(classRows, rows)}
	if scored > 0 {
		t.Value = (validationScore*float64(validationRows) + testScore*float64(testRows)) / float64(scored)
	}
	return t
}

// stratifiedCounts returns the number of rows of each class in a stratified
// sample of the given number of rows. classRows holds the number of rows of each
// class in the file. The counts are proportional to classRows, but a class with
// at least two rows has at least two in the sample.
func stratifiedCounts(classRows []int, rows int) []int {
	all := 0
	for _, n := range classRows {
		all += n
	}
	counts := make([]int, len(classRows))
	for i, n := range classRows {
		counts[i] = min(n, max(2, int(math.Round(float64(n)*float64(rows)/float64(max(all, 1))))))
	}
	return counts
}

// Extrapolate returns the forecast of a race on all rows. There must be at least one trial, and
// trials must be in ascending order of rows. classRows holds the number of rows of each class.
// macroAveraged is set if the performance is a mean over classes rather than over rows. seed is the
// seed of the race. Extrapolate returns an error only if ctx is cancelled.
func Extrapolate(ctx context.Context, trials []Trial, classRows []int, seed uint64, macroAveraged bool) (Forecast, error) {
	rows := 0
	for _, n := range classRows {
		rows += n
	}
	plan, err := validationPlan(ctx, classRows, seed)
	if err != nil {
		return Forecast{}, err
	}
	last := trials[len(trials)-1]
	lastPlan, err := validationPlan(ctx, last.classes, seed)
	if err != nil {
		return Forecast{}, err
	}
	f := Forecast{Rows: rows, Scored: len(plan.Test)}
	f.extrapolateScore(trials, classRows, macroAveraged)
	f.extrapolateTime(last, weightedTrainedRows(plan)/max(weightedTrainedRows(lastPlan), 1))
	return f, nil
}

// The error is about proportional to a power of the number of rows, n^-exponent. The
// exponent is smaller if the labels are noisy, and larger if the classes are clearly
// separated (Viering and Loog, The Shape of Learning Curves, 2021).
const (
	// maxExponent limits the fitted exponent.
	maxExponent = 1.0
	// The uncertainty of the exponent is relativeUncertainty times the exponent, plus
	// absoluteUncertainty, plus the standard error of the slope.
	relativeUncertainty = 0.5
	absoluteUncertainty = 0.06
	// zScore is the half-width of the interval of the score, in standard errors.
	zScore = 2
)

// extrapolateScore sets Value, Low and High. classes holds the number of rows of each class; for
// macroAveraged see fitCurve. It extends the curve of the error, which is a straight line in
// logarithms:
//
//	log e │ ●
//	      │    ●                    the trials
//	      │        ● ╌╌╌╌╌╌╌╌╌ worst case, almost flat
//	      │           ╲ ╲
//	      │              ╲  expected
//	      └────────────────── log n
func (f *Forecast) extrapolateScore(trials []Trial, classes []int, macroAveraged bool) {
	c := fitCurve(trials, macroAveraged)
	inflation := stdErrInflation(trials[len(trials)-1], macroAveraged)
	c.errorRateStdErr *= inflation
	c.slopeStdErr *= inflation
	distance := math.Max(math.Log(float64(f.Rows)/float64(trials[len(trials)-1].Rows)), 0)
	slope := min(max(c.slope, 0), maxExponent)
	uncertainty := relativeUncertainty*slope + absoluteUncertainty + c.slopeStdErr
	expected := c.errorRate * math.Exp(-slope*distance)
	worse := c.errorRate * math.Exp(-max(slope-uncertainty, 0)*distance)
	better := c.errorRate * math.Exp(-min(slope+uncertainty, 1.5*maxExponent)*distance)
	// samplingError combines the sampling errors of the last trial and of the
	// test rows. It grows with the error e.
	samplingError := func(e float64) float64 {
		return math.Hypot(c.errorRateStdErr*e/max(c.errorRate, 1e-9), inflation*standardError(e, stratifiedCounts(classes, f.Scored), macroAveraged))
	}
	f.Value = 1 - expected
	f.Low = max(1-expected-math.Hypot(worse-expected, zScore*samplingError(worse)), 0)
	f.High = min(1-expected+math.Hypot(expected-better, zScore*samplingError(expected)), 1)
}

// curve is the error rate as a function of the number of rows; see fitCurve.
type curve struct {
	errorRate, errorRateStdErr float64 // the error of the last trial, and its standard error
	slope, slopeStdErr         float64 // the exponent by which the error falls, and its standard error
}

// fitCurve returns the curve through the last trial. The curve is a straight line if the logarithm
// of the error rate is drawn over the logarithm of the number of rows. The slope is fitted to all
// trials by weighted least squares: an error rate counts less if its standard error is larger.
// macroAveraged is set if error rates are means over classes. The standard errors of such means are
// usually larger; see standardError.
func fitCurve(trials []Trial, macroAveraged bool) curve {
	var w, x, y, xx, xy float64
	for _, t := range trials {
		e := max(1-t.Validation, 0.5/float64(max(t.Validated, 1)))
		s := max(standardError(e, stratifiedCounts(t.classes, t.Validated), macroAveraged), 1e-6) / e // the standard error of log e
		weight, at := 1/(s*s), math.Log(float64(t.Rows))
		w, x, y, xx, xy = w+weight, x+weight*at, y+weight*math.Log(e), xx+weight*at*at, xy+weight*at*math.Log(e)
	}
	x, y = x/w, y/w
	c := curve{}
	width := xx/w - x*x
	if width > 1e-9 {
		c.slope = -(xy/w - x*y) / width
		c.slopeStdErr = 1 / math.Sqrt(w*width)
	}
	last := trials[len(trials)-1]
	c.errorRate = max(1-last.Value, 0.5/float64(max(last.Scored, 1)))
	c.errorRateStdErr = standardError(c.errorRate, stratifiedCounts(last.classes, last.Scored), macroAveraged)
	return c
}

// stdErrInflation returns the factor by which standardError is too small for a trial, at least 1.
// It exceeds 1 if the rows have groups, or if the performance depends on a rare class. For
// macroAveraged see standardError.
func stdErrInflation(t Trial, macroAveraged bool) float64 {
	e := max(1-t.Validation, 0.5/float64(max(t.Validated, 1)))
	assumed := standardError(e, stratifiedCounts(t.classes, t.Validated), macroAveraged)
	return max(t.ValidationStdErr/max(assumed, 1e-9), 1)
}

// standardError returns the standard error of the error rate e. classRows holds the number of rows
// of each class. If macroAveraged is true, e is a mean over classes. Its standard error is then
// mostly due to the small classes.
func standardError(e float64, classRows []int, macroAveraged bool) float64 {
	rows, parts := 0, 0.0
	for _, n := range classRows {
		rows += n
		if n > 0 {
			parts += 1 / float64(n)
		}
	}
	if rows == 0 {
		return 0.5
	}
	e = min(max(e, 0.5/float64(rows)), 1-0.5/float64(rows))
	if macroAveraged {
		return math.Sqrt(e * (1 - e) * parts / float64(len(classRows)*len(classRows)))
	}
	return math.Sqrt(e * (1 - e) / float64(rows))
}

// validationPlan returns the validation plan of a race with the given seed. classRows holds the
// number of rows of each class.
func validationPlan(ctx context.Context, classRows []int, seed uint64) (split.ValidationPlan, error) {
	var labels []int32
	for class, n := range classRows {
		for range n {
			labels = append(labels, int32(class))
		}
	}
	return split.NewValidationPlan(ctx, split.Sample{Labels: labels, Classes: len(classRows)}, seed)
}

// weightedTrainedRows returns a measure of the time of a race: the number of training
// rows, summed over all folds and the refit. The training rows of a single holdout have
// the weight holdoutWeight, because a run on a holdout stops improving sooner. The rows
// of the refit have the weight refitWeight, because the most expensive refits are
// skipped.
func weightedTrainedRows(plan split.ValidationPlan) float64 {
	rows := refitWeight * float64(len(plan.Test)+len(plan.Rest))
	for _, fold := range plan.Folds {
		share := 1.0
		if len(plan.Folds) == 1 {
			share = holdoutWeight
		}
		rows += share * float64(len(fold.Train))
	}
	return rows
}

// Weights and exponents of the time of a race, measured on two-class data sets of
// 3,000 to 37,000 rows, and with 23 and 26 classes.
const (
	// holdoutWeight and refitWeight are the weights in weightedTrainedRows.
	holdoutWeight = 0.55
	refitWeight   = 0.5
	// twoClassRowTimeExponent is the exponent by which the time grows with the rows, for two
	// classes. More rows need more steps, but keep the cores busier.
	twoClassRowTimeExponent = 1.15
	// exponentPerDoubling lowers the exponent for each doubling of the classes. With many
	// classes, a trial spends much of its time on trees of few rows, and the time for such a
	// tree hardly grows with its rows.
	exponentPerDoubling = 0.114
	// minTimeExponent is the smallest exponent, for any number of classes.
	minTimeExponent = 0.3
	// timeUncertainty is the factor by which the time may be shorter or longer
	// than expected. It allows for other programs on the machine.
	timeUncertainty = 2
)

// rowTimeExponent returns the exponent by which the time of a race grows with
// its rows, for the given number of classes.
func rowTimeExponent(classes int) float64 {
	return max(twoClassRowTimeExponent-exponentPerDoubling*math.Log2(max(float64(classes), 2)/2), minTimeExponent)
}

// extrapolateTime sets the times, extrapolated from the time of the last trial. The race on all
// rows trains on rowRatio times as many rows; see weightedTrainedRows. If the last trial was stopped,
// Fastest is at least its time, because a race on more rows takes longer.
func (f *Forecast) extrapolateTime(last Trial, rowRatio float64) {
	expected := last.Seconds * math.Pow(rowRatio, rowTimeExponent(len(last.classes)))
	f.Fastest = expected / timeUncertainty
	if last.Cut { // the race on all rows takes longer, by an unknown time
		f.Fastest = max(f.Fastest, last.Seconds)
		return
	}
	slowest := expected * timeUncertainty
	f.Seconds, f.Slowest = &expected, &slowest
}
