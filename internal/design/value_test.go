package design

import "testing"

// TestFormatTime checks that the last seconds of a day are not rounded to 24:00.
func TestFormatTime(t *testing.T) {
	for hours, want := range map[float64]string{23 + 59.75/60: "23:59", 0: "00:00", 9.5: "09:30"} {
		if got := formatValue("time", hours); got != want {
			t.Errorf("%v h: %s, want %s", hours, got, want)
		}
	}
}

// TestFormatScore checks that scores are rounded as on the command line, where 0.88125 is 0.8812, because
// the nearest float64 is below it, and that no zero is negative.
func TestFormatScore(t *testing.T) {
	for score, want := range map[float64]string{0.88125: "0.8812", 0.03125: "0.0312", -0.00001: "0.0000", -0.5: "-0.5000", 1: "1.0000"} {
		if got := FormatScore(score); got != want {
			t.Errorf("%v: %s, want %s", score, got, want)
		}
	}
}

// TestFormatThreshold checks that a probability reaches the threshold that is shown for it, and that
// small thresholds differ.
func TestFormatThreshold(t *testing.T) {
	for p, want := range map[float64]string{
		float64(float32(0.70666885)): "0.706668", 0.5: "0.5", 0: "0", 1: "1", 0.09999997: "0.0999999", 0.99999996: "0.999999",
		0.000212345678: "0.000212345", 0.000199999999: "0.000199999", 0.00000123456789: "1.23456e-06",
	} {
		if got := formatThreshold(p); got != want {
			t.Errorf("%v: %s, want %s", p, got, want)
		}
	}
}

// TestFormatNumber checks that numbers of up to 15 digits are written without an exponent.
func TestFormatNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3277.29123: "3277.29", -0.5: "-0.5", 1e6: "1000000", 18_424_123.4: "18424123", -2.5e9: "-2500000000", 1e18: "1e+18"} {
		if got := formatNumber(v); got != want {
			t.Errorf("%g is %s instead of %s", v, got, want)
		}
	}
}
