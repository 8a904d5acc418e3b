package compare

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// fileOf returns a file of rows with a column x, whose cells are the words of texts, repeated.
func fileOf(texts string, rows int, hasLabel bool) string {
	words, file := strings.Fields(texts), "id,n,x"
	if hasLabel {
		file += ",k"
	}
	for i := range rows {
		file += fmt.Sprintf("\nr%d,%d.5,%s", i, i, strings.NewReplacer("_", " ", "-", "").Replace(words[i%len(words)]))
		if hasLabel {
			file += []string{",p", ",q"}[i/2%2]
		}
	}
	return file + "\n"
}

// TestUnreadableColumns checks that a blind column is a defect if a model would treat most of its values
// as missing, and a warning if only some of them.
func TestUnreadableColumns(t *testing.T) {
	t.Parallel()
	numbers := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, NumberFormat: new(cells.NumberFormat), Rows: 40}
	someMissing := profile.TrainingColumn{Name: "x", Form: inference.FormDate, DateOrder: inference.MonthFirst, Rows: 40, Missing: 13}
	dates := profile.TrainingColumn{Name: "x", Form: inference.FormDate, DateOrder: inference.MonthFirst, Rows: 40}
	sizes := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, NumberFormat: new(cells.NumberFormat), Rows: 40, Missing: 5}
	for name, c := range map[string]struct {
		train string
		known profile.TrainingColumn
		blind string
		rows  int
		want  bool // whether it is a defect
	}{
		"alike":             {"1.5 22.5 7.5", numbers, "2.5 4.5 8.5", 40, false},
		"decimal_commas":    {"1.5 22.5 7.5", numbers, "\"2,5\" \"4,5\" \"8,5\"", 40, true},
		"a_unit":            {"1.5 22.5 7.5", numbers, "$2.5 $4.5 $8.5", 40, true},
		"texts":             {"1.5 22.5 7.5", numbers, "low high", 40, true},
		"other_units":       {"1.5 22.5 7.5", sizes, "19_MB 201_KB 7,5_MB 8_MB", 40, true},
		"few_other_units":   {"1.5 22.5 7.5", sizes, "19_MB 201_KB 7.5 8.5 9.5 6.5", 40, false},
		"few_texts":         {"1.5 22.5 7.5", numbers, "low 4.5 8.5 3.5 2.5", 40, false},
		"few_rows":          {"1.5 22.5 7.5", numbers, "$2.5 $4.5 $8.5", minDefectRows - 1, false},
		"mostly_no_value":   {"1.5 22.5 7.5", numbers, "$2.5 - - n/a", 40, true},
		"no_value":          {"1.5 22.5 7.5", numbers, "n/a", 40, false},
		"another_order":     {"01/25/2024 02/27/2024", dates, "25/01/2024 27/02/2024 03/04/2024", 40, true},
		"few_in_that_order": {"01/25/2024 02/27/2024", dates, "03/01/2024 04/02/2024 05/06/2024 27/02/2024", 40, false},
		"a_known_text":      {"01/25/2024 02/27/2024 ongoing", someMissing, "01/25/2024 ongoing ongoing ongoing", 40, false},
		"milliseconds":      {"01/25/2024 02/27/2024", dates, "1548979200010 1548979200011", 40, true},
	} {
		blind := scanText(t, fileOf(c.blind, c.rows, false), profile.ScanOptions{Blind: true, ID: "id"})
		train := scanText(t, fileOf(c.train, 40, true), profile.ScanOptions{})
		for kind, findings := range map[string][]Finding{"profile": Profiles(train, blind), "known": TrainingColumns([]profile.TrainingColumn{c.known}, blind)} {
			got := false
			for _, f := range findings {
				if f.Name == "x" && (f.Code == csvfile.CodeChangedKind || f.Code == csvfile.CodeDateOrder) {
					got = f.Severity == SeverityDefect
				}
			}
			if got != c.want {
				t.Errorf("%s, %s: %v, want %v: %+v", name, kind, got, c.want, findings)
			}
		}
	}
}

