package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// TestSeparators compares blind files whose separators may mean thousands or decimals with a
// training file, and with what a model knows of it.
func TestSeparators(t *testing.T) {
	t.Parallel()
	const (
		point, pointComma, comma, commaPoint, integer = "%d.%02d", "1,0%02d.%02d", "%d,%02d", "1.0%02d,%02d", "%d%02d"
		seven                                         = "in 7 rows, a number such as "
		noSeparator                                   = ", but no number of the training file has such a separator between thousands"
	)
	shows := func(cell string) string {
		return ", but other numbers of the column, such as " + cell + ", show that this is wrong"
	}
	missing := func(rows, cell string) string {
		return " numbers in " + rows + " rows have another format than in training, most often " + cell + "; these numbers are treated as missing"
	}
	var grouped []string // 21 numbers with points
	for i := range 21 {
		grouped = append(grouped, fmt.Sprintf("1.%d", 699+i))
	}
	grouped = slices.Clip(grouped)
	for name, c := range map[string]struct {
		train string   // format of the numbers of the training file
		blind []string // numbers of the blind file
		want  string
	}{
		"thousands_like_training":   {pointComma, []string{"4,568"}, ""},
		"thousands_are_new":         {point, []string{"4,568"}, seven + `"4,568" is read as 4568 and not as 4.568` + noSeparator},
		"thousands_of_integers":     {integer, []string{"4,568"}, ""},
		"thousands_with_decimals":   {point, []string{"4,568", "12.5"}, ""},
		"decimals_show_the_comma":   {point, []string{"4,568", "12,5", "13,5"}, "defect: " + seven + `"4,568" is read as 4568 and not as 4.568` + shows(`"12,5"`) + missing("14", `"12,5"`)},
		"decimals_show_the_point":   {comma, []string{"4.568", "12.5", "13.5"}, "defect: " + seven + `"4.568" is read as 4568 and not as 4.568` + shows(`"12.5"`) + missing("14", `"12.5"`)},
		"a_typing_error":            {pointComma, append(slices.Repeat([]string{"4,568"}, 30), "12,5"), `in 210 rows, a number such as "4,568" is read as 4568 and not as 4.568, but a few other numbers of the column, such as "12,5", may show that this is wrong` + missing("7", `"12,5"`)},
		"a_comma_after_0":           {point, []string{"4,568", "0,568", "0,569"}, "defect: " + seven + `"4,568" is read as 4568 and not as 4.568` + shows(`"0,568"`) + missing("14", `"0,568"`)},
		"points_are_new":            {comma, []string{"4.568"}, seven + `"4.568" is read as 4568 and not as 4.568` + noSeparator},
		"points_like_training":      {commaPoint, []string{"4.568"}, ""},
		"decimals_like_training":    {point, []string{"92.843"}, ""},
		"commas_like_training":      {comma, []string{"92,843"}, ""},
		"decimals_and_thousands":    {point, []string{"92.843", "4,568"}, seven + `"4,568" is read as 4568 and not as 4.568` + noSeparator},
		"points_look_grouped":       {integer, append(grouped, "305"), "in 147 rows, a number such as \"1.699\" is read as 1.699 and not as 1699, but all numbers of the column without a separator are below 1000, so the separator may separate thousands"},
		"decimals_that_look_so":     {point, append(grouped, "305"), ""},
		"large_integers":            {integer, append(grouped, "305", "1305"), ""},
		"small_integers":            {integer, append(grouped, "5"), ""},
		"other_decimals":            {integer, append(grouped, "305", "1.5"), ""},
		"apostrophes_are_not_wrong": {point, []string{"4'568"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range 7 {
				for k, cell := range c.blind {
					fmt.Fprintf(&b, "%d-%d,\"%s\",1\n", i, k, cell)
				}
			}
			blind := scanText(t, "id,size,n\n"+b.String(), profile.ScanOptions{Blind: true})
			b.Reset()
			for i := range 20 {
				fmt.Fprintf(&b, "%d,\""+c.train+"\",1,%c\n", i, i+10, 3*i+11, "xy"[i%2])
			}
			train := scanText(t, "id,size,n,label\n"+b.String(), profile.ScanOptions{})
			got, size := []string{}, &train.Columns[0]
			for _, findings := range [][]Finding{
				Profiles(train, blind),
				TrainingColumns([]profile.TrainingColumn{{
					Name: "size", Form: inference.FormNumeric, NumberFormat: size.NumberFormat(), Integers: size.IsInteger(), Min: size.Numbers.Min, Max: size.Numbers.Max,
				}}, blind),
			} {
				got = append(got, formatFindings(t, findings))
			}
			if got[0] != c.want || got[1] != c.want {
				t.Errorf("got %q\nwith a model %q\nwant %q", got[0], got[1], c.want)
			}
		})
	}
}

