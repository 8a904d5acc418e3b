package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// groupedSample returns the rows of the given number of groups; a group has size rows. The
// rows of a group share their difficulty.
func groupedSample(groups, size int, seed uint64) Predictions {
	p := Predictions{Classes: 2}
	draw := rand.New(rand.NewPCG(seed, 1))
	for group := range groups {
		shared := draw.NormFloat64()
		for range size {
			label := int32(draw.IntN(2))
			q := min(max(0.6+0.3*shared+0.1*draw.NormFloat64(), 0.01), 0.99) // of the true class
			row := []float32{float32(1 - q), float32(1 - q)}
			row[label] = float32(q)
			p.Probabilities = append(p.Probabilities, row...)
			p.Labels = append(p.Labels, label)
			p.Groups = append(p.Groups, int32(group))
		}
	}
	return p
}

// TestGroupIntervalsHoldTheScore checks that about 95 of 100 intervals, each from a new sample of
// groups, contain the score of the population. Without Groups, far fewer intervals contain it.
func TestGroupIntervalsHoldTheScore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of samples, in one goroutine")
	}
	const groups, size, samples = 120, 8, 600
	population := groupedSample(80_000, size, 9)
	for _, name := range []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC, NameLogLoss, NameBrier} {
		all := population
		all.Groups = nil
		truth := 0.0
		switch name {
		case NameLogLoss:
			truth = LogLoss(all)
		case NameBrier:
			truth = Brier(all)
		default:
			truth = must(Score(t.Context(), name, all))
		}
		held, heldByRows := 0, 0
		for sample := range samples {
			part := groupedSample(groups, size, uint64(100+sample))
			if i := must(ScoreInterval(t.Context(), name, part)); i.Low <= truth && truth <= i.High {
				held++
			}
			part.Groups = nil
			if i := must(ScoreInterval(t.Context(), name, part)); i.Low <= truth && truth <= i.High {
				heldByRows++
			}
		}
		if held < samples*92/100 || held > samples*98/100 {
			t.Errorf("%d of %d intervals contain the %s, want about 95 of 100", held, samples, name)
		}
		if heldByRows > samples*80/100 {
			t.Errorf("%s: %d of %d intervals by rows contain it, so the sample shows nothing", name, heldByRows, samples)
		}
	}
}

// TestGroupIntervalsOfAClass checks that about 95 of 100 intervals of the scores of one class
// contain the score of the population. Intervals from bootstrap samples of groups must be wider
// than intervals from samples of rows.
func TestGroupIntervalsOfAClass(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of samples, in one goroutine")
	}
	const groups, size, samples = 120, 8, 400
	byRows := func(p Predictions) Predictions { p.Groups = nil; return p }
	population := byRows(groupedSample(40_000, size, 9))
	for name, measure := range map[string]func(Predictions) (float64, Interval){
		"precision": func(p Predictions) (float64, Interval) { s := PerClass(p)[1]; return s.Precision, s.PrecisionInterval },
		"recall":    func(p Predictions) (float64, Interval) { s := PerClass(p)[1]; return s.Recall, s.RecallInterval },
		"f1":        func(p Predictions) (float64, Interval) { s := PerClass(p)[1]; return s.F1, s.F1Interval },
		"rocAuc":    func(p Predictions) (float64, Interval) { return ClassROCAUC(1, p) },
		"reliability": func(p Predictions) (float64, Interval) {
			bin := ConfidenceReliability(p)[9]
			return bin.Observed, bin.Interval
		},
	} {
		truth, _ := measure(population)
		held, heldByRows := 0, 0
		for sample := range samples {
			part := groupedSample(groups, size, uint64(100+sample))
			if _, i := measure(part); i.Low <= truth && truth <= i.High {
				held++
			}
			if _, i := measure(byRows(part)); i.Low <= truth && truth <= i.High {
				heldByRows++
			}
		}
		if held < samples*92/100 || held > samples*99/100 {
			t.Errorf("%d of %d intervals contain the %s, want about 95 of 100", held, samples, name)
		}
		if heldByRows > samples*85/100 && name != "reliability" { // a group has only few rows in one bin
			t.Errorf("%s: %d of %d intervals by rows contain it, so the sample shows nothing", name, heldByRows, samples)
		}
	}
	p := groupedSample(groups, size, 5)
	width := func(i Interval) float64 { return i.High - i.Low }
	if grouped, rows := must(ScoreInterval(t.Context(), NameCalibrationError, p)), must(ScoreInterval(t.Context(), NameCalibrationError, byRows(p))); width(grouped) < 1.3*width(rows) {
		t.Errorf("the calibration error has %v by groups, %v by rows", grouped, rows)
	}
	if grouped, rows := must(AveragePrecisionInterval(t.Context(), 1, p)), must(AveragePrecisionInterval(t.Context(), 1, byRows(p))); width(grouped) < 1.3*width(rows) {
		t.Errorf("the average precision has %v by groups, %v by rows", grouped, rows)
	}
	one := p
	one.Groups = make([]int32, len(p.Labels))
	if i := PerClass(one)[1].RecallInterval; i.Known() {
		t.Errorf("one group has the interval %v", i)
	}
}

