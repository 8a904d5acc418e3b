package humanize

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "row", "0 rows"},
		{1, "row", "1 row"},
		{2, "class", "2 classes"},
		{999, "row", "999 rows"},
		{1000, "row", "1,000 rows"},
		{1234567, "row", "1,234,567 rows"},
	} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("Count(%d, %q) = %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{
		0: "0 %", 1e-9: "0.1 %", 0.004: "0.4 %", 0.01: "1 %", 0.125: "12 %", 0.99: "99 %", 0.998: "99.8 %", 0.99999: "99.9 %", 1: "100 %",
	} {
		if got := Percent(share); got != want {
			t.Errorf("Percent(%v) = %q, want %q", share, got, want)
		}
	}
}
