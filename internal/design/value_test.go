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
