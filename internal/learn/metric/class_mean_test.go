package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rareSample returns rows of two frequent classes and of class 2, which has rare of n rows on average.
// The recalls are 0.95, 0.95 and 0.5.
func rareSample(draw *rand.Rand, n int, rare float64) Predictions {
	p := Predictions{Classes: 3}
	for range n {
		label, u := int32(0), draw.Float64()
		switch {
		case u < rare/float64(n):
			label = 2
		case u < 0.5:
			label = 1
		}
		row, guess := []float32{0.02, 0.02, 0.02}, label
		if draw.Float64() >= []float64{0.95, 0.95, 0.5}[label] {
			if guess = 1 - label; label == 2 || draw.Float64() < 0.1 {
				guess = (label + 1 + draw.Int32N(2)) % 3
			}
			row[label] = float32(0.1 + 0.2*draw.Float64())
		}
		row[guess] = float32(0.6 + 0.36*draw.Float64())
		p.Probabilities = append(p.Probabilities, row...)
		p.Labels = append(p.Labels, label)
	}
	return p
}

// binarySample returns n rows with exactly the given number of rows of class 1, whose scores are
// normal and higher by shift. The area under the ROC curve of the population is Φ(shift/√2).
func binarySample(draw *rand.Rand, n, positives int, shift float64) Predictions {
	p := Predictions{Classes: 2, ClassRows: []int{1, 0}}
	for i := range n {
		label, score := int32(0), draw.NormFloat64()
		if i < positives {
			label, score = 1, score+shift
		}
		q := float32(1 / (1 + math.Exp(-score)))
		p.Probabilities = append(p.Probabilities, 1-q, q)
		p.Labels = append(p.Labels, label)
	}
	return p
}

// normalSample returns n rows of three classes, with exactly the given number of rows of class 2. The
// logarithms of the probabilities are normal.
func normalSample(draw *rand.Rand, n, rare int) Predictions {
	p := Predictions{Classes: 3}
	for i := range n {
		label := i % 2
		if i < rare {
			label = 2
		}
		row, sum := make([]float64, 3), 0.0
		for c := range row {
			row[c] = math.Exp(1.2 * draw.NormFloat64())
			if c == label {
				row[c] *= math.Exp(1.5)
			}
			sum += row[c]
		}
		for _, v := range row {
			p.Probabilities = append(p.Probabilities, float32(v/sum))
		}
		p.Labels = append(p.Labels, int32(label))
	}
	return p
}

// meanPrecision returns the mean of the average precisions of many samples.
func meanPrecision(draw *rand.Rand, rows, rare int) float64 {
	const samples = 1500
	sum := 0.0
	for range samples {
		sum += AveragePrecision(1, binarySample(draw, rows, rare, 1))
	}
	return sum / samples
}

// coverage returns how many of 100 intervals of the named score hold truth, over the given number of
// samples. Samples without rows of one of the classes do not count.
func coverage(t *testing.T, name string, truth float64, samples int, sample func() Predictions) float64 {
	t.Helper()
	held, known := 0.0, 0.0
	for range samples {
		p := sample()
		if slices.Contains(newClassCounts(p).actual, 0) {
			continue
		}
		known++
		if i := must(ScoreInterval(t.Context(), name, p)); i.Low <= truth && truth <= i.High {
			held++
		}
	}
	return 100 * held / known
}

