package cells

import (
	"fmt"
	"math"
	"testing"
	"time"
)

func TestParseDateTime(t *testing.T) {
	at := func(year, month, day int) float64 { return float64(DaysFromCivil(year, month, day)) }
	for cell, want := range map[string]float64{
		"2006-01-02":                     at(2006, 1, 2),
		"2006/1/2":                       at(2006, 1, 2),
		"2006.01.02":                     at(2006, 1, 2),
		"20060102":                       at(2006, 1, 2),
		"1/2/2006":                       at(2006, 1, 2),
		"01-02-06":                       at(2006, 1, 2),
		"2.1.2006":                       at(2006, 1, 2),
		"2.1.69":                         at(1969, 1, 2),
		"2.1.30":                         at(1930, 1, 2),
		"2.1.29":                         at(2029, 1, 2),
		"Jan 2, 2006":                    at(2006, 1, 2),
		"Jan. 2, 2006":                   at(2006, 1, 2),
		"January 2nd 2006":               at(2006, 1, 2),
		"2 JANUARY 2006":                 at(2006, 1, 2),
		"02-Jan-06":                      at(2006, 1, 2),
		"2nd Jan 2006":                   at(2006, 1, 2),
		"Mon, 2 Jan 2006":                at(2006, 1, 2),
		"Monday, January 2, 2006":        at(2006, 1, 2),
		"2006-01":                        at(2006, 1, 1),
		"2006, January":                  at(2006, 1, 1),
		"2006 Jan 2":                     at(2006, 1, 2),
		"2006-Jan-02":                    at(2006, 1, 2),
		"Jan-06":                         at(2006, 1, 1),
		"January 2006":                   at(2006, 1, 1),
		"2004-02-29":                     at(2004, 2, 29),
		"2006-01-02T15:00":               at(2006, 1, 2) + 15.0/24,
		"2006-01-02 15:00:00.000Z":       at(2006, 1, 2) + 15.0/24,
		"2006-01-02T15:00:00+01:00":      at(2006, 1, 2) + 15.0/24,
		"2006-01-02 15:00:00 UTC":        at(2006, 1, 2) + 15.0/24,
		"2006-01-02 15:00:00 -0800":      at(2006, 1, 2) + 15.0/24,
		"1/2/06 3:00 PM":                 at(2006, 1, 2) + 15.0/24,
		"1/2/2006 12:30am":               at(2006, 1, 2) + 0.5/24,
		"Jan 2, 2006, 15:00":             at(2006, 1, 2) + 15.0/24,
		"2006-01-02 15:00:00 EST":        at(2006, 1, 2) + 15.0/24,
		"Mon Jan 2 15:00:00 2006":        at(2006, 1, 2) + 15.0/24,
		"Mon Jan  2 15:00 CET 2006":      at(2006, 1, 2) + 15.0/24,
		"Mon Jan 02 15:00:00 +0000 2006": at(2006, 1, 2) + 15.0/24,
		"2. Januar 2006":                 at(2006, 1, 2),
		"2.Jan.2006":                     at(2006, 1, 2),
		"2. MÄRZ 2006":                   at(2006, 3, 2),
		"Mo., 2. Okt. 06 15:00":          at(2006, 10, 2) + 15.0/24,
		"Mai 2006":                       at(2006, 5, 1),
		"Dez-06":                         at(2006, 12, 1),
		"1er janv. 2006":                 at(2006, 1, 1),
		"lundi 2 août 2006":              at(2006, 8, 2),
		"2 févr. 2006":                   at(2006, 2, 2),
		"2 de enero de 2006":             at(2006, 1, 2),
		"2 gen 2006":                     at(2006, 1, 2),
		"ene-06":                         at(2006, 1, 1),
		"abr-06":                         at(2006, 4, 1),
		"ago 2006":                       at(2006, 8, 1),
		"dic. 2, 2006":                   at(2006, 12, 2),
		"15:00":                          15.0 / 24,
		"18.00.00":                       18.0 / 24,
		"9.30.00":                        9.5 / 24,
		"18.10.05":                       at(2005, 10, 18),
		"09h30":                          9.5 / 24,
		"9h30":                           9.5 / 24,
		"3:00:36 pm":                     15.01 / 24,
		"20060102T150036Z":               at(2006, 1, 2) + 15.01/24,
		"20060102T150036.0+0100":         at(2006, 1, 2) + 15.01/24,
		"20060102T1500":                  at(2006, 1, 2) + 15.0/24,
		"20060102T15:00":                 at(2006, 1, 2) + 15.0/24,
		"02/Jan/2006:15:00:36 -0700":     at(2006, 1, 2) + 15.01/24,
		"02-01-2006 15.00":               at(2006, 2, 1) + 15.0/24,
		"2.1.2006 15.00.36":              at(2006, 1, 2) + 15.01/24,
		"2006-01-02, 9.30":               at(2006, 1, 2) + 9.5/24,
		"2006-01-02T15:00:36+01:00[Europe/Berlin]":                           at(2006, 1, 2) + 15.01/24,
		"2006-01-02T15:00:36Z[America/Argentina/Ushuaia]":                    at(2006, 1, 2) + 15.01/24,
		"2006-01-02T15:00:36.000000000+01:00[Europe/Berlin]":                 at(2006, 1, 2) + 15.01/24,
		"1/2/2006, 3:00:36\u202fPM":                                          at(2006, 1, 2) + 15.01/24, // as JavaScript and Go print times
		"1/2/2006, 3:00:36\u00a0p.\u00a0m.":                                  at(2006, 1, 2) + 15.01/24,
		"2006-01-02 3:00 p.m.":                                               at(2006, 1, 2) + 15.0/24,
		"2006-01-02 12:30 A.M. EST":                                          at(2006, 1, 2) + 0.5/24,
		"2006-01-02T15:00:36.1234567890Z":                                    at(2006, 1, 2) + 15.01/24 + 0.123456789/86400,
		"2. 1. 2006":                                                         at(2006, 1, 2),
		"2. 1. 06 15:00":                                                     at(2006, 1, 2) + 15.0/24,
		"Mo. 2.1.2006":                                                       at(2006, 1, 2),
		"2006/01/02 15:00 +0000 UTC":                                         at(2006, 1, 2) + 15.0/24,
		"2006-01-02 15:00:36.5 +0100 CET":                                    at(2006, 1, 2) + 15.01/24 + 0.5/86400,
		"Mon Jan 02 2006 15:00:36 GMT+0100 (Central European Standard Time)": at(2006, 1, 2) + 15.01/24,
		"Mon Jan 02 2006 15:00:36 GMT+0100 (Mitteleuropäische Normalzeit)":   at(2006, 1, 2) + 15.01/24,
	} {
		m, ok := ParseDateTime([]byte(cell), false)
		if !ok || math.Abs(m.EpochDays()-want) > 1e-9 {
			t.Errorf("%s: %v %v, want %v", cell, m.EpochDays(), ok, want)
		}
	}
	for _, cell := range []string{
		"", "2006", "2006-13-01", "2006-02-29", "1900-02-29", "31/1/2006", "2006-01-02T", "2006-01-02 25:00", "24:00", "1:5", "1/2", "1/2/123",
		"2006-01-02x", "Jan", "Janus 2, 2006", "2006-1/2", "2006-13", "2006.01", "Jan-6", "2006 monkeys", "2006, ", "Mon Jan 2 15:00:00 2006 15:00", "Jan 2 15:00", "2006-01-02 15:00 QWERTZ", "Jan 06", "1990/91", "12 monkeys", "3.14.15", "1.2.3", "555-1234", "20061301", "13:00 PM", "2006-01-02 15:00 mars",
		"20060102T15", "20060102T150", "20060102T1560", "20060102T150060000", "20060102 1500", "20060102T2500", "2006-01-02T1500", "2006-01-02:15:00", "1/2/2006:15:00", "02/Jan/2006:15.00",
		"15.00", "2006-01-02 15.0", "2006-01-02 15.60", "2006-01-02 15.000", "2006-01-02T15.00", "2006-01-02 15.00:36", "2006-01-02 15:00.36",
		"2006-01-02[Europe/Berlin]", "2006-01-02T15:00[Europe/Berlin]", "15:00Z[Europe/Berlin]", "2006-01-02T15:00Z[1]", "2006-01-02T15:00Z[a b c]", "2006-01-02T15:00Z[Europe/Berlin",
		"2006-01-02 (Central European Time)", "2006-01-02 15:00 (CET)", "2006-01-02 15:00Z (a) (b)", "15:00Z (CET)", "2006-01-02 15:00 a", "2006-01-02 13:00 a.m.", "2006-01-02 3:00 p..m", "2006-01-02 15:00:056", "2. 1 2006", "2. 13. 2006", "2006-01-02 15:00 CET+0100", "2006-01-02 15:00 +0100 QWERTZ",
		"SET-12", "gen 2006", "mag-06", "OTT-06", "2. 1. monat", "2 de 2006", "31. Juni 2006",
	} {
		if m, ok := ParseDateTime([]byte(cell), false); ok {
			t.Errorf("%s is read as %+v", cell, m)
		}
	}
	if m, ok := ParseDateTime([]byte("1/2/2006"), true); !ok || m.EpochDays() != at(2006, 2, 1) {
		t.Errorf("%+v %v with the day first", m, ok)
	}
}

