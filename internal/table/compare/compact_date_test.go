package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// TestCompactDates compares dates such as 20231020 with training columns of numbers and of Unix times.
func TestCompactDates(t *testing.T) {
	t.Parallel()
	table := func(format func(day time.Time) string) string {
		text := strings.Builder{}
		text.WriteString("id,time,n,y\n")
		for i := range 60 {
			day := time.Date(2023, 1, 2, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i*13)
			fmt.Fprintf(&text, "r%d,%s,%d,%c\n", i, format(day), i*i%7, 'a'+i%2)
		}
		return text.String()
	}
	compact := func(day time.Time) string { return day.Format("20060102") }
	blind := scanText(t, table(compact), profile.ScanOptions{Blind: true, ID: "id"})
	const serial, unix = "the column has numbers in training, but dates in 60 rows here, most often \"20230102\"; these dates are read as numbers", "the column has Unix times in training, but dates in 60 rows here, most often \"20230102\"; these dates are read as Unix times"
	for name, c := range map[string]struct {
		format func(day time.Time) string
		known  profile.TrainingColumn
		want   string
	}{
		"days":          {func(day time.Time) string { return fmt.Sprint(day.Unix()/86400 + 25569) }, profile.TrainingColumn{Form: inference.FormNumeric, HasRange: true, Min: 40000, Max: 45000}, serial},
		"seconds":       {func(day time.Time) string { return fmt.Sprint(day.Unix() + 4000) }, profile.TrainingColumn{Form: inference.FormDate, Epoch: frame.EpochSeconds, HasRange: true, Min: 19000, Max: 20000}, unix},
		"numbers_alike": {func(day time.Time) string { return fmt.Sprint(20000000 + day.Unix()%1e6) }, profile.TrainingColumn{Form: inference.FormNumeric, HasRange: true, Min: 20000000, Max: 20990000}, ""},
		"dates":         {compact, profile.TrainingColumn{Form: inference.FormDate, DateOrder: inference.YearFirst}, ""},
	} {
		c.known.Name = "time"
		train := scanText(t, table(c.format), profile.ScanOptions{})
		for i, findings := range [][]Finding{TrainingColumns([]profile.TrainingColumn{c.known}, blind), Profiles(train, blind)} {
			got := ""
			for _, f := range findings {
				if f.Name == "time" {
					got += f.Message
				}
				if f.Severity != SeverityDefect && f.Name == "time" {
					t.Errorf("%s: %+v", name, f)
				}
			}
			if got != c.want {
				t.Errorf("%s %d: %q, want %q", name, i, got, c.want)
			}
		}
	}
}