// TestIntervalsOfRareClasses checks that at least about 95 of 100 intervals contain the score of the
// population even if a class has very few of the scored rows. More may contain it.
func TestIntervalsOfRareClasses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of samples, in one goroutine")
	}
	const samples, least = 500, 92
	draw := rand.New(rand.NewPCG(1, 2))
	for _, rare := range []float64{1, 2, 4, 8, 20} {
		const rows, many = 150, 200_000
		population := rareSample(draw, many, rare*many/rows)
		for _, name := range []string{NameBalancedAccuracy, NameMacroF1} {
			truth := must(Score(t.Context(), name, population))
			if got := coverage(t, name, truth, samples, func() Predictions { return rareSample(draw, rows, rare) }); got < least {
				t.Errorf("%g of %d rows are of the rare class: %.1f of 100 intervals contain the %s, want 95", rare, rows, got, name)
			}
		}
	}
	for _, rare := range []int{1, 2, 5, 20, 100} {
		const rows = 300
		for _, shift := range []float64{1, 2.5} {
			truth := 0.5 * math.Erfc(-shift/2)
			if got := coverage(t, NameROCAUC, truth, samples, func() Predictions { return binarySample(draw, rows, rare, shift) }); got < least-1 {
				t.Errorf("%d of %d rows are of class 1: %.1f of 100 intervals contain the area %.3f, want 95", rare, rows, got, truth)
			}
		}
		if truth := meanPrecision(draw, rows, rare); rare <= 20 { // a bootstrap takes long
			if got := coverage(t, NamePRAUC, truth, 80, func() Predictions { return binarySample(draw, rows, rare, 1) }); got < least-2 {
				t.Errorf("%d of %d rows are of class 1: %.1f of 100 intervals contain the average precision %.3f, want 95", rare, rows, got, truth)
			}
		}
		truth := 0.0
		for range 10 * samples {
			truth += must(ROCAUC(t.Context(), normalSample(draw, rows, rare))) / (10 * samples)
		}
		if got := coverage(t, NameROCAUC, truth, samples, func() Predictions { return normalSample(draw, rows, rare) }); got < least {
			t.Errorf("%d of %d rows are of class 2: %.1f of 100 intervals contain the mean area, want 95", rare, rows, got)
		}
	}
}

// recallSample returns predictions of the given number of rows of each of many classes. Each row is
// predicted correctly with the probability recall.
func recallSample(draw *rand.Rand, classes, rows int, recall float64) Predictions {
	p := Predictions{Classes: classes}
	for class := range classes {
		for range rows {
			row, guess := make([]float32, classes), class
			if draw.Float64() >= recall {
				guess = (class + 1 + draw.IntN(classes-1)) % classes
			}
			row[guess] = 1
			p.Labels, p.Probabilities = append(p.Labels, int32(class)), append(p.Probabilities, row...)
		}
	}
	return p
}

// TestIntervalsOfSmallClasses checks the interval of the balanced accuracy of many classes with one
// row each. This score equals the accuracy, so its interval must be as wide as the interval of the
// accuracy, and contain the recall of the population as often.
func TestIntervalsOfSmallClasses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of samples, in one goroutine")
	}
	draw := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		classes int
		recall  float64
	}{{240, 0.36}, {240, 0.7}, {60, 0.5}} {
		const samples = 300
		held, width, widthOfAccuracy := 0.0, 0.0, 0.0
		for range samples {
			p := recallSample(draw, c.classes, 1, c.recall)
			i, accuracy := must(ScoreInterval(t.Context(), NameBalancedAccuracy, p)), must(ScoreInterval(t.Context(), NameAccuracy, p))
			held += indicator(i.Low <= c.recall && c.recall <= i.High)
			width, widthOfAccuracy = width+i.High-i.Low, widthOfAccuracy+accuracy.High-accuracy.Low
		}
		if ratio := width / widthOfAccuracy; held < samples*92/100 || ratio < 0.97 || ratio > 1.03 {
			t.Errorf("%d classes of one row: %g of %d intervals contain the recall %g, and they are %.2f times as wide as those of the accuracy", c.classes, held, samples, c.recall, ratio)
		}
	}
}

// manyClasses returns the given number of rows of each of many classes. The logarithms of the
// probabilities are normal.
func manyClasses(draw *rand.Rand, classes, rows int) Predictions {
	p := Predictions{Classes: classes}
	for i := range classes * rows {
		row := make([]float32, classes)
		for c := range row {
			row[c] = float32(math.Exp(draw.NormFloat64()))
		}
		row[i%classes] *= 4.5
		p.Labels, p.Probabilities = append(p.Labels, int32(i%classes)), append(p.Probabilities, row...)
	}
	return p
}

