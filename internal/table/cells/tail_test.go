package cells

import "testing"

func TestParseTail(t *testing.T) {
	for _, c := range []struct {
		cell, unit string
		want       float64
	}{
		{"~70.7", "", 70.7},
		{"≈ 1,200", "", 1200},
		{"ca. 5 kg", "kg", 5},
		{"ca.5", "", 5},
		{"approx. $12", "$", 12},
		{"55.9 ± 0.3", "", 55.9},
		{"55.9±0,3 mg", "mg", 55.9},
		{"-5 +/- 2", "", -5},
		{"77.1×10^3", "", 77100},
		{"5.2 x 10^9/L", "/l", 5.2e9},
		{"5.2*10^-3 mol", "mol", 5.2e-3},
		{"5.2·10⁹ /L", "/l", 5.2e9},
		{"4X10⁻¹²", "", 4e-12},
		{"72.1/100", "/100", 72.1},
		{"42 / 100", "/100", 42},
		{"43 of 100", "/100", 43},
		{"4.1 out of 5 stars", "/5 star", 4.1},
		{"0/5", "/5", 0},
		{"3.5×10^-1 M", "m", 0.35},
		{"3.5*10^2 k", "k", 350},
	} {
		form := NumberFormat{Unit: c.unit}
		if got, ok := form.Parse([]byte(c.cell)); !ok || got != c.want {
			t.Errorf("%s: %v %v, want %v", c.cell, got, ok, c.want)
		}
	}
	for _, cell := range []string{
		"~", "~~5", "~A5", "ca", "cage 5", "± 5", "5 ± -1", "5 ± 1 ± 2", "5x10", "5x103", "5×10^", "5×10^0", "5×10^23", "5×10^123", "5x9^3", "5 10^3", "x10^3", "3x10 cm",
		"120/80", "6/5", "-1/5", "05/12", "007/100", "5/2024", "5/0", "5/010", "1/2/5", "1/2000000", "A1/5", "$5/100", "5of 6", "5 of6", "5 out 6", "1 1/2", "1/5.5", "1/5,000", "5/5-1", "51° 20'", "87.7 (85.7-89.7)", "76.6-78.6",
	} {
		if got, unit, ok := ParseAmount([]byte(cell), false); ok {
			t.Errorf("%s is read as %v %s", cell, got, unit)
		}
	}
}

// TestScoresAreNoNumbers parses cells in a column of scores. Only scores with the same total are accepted:
// 5 is not 5/10, and in a column of other numbers, 1/2 is not 1.
func TestScoresAreNoNumbers(t *testing.T) {
	for _, cell := range []string{"5", "5*", "5.0", "5/5", "5/10 kg", "(5/10)"} {
		for _, comma := range []bool{false, true} {
			form := NumberFormat{Unit: "/10", DecimalComma: comma}
			if got, ok := form.Parse([]byte(cell)); ok {
				t.Errorf("%s is read as %v", cell, got)
			}
		}
	}
	if got, ok := (&NumberFormat{}).Parse([]byte("1/2")); ok {
		t.Errorf("1/2 is read as %v", got)
	}
}
