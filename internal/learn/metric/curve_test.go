package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// tied are the probabilities of class 1 and the labels of scikit-learn's examples
// of precision_recall_curve, with one tie added.
func tied() Predictions {
	p := Predictions{Classes: 2}
	for _, row := range []struct {
		label int32
		q     float32
	}{{0, 0.125}, {0, 0.5}, {1, 0.375}, {1, 0.75}, {1, 0.5}} {
		p.Labels = append(p.Labels, row.label)
		p.Probabilities = append(p.Probabilities, 1-row.q, row.q)
	}
	return p
}

func TestCurve(t *testing.T) {
	got := NewCurve(1, tied(), 100)
	want := Curve{Positives: 3, Negatives: 2, Points: []OperatingPoint{{0.75, 1, 0}, {0.5, 2, 1}, {0.375, 3, 1}, {0.125, 3, 2}}}
	if got.Positives != want.Positives || got.Negatives != want.Negatives || !slices.Equal(got.Points, want.Points) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// 1/3 of the recall at precision 1, 1/3 at 2/3, 1/3 at 3/4
	if got, want := AveragePrecision(1, tied()), (1+2.0/3+3.0/4)/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("average precision %v, want %v", got, want)
	}
	if got := AveragePrecision(0, Predictions{Classes: 2, Labels: []int32{1}, Probabilities: []float32{0.5, 0.5}}); !math.IsNaN(got) {
		t.Errorf("average precision without a row of the class: %v", got)
	}
}

// TestThinCurve checks that few points of a curve hold nearly the whole area
// under it.
func TestThinCurve(t *testing.T) {
	p := calibratedSample(20000, 2, 5)
	full, few := NewCurve(1, p, 20000), NewCurve(1, p, 100)
	if len(few.Points) > 100 || len(few.Points) < 80 {
		t.Fatalf("%d points of %d", len(few.Points), len(full.Points))
	}
	if few.Points[0] != full.Points[0] || few.Points[len(few.Points)-1] != full.Points[len(full.Points)-1] {
		t.Error("the ends are lost")
	}
	area := func(c Curve) float64 {
		sum, x, y := 0.0, 0.0, 0.0
		for _, point := range c.Points {
			nextX, nextY := float64(point.FalsePositives)/float64(c.Negatives), float64(point.TruePositives)/float64(c.Positives)
			sum += (nextX - x) * (y + nextY) / 2
			x, y = nextX, nextY
		}
		return sum
	}
	if a, b := area(few), must(ROCAUC(t.Context(), p)); math.Abs(a-b) > 0.002 {
		t.Errorf("area %v of few points, %v of all", a, b)
	}
	if a, _ := ClassROCAUC(1, p); math.Abs(a-must(ROCAUC(t.Context(), p))) > 1e-12 {
		t.Errorf("area of class 1 %v, of two classes %v", a, must(ROCAUC(t.Context(), p)))
	}
}

func TestBrier(t *testing.T) {
	if got, want := Brier(tied()), (0.125*0.125+0.25+0.625*0.625+0.0625+0.25)/5; math.Abs(got-want) > 1e-12 {
		t.Errorf("two classes: %v, want %v", got, want)
	}
	three := Predictions{Classes: 3, Labels: []int32{2}, Probabilities: []float32{0.5, 0.25, 0.25}}
	if got, want := Brier(three), 0.25+0.0625+0.5625; math.Abs(got-want) > 1e-12 {
		t.Errorf("three classes: %v, want %v", got, want)
	}
	if !math.IsNaN(Brier(Predictions{Classes: 2})) || !math.IsNaN(CalibrationError(Predictions{Classes: 2})) {
		t.Error("a score without rows")
	}
}

