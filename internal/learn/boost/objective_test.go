package boost

import (
	"math"
	"testing"

	"foretell/internal/learn/tree"
)

func TestDrawIsUnbiased(t *testing.T) {
	f := testFrame(50_000, 2)
	p := newObjective(f, everyThirdRow(f.Rows), 2)
	l := newOutputScores(p, f.Rows)
	for row := range l.values[0] {
		l.values[0][row] = float32(row%1009)/63 - 8
	}
	if err := l.updateSoftmax(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	sums := func(fraction float64) (g, h float64, kept int) {
		sampler := &rowSampler{}
		sampler.resize(f.Rows, len(l.train))
		if _, err := sampler.computeGradientsAndSample(t.Context(), 2, l, 0, sampleParams{fraction: fraction, salt: 5}); err != nil {
			t.Fatal(err)
		}
		for i, row := range sampler.kept {
			dg, dh := tree.UnpackGradHess(sampler.gradients[row])
			g += float64(dg)
			h += float64(dh)
			if i > 0 && row <= sampler.kept[i-1] {
				t.Fatal("rows are not ascending")
			}
		}
		return g, h, len(sampler.kept)
	}
	allG, allH, all := sums(1)
	someG, someH, few := sums(0.3)
	if few > len(l.train)*35/100 || few >= all {
		t.Errorf("%d of %d rows are sampled", few, len(l.train))
	}
	if math.Abs(someG-allG) > 0.05*math.Abs(allG) || math.Abs(someH-allH) > 0.05*allH {
		t.Errorf("sums %v %v, of all rows %v %v", someG, someH, allG, allH)
	}
}

// TestRareFirstClass checks that small probabilities of the first of two classes
// remain distinct and add up to 1 with those of the second.
func TestRareFirstClass(t *testing.T) {
	last := float32(1)
	for score := float32(-80); score <= 80; score++ {
		p := make([]float32, 2)
		scoresToProbabilities(p, []float32{score})
		if !(p[0] > 0 && p[0] < last) && score > -10 || math.Abs(float64(p[0]+p[1])-1) > 1e-6 {
			t.Fatalf("score %v: probabilities %v, the previous first is %v", score, p, last)
		}
		last = p[0]
	}
}
