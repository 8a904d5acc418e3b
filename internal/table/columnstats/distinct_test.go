package columnstats

import (
	"math"
	"testing"

	"foretell/internal/table/cells"
)

func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, 1_000, 4_000, 40_000, 1_000_000} {
		d := newDistinct(4_096)
		for range 2 {
			for i := range n {
				d.add(cells.HashNumber(float64(i)))
			}
		}
		if d.isExact() && d.estimate() != n {
			t.Errorf("%d: counted %d", n, d.estimate())
		}
		if n <= 4_000 && !d.isExact() {
			t.Errorf("%d: an estimate", n)
		}
		if math.Abs(float64(d.estimate()-n)) > 0.06*float64(n) {
			t.Errorf("%d: estimated %d", n, d.estimate())
		}
		if len(d.slots) > 4*4_096 {
			t.Errorf("%d: %d slots", n, len(d.slots))
		}
	}
}