// TestUnreadableKnownColumns checks that missing training values prevent a defect only as far as the
// training file may have the same values.
func TestUnreadableKnownColumns(t *testing.T) {
	t.Parallel()
	numbers := func(change func(k *profile.TrainingColumn)) profile.TrainingColumn {
		k := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, NumberFormat: new(cells.NumberFormat)}
		change(&k)
		return k
	}
	missing := func(share float64) profile.TrainingColumn {
		return numbers(func(k *profile.TrainingColumn) { k.Rows, k.Missing = 1000, int(1000*share) })
	}
	sample := func(missing int) profile.TrainingColumn {
		return numbers(func(k *profile.TrainingColumn) { k.SampleRows, k.SampleMissing, k.Max = 32-missing, missing, 99 })
	}
	for name, c := range map[string]struct {
		known profile.TrainingColumn
		blind string
		want  bool // whether it is a defect
	}{
		"few_missing":             {missing(0.001), "€2.5 €4.5 €8.5", true},
		"some_missing":            {missing(0.4), "€2.5 €4.5 €8.5", true},
		"nearly_all_missing":      {missing(0.9), "€2.5 €4.5 €8.5", false},
		"texts_and_few_missing":   {missing(0.001), "low high", false},
		"texts_and_some_missing":  {missing(0.4), "ongoing", false},
		"empty_sample":            {sample(0), "€2.5 €4.5 €8.5", true},
		"zeros_in_dates":          {profile.TrainingColumn{Name: "x", Form: inference.FormDate, DateOrder: inference.MonthFirst, Rows: 1000, Missing: 200}, "0", false},
		"zeros_in_complete_dates": {profile.TrainingColumn{Name: "x", Form: inference.FormDate, DateOrder: inference.MonthFirst, Rows: 1000}, "0", true},
		"sample":                  {sample(10), "€2.5 €4.5 €8.5", true},
		"texts_and_empty_sample":  {sample(0), "low high", true},
		"texts_and_sample":        {sample(10), "ongoing", false},
		"nothing_is_known":        {numbers(func(*profile.TrainingColumn) {}), "€2.5 €4.5 €8.5", true},
		"texts_but_nothing_known": {numbers(func(*profile.TrainingColumn) {}), "ongoing", false},
	} {
		blind := scanText(t, fileOf(c.blind, 40, false), profile.ScanOptions{Blind: true, ID: "id"})
		findings, got := TrainingColumns([]profile.TrainingColumn{c.known}, blind), false
		for _, f := range findings {
			got = got || f.Severity == SeverityDefect
		}
		if got != c.want {
			t.Errorf("%s: %v, want %v: %+v", name, got, c.want, findings)
		}
	}
}

// TestOtherSpelling checks that texts which differ only in spelling from those of the training file are
// reported as such.
func TestOtherSpelling(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		train, blind string
		severity     Severity
		want         string // the end of the message
	}{
		"case":            {"male female", "MALE FEMALE", SeverityDefect, `; 40 rows differ only in case or spaces from a text of the training file, such as "MALE" instead of "male"`},
		"composition":     {"caf\u00e9 bar", "cafe\u0301 bar", SeverityWarning, `differ only in case, spaces or invisible characters from a text of the training file, such as "cafe\u0301" instead of "café"`},
		"zero_width":      {"male female", "male\u200b female\ufeff", SeverityDefect, `differ only in case, spaces or invisible characters from a text of the training file, such as "male\u200b" instead of "male"`},
		"spaces":          {"new_york york", "new__york york york", SeverityWarning, `; 14 rows differ only in case or spaces from a text of the training file, such as "new  york" instead of "new york"`},
		"new_texts":       {"male female", "boy girl", SeverityWarning, `most often "boy"`},
		"numbers":         {"True False", "1 0 1", SeverityDefect, `; 40 rows have a boolean that the training file writes in another way, such as "1" instead of "True"`},
		"other_words":     {"True False", "yes no yes", SeverityDefect, `; 40 rows have a boolean that the training file writes in another way, such as "yes" instead of "True"`},
		"no_value":        {"n/a red blue", "N/A N/A N/A green", SeverityWarning, `most often "N/A"`},
		"case_of_boolean": {"True False", "TRUE FALSE", "", ""},
	} {
		blind := scanText(t, fileOf(c.blind, 40, false), profile.ScanOptions{Blind: true, ID: "id"})
		train := scanText(t, fileOf(c.train, 40, true), profile.ScanOptions{})
		levels := strings.Fields(c.train)
		for i := range levels {
			levels[i] = strings.ReplaceAll(levels[i], "_", " ")
		}
		known := profile.TrainingColumn{Name: "x", Form: inference.FormCategory, Distinct: len(levels), Texts: levels, Rows: 40}
		for kind, findings := range map[string][]Finding{"profile": Profiles(train, blind), "known": TrainingColumns([]profile.TrainingColumn{known}, blind)} {
			severity, message := Severity(""), ""
			for _, f := range findings {
				if f.Code == csvfile.CodeOtherSpelling || f.Code == csvfile.CodeUnseenCategory {
					severity, message = f.Severity, f.Message
				}
			}
			if severity != c.severity || !strings.HasSuffix(message, c.want) || c.want == "" && message != "" {
				t.Errorf("%s, %s: %s %s, want %s %s", name, kind, severity, message, c.severity, c.want)
			}
		}
	}
}
