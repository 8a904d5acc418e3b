package cells

import "testing"

func TestParseDuration(t *testing.T) {
	format := NumberFormat{Unit: DurationUnit}
	for cell, want := range map[string]float64{
		"26:30:00": 26.5, "0:00:36": 0.01, "-1:30:00": -1.5, "100:00:00.9": 100.00025, "10:15:00": 10.25,
		"1 day, 2:30:00": 26.5, "-1 day, 23:00:00": -1, "2 days, 0:00:00": 48, "0 days 00:45:00": 0.75, "1 days 02:15:00.000000": 26.25, "-1 days +23:30:00": -0.5,
		"PT1H30M": 1.5, "PT36S": 0.01, "P1DT2H": 26, "P2W": 336, "PT0S": 0, "-PT15M": -0.25, "PT1.5H": 1.5, "P1D": 24, "5 h": 5, "2": 2,
		"+0:00:36": 0.01, "\u22121:30:00": -1.5, "+PT15M": 0.25, "PT-15M": -0.25, "-PT-15M": 0.25, "P-1DT23H30M0S": -0.5, "PT-0.5S": -0.5 / 3600, "PT+1H\u221215M": 0.75, "3h 36m": 3.6, "3h36m": 3.6, "3 h 36 min": 3.6, "75m36s": 1.26, "2 d 4 h": 52, "2 hours, 30 minutes and 36 sec": 2.51, "26 Stunden, 30 Minuten": 26.5, "1 Hour, 30 Minutes": 1.5, "3 Std. 30 Min.": 3.5, "1 Tag 2 Std": 26, "1m 4.5s": 1.0/60 + 4.5/3600, "-1h 30m": -1.5, "~1h 30m": 1.5, "1h 30m*": 1.5, "90 min": 1.5, "36 s": 0.01, "2 hrs": 2, "30 m": 0.5, "30 min.": 0.5,
		"3 days": 72, "1 day": 24, "-2 days": -48,
	} {
		if got, ok := format.Parse([]byte(cell)); !ok || got != want {
			t.Errorf("%s: %v %v, want %v", cell, got, ok, want)
		}
	}
	for _, cell := range []string{
		"26:30", "26:60:00", "26:30:61", "26:3:00", "26:30:00:00", "26:30:00 PM", ":30:00", "1 day, 24:00:00", "1 dog, 2:03:04", "1 day,2:03:04",
		"3h 60m", "1d 24h", "3m 5h", "1h 5h", "3.5h 5m", "3h 5", "h 5m", "3H 5M", "3h  5m", "3h5", "3h 5m 6", "3h-5m", "3h 5m 6x", "56y 1m", "1 month 5 days", "3h 5M",
		"P", "PT", "P1", "P1DT", "P1Y", "P1M", "PT1D", "P1H", "PT1M1H", "PT1H1H", "PTH", "P1D2H", "1:2:3", "--1:00:00", "+-1:00:00", "PT--1H", "P-T1H", "PT1H-", "-", "3 weeks", "1234567890:00:00",
	} {
		if got, ok := format.Parse([]byte(cell)); ok {
			t.Errorf("%s is read as %v", cell, got)
		}
	}
}

// TestParseAge parses ages of years and months in a column of years.
func TestParseAge(t *testing.T) {
	format := NumberFormat{Unit: "year"}
	for cell, want := range map[string]float64{"56y 3m": 56.25, "56 years 3 months": 56.25, "56y3mo": 56.25, "1 yr, 6 mths": 1.5, "5 years": 5, "5y": 5, "6 months": 0.5, "7": 7} {
		if got, ok := format.Parse([]byte(cell)); !ok || got != want {
			t.Errorf("%s: %v %v, want %v", cell, got, ok, want)
		}
	}
	for _, cell := range []string{"56y 12m", "3h 5m", "56y 3d", "3m 56y", "5 days", "56y 3m 2d"} {
		if got, ok := format.Parse([]byte(cell)); ok {
			t.Errorf("%s is read as %v", cell, got)
		}
	}
}
