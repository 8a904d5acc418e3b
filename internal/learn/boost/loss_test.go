package boost

import (
	"math"
	"testing"
)

func TestExp32(t *testing.T) {
	for x := float32(0); x > -90; x -= 0.0137 {
		got, want := float64(exp32(x)), math.Exp(float64(x))
		if math.Abs(got-want) > 2e-7*want && x >= -87 {
			t.Fatalf("exp32(%v) = %v, want %v", x, got, want)
		}
	}
	if exp32(0) != 1 || exp32(-1000) != 0 {
		t.Errorf("exp32(0) = %v, exp32(-1000) = %v", exp32(0), exp32(-1000))
	}
}

func TestDrawIsUnbiased(t *testing.T) {
	f := puzzle(50_000, 2)
	l := newLoss(f, thirds(f.Rows), 2)
	for row := range l.scores[0] {
		l.scores[0][row] = float32(row%1009)/63 - 8
	}
	if err := l.update(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	sums := func(fraction float64) (g, h float64, kept int) {
		lot := newLot(f.Rows)
		lot.draw(l, 0, lottery{fraction: fraction, salt: 5})
		for i, row := range lot.keep {
			g += float64(lot.gradient[row])
			h += float64(lot.hessian[row])
			if i > 0 && row <= lot.keep[i-1] {
				t.Fatal("rows are not ascending")
			}
		}
		return g, h, len(lot.keep)
	}
	allG, allH, all := sums(1)
	someG, someH, few := sums(0.3)
	if few > len(l.train)*35/100 || few >= all {
		t.Errorf("%d rows of %d are kept", few, len(l.train))
	}
	if math.Abs(someG-allG) > 0.05*math.Abs(allG) || math.Abs(someH-allH) > 0.05*allH {
		t.Errorf("sums %v %v, of all rows %v %v", someG, someH, allG, allH)
	}
}
