package cells

import "testing"

func TestParseDuration(t *testing.T) {
	format := NumberFormat{Unit: DurationUnit}
	for cell, want := range map[string]float64{
		"26:30:00": 26.5, "0:00:36": 0.01, "-1:30:00": -1.5, "100:00:00.9": 100.00025, "10:15:00": 10.25,
		"1 day, 2:30:00": 26.5, "-1 day, 23:00:00": -1, "2 days, 0:00:00": 48, "0 days 00:45:00": 0.75, "1 days 02:15:00.000000": 26.25, "-1 days +23:30:00": -0.5,
		"PT1H30M": 1.5, "PT36S": 0.01, "P1DT2H": 26, "P2W": 336, "PT0S": 0, "-PT15M": -0.25, "PT1.5H": 1.5, "P1D": 24, "5 h": 5, "2": 2,
		"+0:00:36": 0.01, "\u22121:30:00": -1.5, "+PT15M": 0.25, "PT-15M": -0.25, "-PT-15M": 0.25, "P-1DT23H30M0S": -0.5, "PT-0.5S": -0.5 / 3600, "PT+1H\u221215M": 0.75, "3 days": 72, "1 day": 24, "-2 days": -48,
	} {
		if got, ok := format.Parse([]byte(cell)); !ok || got != want {
			t.Errorf("%s: %v %v, want %v", cell, got, ok, want)
		}
	}
	for _, cell := range []string{
		"26:30", "26:60:00", "26:30:61", "26:3:00", "26:30:00:00", "26:30:00 PM", ":30:00", "1 day, 24:00:00", "1 dog, 2:03:04", "1 day,2:03:04",
		"P", "PT", "P1", "P1DT", "P1Y", "P1M", "PT1D", "P1H", "PT1M1H", "PT1H1H", "PTH", "P1D2H", "1:2:3", "--1:00:00", "+-1:00:00", "PT--1H", "P-T1H", "PT1H-", "-", "3 weeks", "1234567890:00:00",
	} {
		if got, ok := format.Parse([]byte(cell)); ok {
			t.Errorf("%s is read as %v", cell, got)
		}
	}
}
