package inference_test

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// separatorTable returns a table with the columns size and other, whose numbers have the given
// formats. If a format has a bar, every third number has the format after the bar. The numbers of
// size are i and 101·i, those of other are i+2.
func separatorTable(size, other, label string) string {
	pick := func(format string, i int) string {
		often, seldom, found := strings.Cut(format, "|")
		if found && i%3 == 0 {
			return seldom
		}
		return often
	}
	var b strings.Builder
	fmt.Fprintf(&b, "id,size,other%s\n", label)
	for i := range 90 {
		fmt.Fprintf(&b, "%d,\""+pick(size, i)+"\",\""+pick(other, i)+"\"", i, i+1, i+101, i+2, i+102)
		if label != "" {
			fmt.Fprintf(&b, ",%c", "xy"[i/7%2])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestDecimalSeparatorOfTable scans columns whose separator may be that of thousands or of decimals,
// next to another column.
func TestDecimalSeparatorOfTable(t *testing.T) {
	t.Parallel()
	const (
		points, commas               = "%[2]d.%03[3]d", "%[2]d,%03[3]d"     // such as 1.101 and 1,101
		groupedPoints, groupedCommas = points + "|%[3]d", commas + "|%[3]d" // 101 has no separator
		pointProof, commaProof       = "%[4]d.5", "%[4]d,5"                 // such as 2.5 and 2,5
		otherPoints, otherCommas     = "%[4]d.%03[5]d", "%[4]d,%03[5]d"     // such as 2.102 and 2,102
		otherGroupedCommas           = otherCommas + "|%[5]d"               // 102 has no separator
		few                          = "%[4]d"                              // such as 2
		decimals                     = 1.101                                // the smallest number of size
		thousands                    = 1101
	)
	unclear := func(separator, cell string, read float64) string {
		return fmt.Sprintf("no number of the column shows whether the %s in %q separates thousands or decimals: this number is read as %v", separator, cell, read)
	}
	for name, c := range map[string]struct {
		size, other string // formats of the numbers
		want        float64
		warnings    []string
	}{
		"points_before_a_comma":         {points, commaProof, thousands, nil},
		"points_before_a_point":         {points, pointProof, decimals, nil},
		"points_alone":                  {points, few, decimals, []string{unclear("point", "1.101", 1.101)}},
		"points_that_look_grouped":      {groupedPoints, few, 101, []string{unclear("point", "2.102", 2102)}},
		"grouped_points_and_a_point":    {groupedPoints, pointProof, 2.102, []string{unclear("point", "2.102", 2.102)}},
		"commas_before_a_comma":         {commas, commaProof, decimals, nil},
		"commas_before_a_point":         {commas, pointProof, thousands, nil},
		"commas_alone":                  {commas, few, thousands, []string{unclear("comma", "1,101", 1101)}},
		"commas_that_look_grouped":      {groupedCommas, few, 101, nil},
		"grouped_commas_and_a_comma":    {groupedCommas, commaProof, 2.102, []string{unclear("comma", "2,102", 2.102)}},
		"grouped_commas_and_a_point":    {groupedCommas, pointProof, 101, nil},
		"commas_before_grouped_commas":  {commas, otherGroupedCommas, thousands, nil},
		"commas_before_points":          {commas, otherPoints, thousands, []string{unclear("comma", "1,101", 1101), unclear("point", "2.102", 2.102)}},
		"a_comma_and_a_point_are_shown": {"%[2]d,5|%[2]d,25", pointProof, 1.25, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := scanText(t, separatorTable(c.size, c.other, ",label"), profile.ScanOptions{})
			var got []string
			for _, w := range p.Warnings {
				if w.Code == csvfile.CodeUnclearNumbers {
					got = append(got, w.Message)
				}
			}
			if read := p.Columns[0].Numbers.Min; read != c.want || strings.Join(got, "\n") != strings.Join(c.warnings, "\n") {
				t.Errorf("the smallest number is %v, want %v; warnings %q, want %q", read, c.want, got, c.warnings)
			}
			f := loadText(t, separatorTable(c.size, c.other, ",label"), p.Schema)
			least := valuesOf(f, 0)[0]
			for _, value := range valuesOf(f, 0) {
				least = min(least, value)
			}
			if least != c.want {
				t.Errorf("the smallest number of the frame is %v, want %v", least, c.want)
			}
		})
	}
}

// TestBlindNumbersAreReadAsInTraining scans a blind file whose numbers prove no decimal separator.
func TestBlindNumbersAreReadAsInTraining(t *testing.T) {
	t.Parallel()
	const points = "%[2]d.%03[3]d"
	for other, want := range map[string]float64{"%[4]d,5": 1101, "%[4]d.5": 1.101} {
		train := scanText(t, separatorTable(points, other, ",label"), profile.ScanOptions{})
		blind := scanText(t, separatorTable(points, "%[4]d", ""), profile.ScanOptions{Blind: true, Training: train.Schema})
		if got := blind.Columns[0].Numbers.Min; got != want {
			t.Errorf("other numbers such as %s: read as %v, want %v", other, got, want)
		}
		if findings := compare.Profiles(train, blind); len(findings) > 0 {
			t.Errorf("%+v", findings)
		}
	}
}