// TestPrecisionIntervalsOfSmallClasses checks the interval of the mean average precision of many
// classes with few rows. The mean is then too high, but the interval must contain the mean of the
// population.
func TestPrecisionIntervalsOfSmallClasses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("bootstraps in one goroutine")
	}
	const classes, samples = 20, 60
	draw := rand.New(rand.NewPCG(7, 8))
	truth := must(PRAUC(t.Context(), manyClasses(draw, classes, 2000)))
	for _, rows := range []int{2, 3, 8, 20} {
		held := 0
		for range samples {
			if i := must(ScoreInterval(t.Context(), NamePRAUC, manyClasses(draw, classes, rows))); i.Low <= truth && truth <= i.High {
				held++
			}
		}
		if held < samples*92/100 {
			t.Errorf("%d rows of each class: %d of %d intervals contain the mean %.3f", rows, held, samples, truth)
		}
	}
	if i := must(ScoreInterval(t.Context(), NamePRAUC, manyClasses(draw, classes, 1))); i.Known() {
		t.Errorf("one row of each class: %v", i)
	}
}

// countedPredictions returns predictions of the given numbers of rows of each class. wrong are the
// numbers of rows of each class that are predicted as another class.
func countedPredictions(rows, wrong []int) Predictions {
	p := Predictions{Classes: len(rows)}
	for class, n := range rows {
		for i := range n {
			row := make([]float32, len(rows))
			if row[class] = 1; i < wrong[class] {
				row[class], row[(class+1)%len(rows)] = 0.25, 0.75
			}
			p.Labels, p.Probabilities = append(p.Labels, int32(class)), append(p.Probabilities, row...)
		}
	}
	return p
}

// TestIntervalsOfHighScores checks that the interval of a high score is about as wide as that of the rare
// classes, divided by the number of classes.
func TestIntervalsOfHighScores(t *testing.T) {
	for _, c := range []struct {
		rows, wrong []int
		low, high   float64 // limits of the lower end of the balanced accuracy
	}{
		{[]int{20_000, 3, 3}, []int{20, 0, 0}, 0.68, 0.76},
		{[]int{5000, 20}, []int{0, 0}, 0.91, 0.93},
		{[]int{100, 10}, []int{0, 0}, 0.84, 0.87},
		{[]int{5000, 20}, []int{0, 1}, 0.87, 0.89},
		{slices.Repeat([]int{30}, 30), slices.Repeat([]int{1}, 30), 0.95, 0.96},
	} {
		p := countedPredictions(c.rows, c.wrong)
		paired := p // the rows of a pair have the same class
		for row := range p.Labels {
			paired.Groups = append(paired.Groups, int32(row/2))
		}
		for _, name := range []string{NameBalancedAccuracy, NameMacroF1, NameROCAUC, NamePRAUC} {
			score, rows, pairs := must(Score(t.Context(), name, p)), must(ScoreInterval(t.Context(), name, p)), must(ScoreInterval(t.Context(), name, paired))
			if name == NameBalancedAccuracy && (rows.Low < c.low || rows.Low > c.high) {
				t.Errorf("%v wrong of %v rows: the balanced accuracy has the interval %v, want one from %g to %g", c.wrong, c.rows, rows, c.low, c.high)
			}
			if most := 2 * (1 - c.low); score-rows.Low > most || score-pairs.Low > 2*most || rows.High > 1 || pairs.High > 1 {
				t.Errorf("%v wrong of %v rows: %s is %.3f and has the interval %v, and %v by pairs", c.wrong, c.rows, name, score, rows, pairs)
			}
		}
	}
}

