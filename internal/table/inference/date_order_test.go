package inference_test

import (
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

func TestAmbiguousDates(t *testing.T) {
	for _, c := range []struct {
		when, other string
		dayFirst    bool
		warn        bool
	}{
		{"02/01/2006?", "", false, true},
		{"02/01/2006", "", true, false},
		{"01/02/2006", "", false, false},
		{"2006-01-02", "", false, false},
		{"02.01.2006?", "", false, false}, // always the day first
		{"02/01/2006?", "02/01/2006", true, false},
		{"02/01/2006?", "01/02/2006", false, false},
		{"02/01/2006?", "2006-01-02", false, true},
	} {
		p := scanText(t, tabletest.Dates(true, c.when, c.other), profile.ScanOptions{})
		warned := ""
		for _, w := range p.Warnings {
			if w.Code == csvfile.CodeAmbiguousDates {
				warned = w.String()
			}
		}
		if got := p.Schema.Columns[0].DayFirst; got != c.dayFirst || (warned != "") != c.warn {
			t.Errorf("%s beside %q: the day is first: %v, want %v; warning %q", c.when, c.other, got, c.dayFirst, warned)
		}
		if want := `line 3, column 2 (when): no date shows whether the day or the month is first: the month is assumed to be first, so "02/06/2024" is read as 2024-02-06`; c.warn && warned != want {
			t.Errorf("%s: %q, want %q", c.when, warned, want)
		}
	}
}

func TestDatesInTwoOrders(t *testing.T) {
	file := tabletest.Dates(true, "02/01/2006", "") + "a,12/31/2024,a\n"
	for _, w := range scanText(t, file, profile.ScanOptions{}).Warnings {
		if w.Code == csvfile.CodeDateOrder {
			if want := `line 62, column 2 (when): the date "12/31/2024" has the month first, but most dates of the column have the day first; the dates of 1 row are treated as missing`; w.String() != want {
				t.Errorf("%q, want %q", w, want)
			}
			return
		}
	}
	t.Error("no warning about 12/31/2024")
}

func TestBlindDatesAreReadAsInTraining(t *testing.T) {
	train := scanText(t, tabletest.Dates(true, "02/01/2006", ""), profile.ScanOptions{})
	file := tabletest.Dates(false, "02/01/2006?", "")
	blind := scanText(t, file, profile.ScanOptions{Blind: true, Training: train.Schema})
	if !blind.Columns[0].DateFormat().DayFirst {
		t.Error("the dates of the blind file are read with the month first")
	}
}