// firstOfEach returns the first n rows of each group of p. The rows of a group must be
// consecutive, and all groups must have size rows.
func firstOfEach(p Predictions, size, n int) Predictions {
	part := Predictions{Classes: p.Classes}
	for row := range p.Labels {
		if row%size < n {
			part.Labels = append(part.Labels, p.Labels[row])
			part.Probabilities = append(part.Probabilities, p.row(row)...)
			part.Groups = append(part.Groups, p.Groups[row])
		}
	}
	return part
}

// TestBootstrapOfLargeGroups checks the intervals of large groups. A bootstrap uses only some of
// their rows. The intervals must be about as wide as intervals of small groups with the same
// differences between the groups.
func TestBootstrapOfLargeGroups(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many bootstraps, which run one after another")
	}
	for _, c := range []struct{ groups, size int }{{10, 5000}, {40, 2500}, {300, 100}} {
		for seed := range uint64(4) {
			p := groupedSample(c.groups, c.size, seed)
			few := firstOfEach(p, c.size, min(maxBootstrapRows/c.groups, 40))
			for _, name := range []string{NamePRAUC, NameCalibrationError} {
				i, want := must(ScoreInterval(t.Context(), name, p)), must(ScoreInterval(t.Context(), name, few))
				if ratio := (i.High - i.Low) / (want.High - want.Low); !(ratio > 0.6 && ratio < 1.4) {
					t.Errorf("%d groups of %d rows, seed %d: %s has the interval %v, with few rows of each group %v", c.groups, c.size, seed, name, i, want)
				}
			}
		}
	}
}

// TestCalibrationErrorOfFewGroups checks that the interval of the calibration error is as wide as that
// of the Brier score, if all rows have the same confidence. Both scores then depend on the accuracy
// only, and linearly.
func TestCalibrationErrorOfFewGroups(t *testing.T) {
	const confidence, size = 0.9, 50
	p := Predictions{Classes: 2}
	for group, right := range []int{15, 20, 22, 28, 30, 35} {
		for row := range size {
			p.Probabilities = append(p.Probabilities, confidence, 1-confidence)
			p.Groups = append(p.Groups, int32(group))
			label := int32(0)
			if row >= right {
				label = 1
			}
			p.Labels = append(p.Labels, label)
		}
	}
	of := func(label int32) Predictions {
		return Predictions{Classes: 2, Probabilities: p.Probabilities[:2], Labels: []int32{label}}
	}
	half := func(name string, score float64) float64 {
		return must(ScoreInterval(t.Context(), name, p)).High - score
	}
	want := half(NameBrier, Brier(p)) / (Brier(of(1)) - Brier(of(0)))
	if got := half(NameCalibrationError, CalibrationError(p)); !(got > 0.85*want && got < 1.15*want) {
		t.Errorf("half of the interval is %v, want about %v", got, want)
	}
}

// TestSubsampleRows checks which groups and rows a bootstrap uses.
func TestSubsampleRows(t *testing.T) {
	for _, c := range []struct {
		groups, size, wantGroups int
	}{
		{1000, 8, 625}, // whole groups
		{40, 2500, 40},
		{300, 200, 200},
		{3, 10, 3},
	} {
		part := groupedSample(c.groups, c.size, 4).subsampleRows(maxBootstrapRows)
		rows := map[int32]int{}
		for _, cluster := range part.clusterOf {
			rows[cluster]++
		}
		if len(part.Labels) > maxBootstrapRows*110/100 || len(part.Probabilities) != 2*len(part.Labels) || len(part.Groups) != len(part.Labels) ||
			part.clusters != c.wantGroups || len(rows) != c.wantGroups || part.fraction != float64(c.wantGroups)/float64(c.groups) {
			t.Errorf("%d groups of %d rows: %d rows of %d groups, fraction %v", c.groups, c.size, len(part.Labels), len(rows), part.fraction)
		}
		for group, n := range rows {
			if c.wantGroups*c.size <= maxBootstrapRows && n != c.size {
				t.Fatalf("%d groups of %d rows: group %d has %d rows", c.groups, c.size, group, n)
			}
		}
	}
}