// TestIntervalsOfPerfectRankings checks that the interval of a perfect ranking is not narrower than the rows
// of a class allow, even if the classes alternate, and that each group of rows counts once.
func TestIntervalsOfPerfectRankings(t *testing.T) {
	for _, rows := range []int{200, 2000, 20_000} {
		p, groups := Predictions{Classes: 2}, []int32{}
		for i := range rows {
			p.Labels = append(p.Labels, int32(i%2))
			p.Probabilities = append(p.Probabilities, []float32{0.9, 0.1, 0.2, 0.8}[i%2*2:][:2]...)
			groups = append(groups, int32(i*10/rows))
		}
		ofClass := Wilson(rows/2, rows/2)
		for _, name := range []string{NameROCAUC, NamePRAUC, NameMacroF1} {
			i := must(ScoreInterval(t.Context(), name, p))
			if most := 1 - 0.4*(1-ofClass.Low); i.Low > most || i.Low < 1-3*(1-ofClass.Low) || i.High != 1 {
				t.Errorf("%d rows: %s has the interval %v, want one from at most %.4f", rows, name, i, most)
			}
			p := p
			p.Groups = groups
			if i, most := must(ScoreInterval(t.Context(), name, p)), 0.78; i.Low > most {
				t.Errorf("%d rows in 10 groups: %s has the interval %v, want one from at most %.4f", rows, name, i, most)
			}
		}
	}
}

// recallsSample returns the interval of the balanced accuracy of random recalls.
func recallsSample(draw *rand.Rand, rows []int, recalls []float64) Interval {
	counts := emptyClassCounts(len(rows))
	counts.actual = rows
	for class, n := range rows {
		counts.right[class] = n
		if wrong := 1 - recalls[class]; n <= 100 {
			for range n {
				counts.right[class] -= int(indicator(draw.Float64() < wrong))
			}
		} else {
			counts.right[class] -= max(int(math.Round(wrong*float64(n)+draw.NormFloat64()*math.Sqrt(wrong*recalls[class]*float64(n)))), 0)
		}
	}
	m := classMean{shared: 1, dependence: 1}
	m.scores, _ = counts.recalls(effectiveRows{1, nil, 1})
	for _, s := range m.scores {
		m.variance += s.classes * s.classes * s.variance / float64(len(rows)*len(rows))
	}
	return m.interval()
}

// TestIntervalsOfMeans checks that about 95 of 100 intervals contain the balanced accuracy of the
// population, on average over different recalls. There are a few classes, one or two of them rare,
// or many classes with few rows.
func TestIntervalsOfMeans(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of samples, in one goroutine")
	}
	draw := rand.New(rand.NewPCG(3, 4))
	check := func(rows []int, recallsOf func(rare, other float64) []float64) {
		const samples = 100
		held, known := 0.0, 0.0
		for _, rare := range []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99} {
			for _, other := range []float64{0.5, 0.7, 0.9, 0.99} {
				recalls, truth := recallsOf(rare, other), 0.0
				for _, recall := range recalls {
					truth += recall / float64(len(recalls))
				}
				for range samples {
					i := recallsSample(draw, rows, recalls)
					held += indicator(i.Low <= truth && truth <= i.High)
					known++
				}
			}
		}
		if percent := 100 * held / known; percent < 93 || percent > 98 {
			t.Errorf("classes of %v rows: %.1f of 100 intervals contain the balanced accuracy, want 95", rows, percent)
		}
	}
	for _, classes := range []int{2, 3, 5} {
		for _, rare := range []int{1, 2, 3, 5, 10, 20} {
			for _, rows := range []int{100, 20_000} {
				for rares := 1; rares <= min(2, classes-1); rares++ {
					sizes := slices.Concat(slices.Repeat([]int{rare}, rares), slices.Repeat([]int{rows / classes}, classes-rares))
					check(sizes, func(rare, other float64) []float64 {
						return slices.Concat(slices.Repeat([]float64{rare}, rares), slices.Repeat([]float64{other}, classes-rares))
					})
				}
			}
		}
	}
	for _, c := range [][2]int{{10, 3}, {30, 3}, {30, 10}, {30, 30}, {100, 10}} {
		check(slices.Repeat([]int{c[1]}, c[0]), func(rare, other float64) []float64 {
			return slices.Repeat([]float64{rare, other}, c[0]/2)
		})
	}
}
