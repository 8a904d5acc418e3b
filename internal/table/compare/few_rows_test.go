package compare

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// TestTextsInGappyColumn compares texts with a training column that often has no value.
func TestTextsInGappyColumn(t *testing.T) {
	t.Parallel()
	whole := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, NumberFormat: new(cells.NumberFormat), Rows: 1000, Missing: 600}
	sample := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, NumberFormat: new(cells.NumberFormat), SampleRows: 13, SampleMissing: 19}
	for _, c := range []struct {
		known profile.TrainingColumn
		cells string
		want  bool
	}{
		{whole, ",,,Gold,Silver", true},
		{whole, ",,,1,2", false},
		{whole, ",,,,1,2,see", false}, // the training file may have such texts among its missing values
		{sample, ",,,Gold,Silver", true},
		{sample, ",,,1,2", false},
	} {
		got := ""
		for _, f := range TrainingColumns([]profile.TrainingColumn{c.known}, cellsOf(t, 105, strings.Split(c.cells, ",")...)) {
			got += f.Message
		}
		if strings.Contains(got, "numbers in training, but text in") != c.want {
			t.Errorf("%d rows, %q: %q", c.known.Rows, c.cells, got)
		}
	}
}

// TestFewTextsAmongDates checks that a column with a few other texts, which is then read as text, is not said
// to have texts only.
func TestFewTextsAmongDates(t *testing.T) {
	t.Parallel()
	table := func(header, label string, serials int) string {
		file := header + "\n"
		for i := range 40 {
			date := fmt.Sprintf("2024-%02d-%02d", i%12+1, i%28+1)
			if i < serials {
				date = strconv.Itoa(45300 + i)
			}
			file += fmt.Sprintf("%d,%s,%d%.*s\n", i, date, i*7%13, 2*len(label), label+strconv.Itoa(i%2))
		}
		return file
	}
	train := scanText(t, table("id,x,z,label", ",", 0), profile.ScanOptions{})
	known := profile.TrainingColumn{Name: "x", Form: inference.FormDate, DateOrder: inference.UnknownOrder, Rows: 40}
	often := known
	often.Missing = 6
	for _, c := range []struct {
		serials           int
		want, ofGaps, all string
	}{
		{0, "", "", ""},
		{3, "the column has dates in training, but text in 3 rows here", "", "the column has dates in training, but text in 3 rows here"},
		{18, "the column has dates in training, but text in 18 rows here", "the column has dates in training, but text in 18 rows here", "the column has dates in training, but text in 18 rows here"},
	} {
		blind := scanText(t, table("id,x,z", "", c.serials), profile.ScanOptions{Blind: true, ID: "id"})
		for i, found := range [][]Finding{
			TrainingColumns([]profile.TrainingColumn{known}, blind), TrainingColumns([]profile.TrainingColumn{often}, blind), Profiles(train, blind),
		} {
			got := ""
			for _, f := range found {
				got += f.Message
			}
			if want := []string{c.want, c.ofGaps, c.all}[i]; !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%d serials, comparison %d: %q, want %q", c.serials, i, got, want)
			}
		}
	}
}

// TestNumbersForTexts compares numbers with a training column of numbers that are read as texts, for example
// because of spaces between thousands.
func TestNumbersForTexts(t *testing.T) {
	t.Parallel()
	spaced := profile.TrainingColumn{Name: "x", Form: inference.FormText, Rows: 300, Distinct: 290, Texts: []string{"1 234 567", "2 345 678", "3 456 789"}, TextRows: 9}
	tickets := profile.TrainingColumn{Name: "x", Form: inference.FormText, Rows: 300, Distinct: 290, Texts: []string{"CA. 2343", "347082", "PC 17599"}, TextRows: 9}
	for _, c := range []struct {
		known profile.TrainingColumn
		rows  int
		cells string
		want  bool
	}{
		{spaced, 60, "1234567,2345679,3456780", true},
		{spaced, 60, "2024-01-05,2024-01-06", true},
		{spaced, 60, "1 234 567,2 345 679,3 456 780", false},
		{spaced, 6, "1234567,2345679,3456780", false},
		{tickets, 60, "1234567,2345679,3456780", false},
	} {
		got := ""
		for _, f := range TrainingColumns([]profile.TrainingColumn{c.known}, cellsOf(t, c.rows, strings.Split(c.cells, ",")...)) {
			got += f.Message
		}
		if strings.Contains(got, "the model reads them as words") != c.want {
			t.Errorf("%q, %d rows of %s: %q", c.known.Texts, c.rows, c.cells, got)
		}
	}
}

// TestFewNumbersWithUnit compares a file in which a few numbers have a unit.
func TestFewNumbersWithUnit(t *testing.T) {
	t.Parallel()
	values := make([]string, 60)
	for i := range values {
		values[i] = fmt.Sprintf("%d.25", 2000+7*i)
	}
	text := strings.Replace(tableOf(60, values...), "id,n,x", "id,n,x,label", 1)
	for i, value := range values {
		text = strings.Replace(text, value+"\n", fmt.Sprintf("%s,%c\n", value, "ab"[i%2]), 1)
	}
	train := scanText(t, text, profile.ScanOptions{})
	values[4], values[9] = values[4]+" EUR", values[9]+" EUR"
	known := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, NumberFormat: new(cells.NumberFormat), Rows: 60}
	blind := cellsOf(t, 60, values...)
	for i, findings := range [][]Finding{TrainingColumns([]profile.TrainingColumn{known}, blind), Profiles(train, blind)} {
		got := ""
		for _, f := range findings {
			if f.Name == "x" {
				got += fmt.Sprintf("%d: %s", f.Line, f.Message)
			}
		}
		if want := `6: numbers in 2 rows have another format than in training, most often "2028.25 EUR"; these numbers are treated as missing`; got != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
}

// TestFewOtherSpellings compares a file in which a few texts differ from a level only in spelling.
func TestFewOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ levels, cells, want string }{
		{"North South", "North South North South north", csvfile.CodeOtherSpelling},
		{"North South", "North South North South West", ""},
		{"True False", "True False True False yes", csvfile.CodeOtherSpelling},
		{"True False", "true FALSE", ""},
	} {
		for _, rows := range []int{5, 100} {
			got := ""
			for _, f := range TrainingColumns([]profile.TrainingColumn{{Name: "x", Levels: strings.Fields(c.levels)}}, cellsOf(t, rows, strings.Fields(c.cells)...)) {
				got += f.Code
			}
			if got != c.want {
				t.Errorf("%d rows of %q: %q, want %q", rows, c.cells, got, c.want)
			}
		}
	}
}

// tableOf returns a table whose column x has the given cells, repeated.
func tableOf(rows int, cells ...string) string {
	text := strings.Builder{}
	text.WriteString("id,n,x\n")
	for i := range rows {
		fmt.Fprintf(&text, "r%d,%d,%s\n", i, i*i, cells[i%len(cells)])
	}
	return text.String()
}

// cellsOf returns the profile of a blind file; see tableOf.
func cellsOf(t *testing.T, rows int, cells ...string) *profile.Profile {
	t.Helper()
	return scanText(t, tableOf(rows, cells...), profile.ScanOptions{Blind: true, ID: "id"})
}