func TestReliability(t *testing.T) {
	p := Predictions{Classes: 2}
	for i := range 10 { // 10 rows at 0.75, 6 of them right, and one at 1
		p.Labels = append(p.Labels, map[bool]int32{true: 1}[i < 6])
		p.Probabilities = append(p.Probabilities, 0.25, 0.75)
	}
	p.Labels, p.Probabilities = append(p.Labels, 0), append(p.Probabilities, 1, 0)
	bins := ConfidenceReliability(p)
	if b := bins[7]; b.Rows != 10 || b.Predicted != 0.75 || b.Observed != 0.6 || !(b.Interval.Low < 0.6 && b.Interval.High > 0.6) {
		t.Errorf("bin %+v", b)
	}
	if b := bins[9]; b.Rows != 1 || b.High != 1 || b.Observed != 1 {
		t.Errorf("last bin %+v", b)
	}
	if b := bins[0]; b.Rows != 0 || !math.IsNaN(b.Predicted) || b.Interval.Known() {
		t.Errorf("empty bin %+v", b)
	}
	if b := ClassReliability(0, p); b[2].Rows != 10 || b[2].Observed != 0.4 {
		t.Errorf("bin of class 0 %+v", b[2])
	}
	if got, want := CalibrationError(p), 10*0.15/11; math.Abs(got-want) > 1e-12 {
		t.Errorf("calibration error %v, want %v", got, want)
	}
	honest := calibratedSample(20000, 4, 7)
	if got := CalibrationError(honest); got > 0.01 {
		t.Errorf("calibration error of calibrated probabilities %v", got)
	}
}

// TestBootstrapIntervalsHoldTheScore checks that about 95 of 100 intervals, each from a new sample,
// contain the score of the population. The calibration error is left out, because it is larger on
// few rows than on the population.
func TestBootstrapIntervalsHoldTheScore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of samples, in one goroutine")
	}
	population := calibratedSample(200000, 2, 12)
	const samples, rows = 400, 400
	for name, score := range map[string]func(Predictions) (float64, Interval){
		"Brier score": func(p Predictions) (float64, Interval) {
			return Brier(p), must(ScoreInterval(t.Context(), NameBrier, p))
		},
		"average precision": func(p Predictions) (float64, Interval) {
			return AveragePrecision(1, p), must(AveragePrecisionInterval(t.Context(), 1, p))
		},
		"area of class 1": func(p Predictions) (float64, Interval) { return ClassROCAUC(1, p) },
	} {
		truth, _ := score(population)
		held := 0
		for s := range samples {
			part := Predictions{Classes: 2, Labels: population.Labels[s*rows:][:rows], Probabilities: population.Probabilities[s*rows*2:][:rows*2]}
			if _, i := score(part); i.Low <= truth && truth <= i.High {
				held++
			}
		}
		if held < samples*92/100 || held > samples*98/100 {
			t.Errorf("%d of %d intervals contain the %s, want about 95 of 100", held, samples, name)
		}
	}
}

// TestCalibrationErrorOfCalibratedProbabilities checks that about 95 of 100 intervals from few rows contain
// 0 if the probabilities are calibrated, although the measured error is larger. If they are not
// calibrated, the interval must not contain 0.
func TestCalibrationErrorOfCalibratedProbabilities(t *testing.T) {
	t.Parallel()
	const samples = 100
	draw := rand.New(rand.NewPCG(7, 8))
	sample := func(rows int, rightIfSure float64) Predictions {
		p := Predictions{Classes: 2}
		for range rows {
			q := draw.Float64() // of class 1
			happens := 0.5 + (q-0.5)*rightIfSure
			p.Probabilities = append(p.Probabilities, float32(1-q), float32(q))
			p.Labels = append(p.Labels, int32(indicator(draw.Float64() < happens)))
		}
		return p
	}
	for _, rows := range []int{20, 50, 100, 500} {
		zero, mean := 0, 0.0
		for range samples {
			p := sample(rows, 1)
			i, score := must(ScoreInterval(t.Context(), NameCalibrationError, p)), CalibrationError(p)
			zero += int(indicator(i.Low == 0))
			mean += score / samples
			if i.Low > score || i.High < score {
				t.Fatalf("the interval %v does not contain the score %v", i, score)
			}
		}
		if zero < samples*91/100 {
			t.Errorf("%d calibrated rows: %d of %d intervals contain 0; the mean error is %.3f", rows, zero, samples, mean)
		}
	}
	for range samples {
		if i := must(ScoreInterval(t.Context(), NameCalibrationError, sample(200, 0))); i.Low == 0 {
			t.Errorf("the probabilities of random labels have the interval %v", i)
		}
	}
}

func TestCalibrationErrorInterval(t *testing.T) {
	p := calibratedSample(12000, 3, 3)
	i := must(ScoreInterval(t.Context(), NameCalibrationError, p))
	if score := CalibrationError(p); !(i.Low <= score && score <= i.High) || i.High-i.Low > 0.03 || i.High <= i.Low {
		t.Errorf("%v of %v", i, score)
	}
	if again := must(ScoreInterval(t.Context(), NameCalibrationError, p)); again != i {
		t.Errorf("%v, then %v", i, again)
	}
}
