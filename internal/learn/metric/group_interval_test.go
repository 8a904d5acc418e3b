package metric

import (
	"math/rand/v2"
	"testing"
)

// groupedSample returns rows in groups of size rows. The rows of a group share
// their difficulty.
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

// Of the intervals of many samples of groups, about 95 of 100 must contain the
// score of the population, and far fewer if the groups are not known.
func TestGroupIntervalsHoldTheScore(t *testing.T) {
	const groups, size, samples = 120, 8, 600
	population := groupedSample(80_000, size, 9)
	for _, name := range []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC, NameLogLoss, NameBrier} {
		all := population
		all.Groups = nil
		truth, _ := all.influences(name)
		held, heldByRows := 0, 0
		for sample := range samples {
			part := groupedSample(groups, size, uint64(100+sample))
			if i := ScoreInterval(name, part); i.Low <= truth && truth <= i.High {
				held++
			}
			part.Groups = nil
			if i := ScoreInterval(name, part); i.Low <= truth && truth <= i.High {
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

func TestGroupsOfOneRowAreRows(t *testing.T) {
	p := groupedSample(500, 1, 3)
	for _, name := range []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC, NameLogLoss, NameBrier} {
		grouped := ScoreInterval(name, p)
		single := p
		single.Groups = nil
		rows := ScoreInterval(name, single)
		if d := grouped.Low - rows.Low; d > 0.003 || d < -0.003 {
			t.Errorf("%s: %v by groups of one row, %v by rows", name, grouped, rows)
		}
	}
	perfect := Predictions{Probabilities: []float32{1, 0, 1, 0, 0, 1, 0, 1}, Labels: []int32{0, 0, 1, 1}, Classes: 2, Groups: []int32{0, 0, 1, 1}}
	if i := ScoreInterval(NameAccuracy, perfect); i.High != 1 || i.Low > Wilson(2, 2).Low+1e-9 {
		t.Errorf("two groups without an error have the interval %v", i)
	}
}
