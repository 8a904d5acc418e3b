package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// numbersTable returns a table of columns whose numbers are normally distributed around a mean. The
// first column has the mean shifted.
func numbersTable(seed uint64, rows, columns int, shifted float64, label bool) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var text strings.Builder
	text.WriteString("id")
	for i := range columns {
		fmt.Fprintf(&text, ",f%d", i)
	}
	if label {
		text.WriteString(",y")
	}
	text.WriteString("\n")
	for row := range rows {
		fmt.Fprintf(&text, "r%d", row)
		for i := range columns {
			value := random.NormFloat64()
			if i == 0 {
				value += shifted
			}
			fmt.Fprintf(&text, ",%.4f", value)
		}
		if label {
			text.WriteString([]string{",a", ",b"}[row%2])
		}
		text.WriteString("\n")
	}
	return text.String()
}

// Two files from the same source have no finding, even if they are small and have many columns. A
// file in which one of the columns is shifted has one.
func TestCompareAllowsForChance(t *testing.T) {
	if testing.Short() {
		t.Skip("profiles are compared in one goroutine, which is slow under the race detector")
	}
	for _, c := range []struct {
		train, blind, columns int
		shifted               float64
		want                  string
	}{
		{60, 60, 300, 0, ""},
		{200, 1000, 100, 0, ""},
		{40, 2000, 100, 0, ""},
		{500, 500, 300, 1, "f0"},
		{500, 60, 300, 5, "f0"},
		{500, 1, 10, 40, "f0"},
	} {
		train := scanText(t, numbersTable(1, c.train, c.columns, 0, true), profile.ScanOptions{})
		blind := scanText(t, numbersTable(2, c.blind, c.columns, c.shifted, false), profile.ScanOptions{Blind: true, ID: "id"})
		got := ""
		for _, f := range Profiles(train, blind) {
			if f.Code == csvfile.CodeMovedRange {
				got += f.Name
				t.Log(f.Message)
			}
		}
		if got != c.want {
			t.Errorf("%+v: findings about %q", c, got)
		}
	}
}

func TestFormatDistinctly(t *testing.T) {
	for _, c := range []struct {
		form   inference.Form
		values []float64
		want   string
	}{
		{inference.FormNumeric, []float64{1, 2.5}, "[1 2.5]"},
		{inference.FormNumeric, []float64{12345671, 12345672}, "[12345671 12345672]"},
		{inference.FormNumeric, []float64{5, 5}, "[5 5]"},
		{inference.FormDate, []float64{19723, 19723.5}, "[2024-01-01 00:00 2024-01-01 12:00]"},
		{inference.FormDate, []float64{-3e5, 19723}, "[1148-08-18 2024-01-01]"},
		{inference.FormTime, []float64{1, 1.001}, "[01:00:00 01:00:04]"},
	} {
		if got := fmt.Sprint(formatDistinctly(c.form, c.values...)); got != c.want {
			t.Errorf("%s %v: %s, want %s", c.form, c.values, got, c.want)
		}
	}
}

// A difference of two means that is only due to rounding is not reported.
func TestMeanDiffersByRounding(t *testing.T) {
	for shift, want := range map[float64]int{1 + 2e-16: 0, 1 + 5e-10: 0, 1 + 1e-6: 1} {
		const value = 1.2345678901234567e19
		c := comparison{blind: &profile.Profile{Rows: 200}, compared: 1}
		train := &columnstats.NumericStats{Min: value, Max: 2 * value, Mean: value}
		blind := &profile.ColumnProfile{Numbers: &columnstats.NumericStats{Min: value, Max: 2 * value, Mean: value * shift}}
		c.checkNumbers(inference.FormNumeric, train, 1000, blind)
		if len(c.findings) != want {
			t.Errorf("%v: %+v, want %d", shift, c.findings, want)
		}
	}
}

// Numbers in thousands, or fractions instead of percentages, are reported even if the training range is
// so wide that they are near or in it.
func TestNumbersInOtherUnit(t *testing.T) {
	table := func(rows int, format string, scale float64) string {
		random := rand.New(rand.NewPCG(uint64(rows), 1))
		text := strings.Builder{}
		text.WriteString("id,x,y\n")
		for row := range rows {
			fmt.Fprintf(&text, "r%d,"+format+",%c\n", row, scale*math.Exp(7+1.7*random.NormFloat64()), 'a'+row%2)
		}
		return text.String()
	}
	train := scanText(t, table(1200, "%.2f", 1), profile.ScanOptions{})
	numbers := *train.Columns[train.ColumnIndex("x")].Numbers
	whole := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, Rows: 1200, HasRange: true, Min: numbers.Min, Max: numbers.Max}
	sample := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, SampleRows: 32, Min: 10, Max: 1e5, SampleNumbers: slices.Repeat([]float64{10, 200, 1500, 1e5}, 8)}
	percentages := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, SampleRows: 32, Max: 1e9, SampleNumbers: slices.Repeat([]float64{0, 1e8, 5e8, 1e9}, 8)}
	for _, c := range []struct {
		rows  int
		scale float64
		known profile.TrainingColumn
		want  int
	}{
		{300, 1, whole, 0},
		{300, 1e-3, whole, 1},
		{20, 1e-4, whole, 1},
		{20, 1, whole, 0},
		{300, 1, sample, 0},
		{300, 1e-3, sample, 1},
		{20, 1e-3, sample, 1},
		{20, 1, sample, 0},
		{20, 1, percentages, 1},
		{2, 1, percentages, 0},
	} {
		blind := scanText(t, table(c.rows, "%.5f", c.scale), profile.ScanOptions{Blind: true, ID: "id"})
		if got := TrainingColumns([]profile.TrainingColumn{c.known}, blind); len(got) != c.want {
			t.Errorf("%d rows × %g, known %d %d: %+v, want %d", c.rows, c.scale, c.known.Rows, c.known.SampleRows, got, c.want)
		}
		if c.known.HasRange {
			got := slices.DeleteFunc(Profiles(train, blind), func(f Finding) bool { return f.Code != csvfile.CodeMovedRange })
			if len(got) != c.want {
				t.Errorf("%d rows × %g: %+v, want %d", c.rows, c.scale, got, c.want)
			}
		}
	}
}