func TestCivilFromDays(t *testing.T) {
	day := time.Date(minYear, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := int(day.Unix() / 86_400); day.Year() <= maxYear; n++ {
		year, month, of := CivilFromDays(n)
		if year != day.Year() || month != int(day.Month()) || of != day.Day() || DaysFromCivil(year, month, of) != n {
			t.Fatalf("day %d is %d-%d-%d, want %v", n, year, month, of, day)
		}
		day = day.AddDate(0, 0, 1)
	}
}

// FuzzParseDateTime checks that any cell is parsed without a panic, and that a parsed date
// can be formatted and parsed again.
func FuzzParseDateTime(f *testing.F) {
	for _, seed := range []string{"2006-01-02T15:04:05.999+01:00", "1/2/06 3:04 PM", "Mon, 2nd Jan 2006", "20060102", "15:04", "Sept 1", "1.1.1", "00:00:60"} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, cell []byte, dayFirst bool) {
		m, ok := ParseDateTime(cell, dayFirst)
		if !ok {
			return
		}
		year, month, day := CivilFromDays(m.Day)
		if !(m.Hour >= 0 && m.Hour <= 24.001) || year < 0 || (m.HasDate && (year < minYear || year > maxYear)) {
			t.Fatalf("%q: %+v", cell, m)
		}
		again, ok := ParseDateTime(fmt.Appendf(nil, "%04d-%02d-%02d", year, month, day), dayFirst)
		if !ok || again.Day != m.Day {
			t.Fatalf("%q: %+v, again %+v", cell, m, again)
		}
		if v := m.EpochDays(); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%q: %v days", cell, v)
		}
	})
}