// formatFindings returns the messages of the findings about numbers in another format. The messages
// of defects begin with the word defect. A finding about only a few numbers is in the line of one of them.
func formatFindings(t *testing.T, findings []Finding) string {
	t.Helper()
	text := ""
	for _, f := range findings {
		isDefect := f.Code == csvfile.CodeMisreadNumbers
		isCorrected := isDefect || strings.Contains(f.Message, "have another format") && f.Line == 1 || strings.Contains(f.Message, "separator may separate thousands")
		isUnread := isCorrected && f.Severity == SeverityDefect // most numbers are treated as missing
		if isDefect != (f.Severity == SeverityDefect) && !isUnread || isCorrected != (len(f.OtherSeparators) == 1) {
			t.Errorf("%+v", f)
		}
		if isDefect {
			text += " defect:"
		}
		if isDefect || f.Code == csvfile.CodeChangedKind {
			text += " " + f.Message
		}
	}
	return strings.TrimSpace(text)
}

// TestOtherSeparatorsOfManyColumns compares a blind file with many columns in whose numbers points
// and commas must be exchanged. The findings about these columns are merged. In one case, the
// numbers of the first column have both formats.
func TestOtherSeparatorsOfManyColumns(t *testing.T) {
	t.Parallel()
	const columns = minGroupedFindings + 1
	file := func(first, other func(i int) string, label string) string {
		var b strings.Builder
		b.WriteString("id")
		for i := range columns {
			fmt.Fprintf(&b, ",f%d", i)
		}
		b.WriteString(label)
		for i := range 40 {
			fmt.Fprintf(&b, "\n%d%s%s", i, first(i), strings.Repeat(other(i), columns-1))
			if label != "" {
				b.WriteString([]string{",cat", ",dog"}[i%2])
			}
		}
		return b.String()
	}
	points := func(i int) string { return fmt.Sprintf(",%d.25", i+10) }
	train := scanText(t, file(points, points, ",kind"), profile.ScanOptions{})
	for i := range train.Columns { // all columns have the same profile
		train.Columns[i].Features = 1
	}
	commas := func(i int) string { return fmt.Sprintf(`,"%d,%s"`, i+10, []string{"25", "125"}[i%2]) }
	mixed := func(i int) string {
		if i == 0 {
			return ",10.25"
		}
		return commas(i)
	}
	for name, first := range map[string]func(i int) string{"first": mixed, "none": commas} {
		want, got := columns, 0
		if name == "first" {
			want--
		}
		for _, f := range Profiles(train, scanText(t, file(first, commas, ""), profile.ScanOptions{Blind: true, ID: "id"})) {
			if f.Code != csvfile.CodeMisreadNumbers {
				continue
			}
			if got++; f.Name != "f0" && (f.Count != want || len(f.OtherSeparators) != want) || f.Name == "f0" && f.OtherSeparators != nil {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if got != 1+columns-want {
			t.Errorf("%s: %d findings", name, got)
		}
	}
}

func TestMissingUnit(t *testing.T) {
	t.Parallel()
	file := func(header, format string) string {
		var b strings.Builder
		b.WriteString(header)
		for i := range 20 {
			fmt.Fprintf(&b, "%d,"+format+",1,%c\n", i, i+10, "xy"[i%2])
		}
		return b.String()
	}
	const missing = `the numbers have the unit "%" in training, but no unit here; the numbers here are read in the unit of training`
	train := scanText(t, file("id,size,n,label\n", "%d%%"), profile.ScanOptions{})
	for format, want := range map[string]string{"%d": missing, "%d%%": "", "%d %%": ""} {
		blind := scanText(t, file("id,size,n,note\n", format), profile.ScanOptions{Blind: true})
		for i, findings := range [][]Finding{
			Profiles(train, blind),
			TrainingColumns([]profile.TrainingColumn{{Name: "size", Form: inference.FormNumeric, NumberFormat: train.Columns[0].NumberFormat()}}, blind),
		} {
			got := ""
			for _, f := range findings {
				if f.Name == "size" {
					got += f.Message
				}
			}
			if got != want {
				t.Errorf("%s, %d: %q, want %q", format, i, got, want)
			}
		}
	}
}

// TestUncountedNumbers compares a column whose numbers are too many to be counted as texts. All
// of them are missing for a model that expects a decimal comma.
func TestUncountedNumbers(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("id,size,n\n")
	for i := range 3 * 2_048 { // more than the texts of a column that are counted
		fmt.Fprintf(&b, "%d,%d.5,1\n", i, i)
	}
	blind := scanText(t, b.String(), profile.ScanOptions{Blind: true})
	known := profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, NumberFormat: &cells.NumberFormat{DecimalComma: true}}
	const want = `numbers in about 6,144 rows have another format than in training, most often "`
	if found := TrainingColumns([]profile.TrainingColumn{known}, blind); len(found) != 1 || !strings.HasPrefix(found[0].Message, want) {
		t.Errorf("got %v, want %s", found, want)
	}
}
