package compare

import (
	"fmt"
	"math/rand/v2"
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
		blind := &columnstats.NumericStats{Min: value, Max: 2 * value, Mean: value * shift}
		c.checkNumbers("x", inference.FormNumeric, train, blind, 1000, 200)
		if len(c.findings) != want {
			t.Errorf("%v: %+v, want %d", shift, c.findings, want)
		}
	}
}