// TestPrecisionIntervalsOfSubsampledGroups checks that the interval of an average precision does not get
// narrower if each row is repeated in its group, so that the bootstrap uses only some of the rows.
func TestPrecisionIntervalsOfSubsampledGroups(t *testing.T) {
	for _, groups := range []int{4, 10} {
		once := groupedSample(groups, maxBootstrapRows/groups, 3)
		twice := once
		twice.Labels, twice.Probabilities, twice.Groups = slices.Repeat(once.Labels, 2), slices.Repeat(once.Probabilities, 2), slices.Repeat(once.Groups, 2)
		all, some := must(ScoreInterval(t.Context(), NamePRAUC, once)), must(ScoreInterval(t.Context(), NamePRAUC, twice))
		if all.High-all.Low > 1.05*(some.High-some.Low) {
			t.Errorf("%d groups: %v, and %v from some of the rows", groups, all, some)
		}
	}
}

func TestGroupsOfOneRowAreRows(t *testing.T) {
	p := groupedSample(500, 1, 3)
	for _, name := range []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC, NameLogLoss, NameBrier} {
		grouped := must(ScoreInterval(t.Context(), name, p))
		single := p
		single.Groups = nil
		rows := must(ScoreInterval(t.Context(), name, single))
		if d := grouped.Low - rows.Low; d > 0.003 || d < -0.003 {
			t.Errorf("%s: %v by groups of one row, %v by rows", name, grouped, rows)
		}
	}
	perfect := Predictions{Probabilities: []float32{1, 0, 1, 0, 0, 1, 0, 1}, Labels: []int32{0, 0, 1, 1}, Classes: 2, Groups: []int32{0, 0, 1, 1}}
	if i := must(ScoreInterval(t.Context(), NameAccuracy, perfect)); i.High != 1 || i.Low > Wilson(2, 2).Low+1e-9 {
		t.Errorf("two groups without an error have the interval %v", i)
	}
}

// TestPerfectScoreOfRareClass checks the intervals of scores of all classes if every row is
// predicted correctly. They depend mostly on the rows of the rarest class, even if two rows are in
// a group.
func TestPerfectScoreOfRareClass(t *testing.T) {
	p := Predictions{Classes: 2, Names: []string{"no", "yes"}}
	for row := range 102 {
		label := int32(indicator(row%25 == 1 && row < 100)) // 4 rows of class 1
		p.Labels = append(p.Labels, label)
		p.Probabilities = append(p.Probabilities, float32(1-label), float32(label))
	}
	paired := p
	paired.Groups = slices.Repeat([]int32{-1}, len(p.Labels))
	paired.Groups[2], paired.Groups[3] = 0, 0
	mixed := paired // each row of class 1 is in a group with a row of class 0
	mixed.Groups = slices.Clone(paired.Groups)
	for row := range 100 {
		mixed.Groups[row] = int32(row / 2)
	}
	for _, name := range []string{NameBalancedAccuracy, NameMacroF1, NameROCAUC, NamePRAUC, "rocAuc[yes]", "prAuc[yes]"} {
		rows, groups, both := must(ScoreInterval(t.Context(), name, p)), must(ScoreInterval(t.Context(), name, paired)), must(ScoreInterval(t.Context(), name, mixed))
		if !(math.Abs(groups.Low-rows.Low) < 0.01 && math.Abs(both.Low-rows.Low) < 0.025 && rows.Low < 0.85) || groups.High != 1 {
			t.Errorf("%s: %v by rows, %v with one pair, %v by pairs of both classes", name, rows, groups, both)
		}
	}
	if i := must(ScoreInterval(t.Context(), NameAccuracy, paired)); i != Wilson(101, 101) {
		t.Errorf("the accuracy has the interval %v, want that of 101 clusters", i)
	}
	two := Predictions{Probabilities: []float32{1, 0, 0, 1, 1, 0, 0, 1}, Labels: []int32{0, 1, 0, 1}, Classes: 2, Groups: []int32{0, 0, 1, 1}}
	if i := must(ScoreInterval(t.Context(), NameBalancedAccuracy, two)); i.High != 1 || i.Low > Wilson(2, 2).Low || i.Low < 0.25 {
		t.Errorf("two groups that have both classes have the interval %v, want about %v", i, Wilson(2, 2))
	}
}

