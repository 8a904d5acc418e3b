package inference_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// datesTable returns a training file, or a blind file if label is false. The file has a column when
// and, unless other is "", a column other. when and other are the layouts of the dates in these
// columns. A layout with the suffix "?" has only dates that can be read in two ways.
func datesTable(label bool, when, other string) string {
	var b strings.Builder
	write := func(id string, cells ...string) {
		b.WriteString(id)
		for _, cell := range cells {
			b.WriteString("," + cell)
		}
		b.WriteString("\n")
	}
	date := func(row int, layout string) string {
		layout, ambiguous := strings.CutSuffix(layout, "?")
		day := 1 + row*11%28
		if ambiguous {
			day = 1 + row%12
		}
		return time.Date(2024, time.Month(1+row*5%12), day, 0, 0, 0, 0, time.UTC).Format(layout)
	}
	head := []string{"when"}
	if other != "" {
		head = append(head, "other")
	}
	if label {
		head = append(head, "y")
	}
	write("id", head...)
	for row := range 60 {
		cells := []string{date(row, when)}
		if other != "" {
			cells = append(cells, date(row+1, other))
		}
		if label {
			cells = append(cells, []string{"a", "b"}[row%2])
		}
		write(fmt.Sprint(row), cells...)
	}
	return b.String()
}

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
		p := scanText(t, datesTable(true, c.when, c.other), profile.ScanOptions{})
		warned := ""
		for _, w := range p.Warnings {
			if w.Code == csvfile.CodeAmbiguousDates {
				warned = w.String()
			}
		}
		if got := p.Schema.Columns[0].DayFirst; got != c.dayFirst || (warned != "") != c.warn {
			t.Errorf("%s beside %q: the day is first: %v, want %v; warning %q", c.when, c.other, got, c.dayFirst, warned)
		}
		if want := `line 3, column 2 (when): no date shows whether the day or the month is first: the month is assumed, so "02/06/2024" is 2024-02-06`; c.warn && warned != want {
			t.Errorf("%s: %q, want %q", c.when, warned, want)
		}
	}
}

func TestDatesInTwoOrders(t *testing.T) {
	file := datesTable(true, "02/01/2006", "") + "a,12/31/2024,a\n"
	for _, w := range scanText(t, file, profile.ScanOptions{}).Warnings {
		if w.Code == csvfile.CodeDateOrder {
			if want := `line 62, column 2 (when): "12/31/2024" has the month first, but most dates of the column have the day first; the dates of 1 row are treated as missing`; w.String() != want {
				t.Errorf("%q, want %q", w, want)
			}
			return
		}
	}
	t.Error("no warning about 12/31/2024")
}

func TestBlindDatesAreReadAsInTraining(t *testing.T) {
	train := scanText(t, datesTable(true, "02/01/2006", ""), profile.ScanOptions{})
	file := datesTable(false, "02/01/2006?", "")
	blind := scanText(t, file, profile.ScanOptions{Blind: true, Training: train.Schema})
	if !blind.Columns[0].IsDayFirst() {
		t.Error("the dates of the blind file are read with the month first")
	}
}
