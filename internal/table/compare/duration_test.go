package compare

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

// TestDurations compares columns of durations, which look like times of day if none of them has 24
// hours or more, and like codes if only few are different. Only durations that a model treats as
// missing may be reported as missing.
func TestDurations(t *testing.T) {
	t.Parallel()
	column := func(maxHours, different int, more ...string) string {
		return tabletest.Column(append(more, tabletest.Cells(120, func(i int) string {
			return fmt.Sprintf("%d:%02d:05", i%different*maxHours/different, i%different%60)
		})...)...)
	}
	numbers := tabletest.Column(tabletest.Cells(120, func(i int) string { return fmt.Sprint(i % 40) })...)
	dnf := tabletest.Cells(20, func(int) string { return "DNF" })
	const oneDuration = `the column has times of day in training, but here, 1 row has a duration that cannot be a time of day, most often "26:30:00"; these durations are treated as missing`
	for name, c := range map[string]struct{ train, blind, profiles, known string }{
		"below_a_day":           {column(40, 120), column(24, 120), "the mean is 11.9931, but 19.9931 in training", ""},
		"below_a_day_and_a_gap": {column(30, 120), column(24, 120, "NA"), "", ""},
		"out_of_range":          {column(40, 120, "-300:00:00"), column(24, 120, "-700:00:00"), "the values range from -700 to 23.9847; in training, they ranged from -300 to 39.9847", "the values range from -700 to 23.9847; in training, they ranged from -300 to 39.9847"},
		"few_and_a_gap":         {column(30, 120), column(30, 5, "NA"), "", ""},
		"a_day_or_more": {
			column(24, 120), column(24, 120, "26:30:00", "27:30:00", "27:30:00", "NA"),
			`the column has times of day in training, but here, 3 rows have a duration that cannot be a time of day, most often "27:30:00"; these durations are treated as missing`,
			`the column has times of day in training, but here, 3 rows have a duration that cannot be a time of day, most often "27:30:00"; these durations are treated as missing`,
		},
		"a_day_or_more_and_texts": {
			column(24, 120), column(24, 120, append(dnf, "26:30:00")...),
			oneDuration + `the column has times in training, but text in 20 rows here, most often "DNF"; such text is treated as missing`,
			`the column has times in training, but text in 20 rows here, most often "DNF"; such text is treated as missing` + oneDuration,
		},
		"a_day_or_more_and_texts_of_training": {column(24, 120, dnf...), column(24, 120, append(dnf, "26:30:00")...), oneDuration, oneDuration},
		"numbers":                             {column(40, 120), numbers, "the column has durations in training, but numbers without a unit here; these numbers are read as hours", "the column has durations in training, but numbers without a unit here; these numbers are read as hours"},
	} {
		t.Run(name, func(t *testing.T) {
			train := scanText(t, c.train, profile.ScanOptions{})
			blind := scanText(t, strings.Replace(c.blind, "id,x,y\n", "id,x,note\n", 1), profile.ScanOptions{Blind: true})
			x := &train.Columns[0]
			known := profile.TrainingColumn{Name: "x", Form: x.Form, NumberFormat: x.NumberFormat(), HasRange: x.Form == inference.FormNumeric, Rows: train.Rows, Missing: x.Missing}
			if known.HasRange {
				known.Min, known.Max = x.Numbers.Min, x.Numbers.Max
			}
			for i, findings := range [][]Finding{Profiles(train, blind), TrainingColumns([]profile.TrainingColumn{known}, blind)} {
				got := ""
				for _, f := range findings {
					if f.Name == "x" {
						got += f.Message
					}
				}
				if want := []string{c.profiles, c.known}[i]; got != want {
					t.Errorf("%d: %q, want %q", i, got, want)
				}
			}
		})
	}
}