// TestIntervalsOfFewGroups checks the intervals of the accuracy of few groups, whether or not the
// rows of a group depend on each other. About 95 of 100 must contain the accuracy of the
// population. No interval may be narrower than the interval of the same number of independent rows.
func TestIntervalsOfFewGroups(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of samples, in one goroutine")
	}
	const samples, size, accuracy = 1000, 100, 0.8
	draw := rand.New(rand.NewPCG(3, 4))
	for _, deviation := range []float64{0, 0.09} {
		for _, groups := range []int{2, 3, 5, 10} {
			held, narrower := 0, 0
			for range samples {
				p := Predictions{Classes: 2, Labels: make([]int32, groups*size)}
				for group := range groups {
					share := accuracy + deviation*draw.NormFloat64()
					for range size {
						right := float32(indicator(draw.Float64() < share))
						p.Probabilities, p.Groups = append(p.Probabilities, right, 1-right), append(p.Groups, int32(group))
					}
				}
				i := must(ScoreInterval(t.Context(), NameAccuracy, p))
				p.Groups = nil
				rows := must(ScoreInterval(t.Context(), NameAccuracy, p))
				held += int(indicator(i.Low <= accuracy && accuracy <= i.High))
				narrower += int(indicator(i.High-i.Low < rows.High-rows.Low-1e-9))
			}
			if held < samples*94/100 || narrower > 0 {
				t.Errorf("%d groups, deviation %g: %d of %d intervals contain the accuracy, %d are narrower than those of rows", groups, deviation, held, samples, narrower)
			}
		}
	}
}

// unequalGroups returns the rows of groups of the given sizes. The rows of a group share their
// difficulty. The accuracy of the population, its balanced accuracy and its area under the ROC curve are
// 0.8, and its log loss is 0.58411.
func unequalGroups(draw *rand.Rand, sizes []int) Predictions {
	p := Predictions{Classes: 2, Names: []string{"no", "yes"}}
	for group, size := range sizes {
		share := 0.6 + 0.4*draw.Float64() // of right rows
		for range size {
			label, q := int32(draw.IntN(2)), 0.5*draw.Float64() // q is the probability of the true class
			if draw.Float64() < share {
				q += 0.5
			}
			row := []float32{float32(1 - q), float32(1 - q)}
			row[label] = float32(q)
			p.Probabilities, p.Labels, p.Groups = append(p.Probabilities, row...), append(p.Labels, label), append(p.Groups, int32(group))
		}
	}
	return p
}

// TestIntervalsOfUnequalGroups checks that about 95 of 100 intervals contain the score of the
// population, whether the groups have equal sizes or a few have most of the rows. If one group has
// nearly all rows, more intervals may contain it, because little is known about other groups.
func TestIntervalsOfUnequalGroups(t *testing.T) {
	t.Parallel()
	const samples = 300
	truths := map[string]float64{NameAccuracy: 0.8, NameBalancedAccuracy: 0.8, NameROCAUC: 0.8, NameMacroF1: 0.8, "recall": 0.8, NameLogLoss: 0.58411}
	for _, design := range []struct {
		name  string
		sizes []int
	}{
		{"20 × 20", slices.Repeat([]int{20}, 20)},
		{"10 × 40", slices.Repeat([]int{40}, 10)},
		{"256, 128, …, 1", []int{256, 128, 64, 32, 16, 8, 4, 2, 1}},
		{"200 and 200 × 1", append([]int{200}, slices.Repeat([]int{1}, 200)...)},
		{"350 and 50 × 1", append([]int{350}, slices.Repeat([]int{1}, 50)...)},
	} {
		held, draw := map[string]int{}, rand.New(rand.NewPCG(5, 6))
		for range samples {
			p := unequalGroups(draw, design.sizes)
			for name, truth := range truths {
				i := PerClass(p)[1].RecallInterval
				if name != "recall" {
					i = must(ScoreInterval(t.Context(), name, p))
				}
				held[name] += int(indicator(i.Low <= truth && truth <= i.High))
			}
		}
		for name := range truths {
			if held[name] < samples*91/100 {
				t.Errorf("groups of %s: %d of %d intervals contain the %s, want about 95 of 100", design.name, held[name], samples, name)
			}
		}
	}
}

// TestStudentQuantile compares quantiles with scipy.stats.t.ppf(0.975, n), for n of at least 0.5.
func TestStudentQuantile(t *testing.T) {
	for n, want := range map[float64]float64{0.3: 164.5576735, 0.5: 164.5576735, 0.75: 28.7463854, 1: 12.7062047, 1.5: 6.0166631, 4.5: 2.6589123, 9: 2.2621572, 10: 2.2281389, 30: 2.0422725, 1000: 1.9623391} {
		if got := StudentQuantile(n); math.Abs(got-want) > 0.0005*want {
			t.Errorf("%g degrees of freedom: %v, want %v", n, got, want)
		}
	}
}
