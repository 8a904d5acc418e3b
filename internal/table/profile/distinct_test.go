package profile

import (
	"math"
	"testing"
)

func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, 1_000, 4_000, 40_000, 1_000_000} {
		d := newDistinct(4_096)
		for range 2 {
			for i := range n {
				d.add(hashNumber(float64(i)))
			}
		}
		if d.exact() && d.count() != n {
			t.Errorf("%d: counted %d", n, d.count())
		}
		if n <= 4_000 && !d.exact() {
			t.Errorf("%d: an estimate", n)
		}
		if math.Abs(float64(d.count()-n)) > 0.06*float64(n) {
			t.Errorf("%d: estimated %d", n, d.count())
		}
		if len(d.slots) > 4*4_096 {
			t.Errorf("%d: %d slots", n, len(d.slots))
		}
	}
}
