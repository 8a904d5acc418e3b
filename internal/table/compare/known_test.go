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
	"foretell/internal/table/tabletest"
)

func TestCompareKnown(t *testing.T) {
	blind := scanText(t, tabletest.Dates(false, "02/01/2006", ""), profile.ScanOptions{Blind: true})
	words := scanText(t, strings.ReplaceAll(tabletest.Dates(false, "02/01/2006?", ""), "/", " or "), profile.ScanOptions{Blind: true})
	for _, c := range []struct {
		known profile.TrainingColumn
		blind *profile.Profile
		want  string
	}{
		{profile.TrainingColumn{Name: "when", Form: inference.FormDate, DateOrder: inference.DayFirst}, blind, ""},
		{profile.TrainingColumn{Name: "when", Form: inference.FormDate}, blind, ""},
		{profile.TrainingColumn{Name: "when"}, words, ""},
		{profile.TrainingColumn{Name: "other", Form: inference.FormDate, DateOrder: inference.MonthFirst}, blind, ""},
		{profile.TrainingColumn{Name: "when", Form: inference.FormDate, DateOrder: inference.MonthFirst}, blind, csvfile.CodeDateOrder},
		{profile.TrainingColumn{Name: "when", Form: inference.FormDate, DateOrder: inference.DayFirst}, words, csvfile.CodeChangedKind},
		{profile.TrainingColumn{Name: "when", Form: inference.FormNumeric}, words, csvfile.CodeChangedKind},
	} {
		got := ""
		for _, f := range TrainingColumns([]profile.TrainingColumn{c.known}, c.blind) {
			got += f.Code
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.known, got, c.want)
		}
	}
}

// TestCompareKnownValues compares numbers and texts with what is known of the training file.
func TestCompareKnownValues(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("id,size,colour,rare\n")
	for i := range 40 {
		fmt.Fprintf(&text, "r%d,%d,%s,\n", i, i+10, []string{"red", "blue", "NA", "green"}[i%4])
	}
	blind := scanText(t, text.String(), profile.ScanOptions{Blind: true})
	size := profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, HasRange: true, Min: 10, Max: 50}
	colour := profile.TrainingColumn{Name: "colour", Form: inference.FormCategory, Distinct: 3, Texts: []string{"red", "blue", "NA"}}
	with := func(k profile.TrainingColumn, change func(k *profile.TrainingColumn)) profile.TrainingColumn {
		change(&k)
		return k
	}
	for name, c := range map[string]struct {
		known profile.TrainingColumn
		want  string
	}{
		"sample in range":      {profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, SampleRows: 32, Min: 12, Max: 47}, ""},
		"sample below":         {profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, SampleRows: 32, Min: -20, Max: 5}, "the values range from 10 to 49; in a sample of 32 training rows, they ranged from -20 to 5"},
		"missing, in a sample": {profile.TrainingColumn{Name: "rare", Form: inference.FormNumeric, SampleRows: 24, SampleMissing: 8}, "100 % of the rows have no value, compared with 25 % in a sample of 32 training rows"},
		"sample of two":        {profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, SampleRows: 2, Min: 20, Max: 40}, ""},
		"inside":               {size, ""},
		"above":                {with(size, func(k *profile.TrainingColumn) { k.Max = 20 }), "the values range from 10 to 49; in training, they ranged from 10 to 20"},
		"no range":             {with(size, func(k *profile.TrainingColumn) { k.Max, k.HasRange = 20, false }), ""},
		"other text":           {colour, "10 rows (25 %) have a text that the training file does not have: \"green\""},
		"all texts":            {with(colour, func(k *profile.TrainingColumn) { k.Distinct, k.Texts = 4, append(k.Texts, "green") }), ""},
		"not all texts":        {with(colour, func(k *profile.TrainingColumn) { k.Distinct = 4 }), ""},
		"texts not categories": {with(colour, func(k *profile.TrainingColumn) { k.Form = inference.FormText }), ""},
	} {
		got := ""
		for _, f := range TrainingColumns([]profile.TrainingColumn{c.known}, blind) {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestMissingValuesInFewRows compares columns without values in a file of few rows.
func TestMissingValuesInFewRows(t *testing.T) {
	t.Parallel()
	whole := profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, Rows: 1000, Missing: 10}
	sample := profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, SampleRows: 32}
	category := profile.TrainingColumn{Name: "size", Levels: []string{"S", "M"}, SampleRows: 30, SampleMissing: 2}
	half := profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, SampleRows: 20, SampleMissing: 12}
	often := profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, Rows: 1000, Missing: 700}
	for _, c := range []struct {
		known profile.TrainingColumn
		rows  int
		want  string
	}{
		{whole, 29, "100 % of the rows have no value, compared with 1 % in training"},
		{whole, 4, "100 % of the rows have no value, compared with 1 % in training"},
		{whole, 1, ""},
		{sample, 10, "100 % of the rows have no value, compared with 0 % in a sample of 32 training rows"},
		{sample, 1, ""},
		{half, 6, ""}, // a sample of 32 rows may have far fewer empty cells than all rows
		{category, 10, "100 % of the rows have no value, compared with 6 % in a sample of 32 training rows"},
		{often, 10, ""},
		{often, 29, "100 % of the rows have no value, compared with 70 % in training"},
	} {
		text := "id,n,size\n"
		for i := range c.rows {
			text += fmt.Sprintf("r%d,%d,\n", i, i*i)
		}
		got := ""
		for _, f := range TrainingColumns([]profile.TrainingColumn{c.known}, scanText(t, text, profile.ScanOptions{Blind: true, ID: "id"})) {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("%d rows: %q, want %q", c.rows, got, c.want)
		}
	}
}

// TestCompareKnownFrequentTexts compares texts if a model knows only the most frequent ones.
func TestCompareKnownFrequentTexts(t *testing.T) {
	t.Parallel()
	known := profile.TrainingColumn{Name: "colour", Form: inference.FormCategory, Rows: 100, Distinct: 4, Texts: []string{"red", "blue"}, TextRows: 80}
	with := func(change func(k *profile.TrainingColumn)) profile.TrainingColumn { k := known; change(&k); return k }
	complete := with(func(k *profile.TrainingColumn) {
		k.Distinct, k.Levels = 6, strings.Fields("red blue green black white grey")
	})
	sampled := func(unknown int) profile.TrainingColumn { // a model file with a sample of 32 training rows
		return profile.TrainingColumn{Name: "colour", Levels: []string{"red", "blue"}, SampleRows: 32, SampleUnknown: unknown}
	}
	for name, c := range map[string]struct {
		known profile.TrainingColumn
		texts string // of the blind file, repeated
		want  string
	}{
		"possible":           {known, "red green black", ""},
		"one_is_new":         {known, "red green black RED", `the column has at least 1 text that the training file does not have; in 30 rows (75 %), the text is not one of the 2 most frequent texts of the training file, most often the text "green"; 10 rows differ only in case or spaces from a text of the training file, such as "RED" instead of "red"`},
		"missing_values":     {known, "red green black n/a", ""},
		"an_estimate":        {with(func(k *profile.TrainingColumn) { k.DistinctEstimate = true }), "red green black RED", ""},
		"texts_are_absent":   {with(func(k *profile.TrainingColumn) { k.Distinct = 9 }), "RED GREEN BLUE", `no row has one of the 2 most frequent texts of the training file, such as "red"; the texts of this file, most often "RED", may be unknown to the model; 27 rows differ only in case or spaces from a text of the training file, such as "RED" instead of "red"`},
		"rare_texts":         {with(func(k *profile.TrainingColumn) { k.Distinct, k.TextRows = 9, 9 }), "RED GREEN BLUE", ""},
		"one_rare_text":      {with(func(k *profile.TrainingColumn) { k.Distinct, k.TextRows = 9, 40 }), "green", ""},
		"one_other_text":     {with(func(k *profile.TrainingColumn) { k.Distinct = 9 }), "green", `no row has one of the 2 most frequent texts of the training file, such as "red"; the texts of this file, most often "green", may be unknown to the model`},
		"no_values":          {with(func(k *profile.TrainingColumn) { k.Distinct = 9 }), "n/a", ""},
		"no_known_level":     {profile.TrainingColumn{Name: "colour", Levels: []string{"red", "blue"}}, "green", `in 40 rows (100 %), the text is unknown to the model, most often the text "green"`},
		"all_known":          {complete, "green", ""},
		"all_but_few_known":  {complete, "red green black white gold", `in 8 rows (20 %), the text is unknown to the model, most often the text "gold"`},
		"several_new":        {complete, "green black white grey gold pink red red red red red", `in 8 rows (20 %), the text is unknown to the model, most often the text "gold"`},
		"other_spelling":     {complete, "GREEN", `in 40 rows (100 %), the text is unknown to the model, most often the text "GREEN"; 40 rows differ only in case or spaces from a text of the training file, such as "GREEN" instead of "green"`},
		"unlike_the_sample":  {sampled(0), "red blue green", `in 13 rows (32 %), the text is unknown to the model, most often the text "green"`},
		"like_the_sample":    {sampled(8), "red blue green", ""},
		"some_known_levels":  {profile.TrainingColumn{Name: "colour", Levels: []string{"red", "blue"}}, "green red", ""},
		"numbers":            {profile.TrainingColumn{Name: "colour", Levels: []string{"S1", "S2"}}, "1 2", `the column has categories in training, but numbers here; in 40 rows (100 %), the category is unknown to the model, most often the category "1"`},
		"levels_are_numbers": {profile.TrainingColumn{Name: "colour", Levels: []string{"S1", "1", "2"}}, "1 2", ""},
		"words_for_missing":  {profile.TrainingColumn{Name: "colour", Levels: []string{"red", "blue"}, Rows: 100, Missing: 70}, "NA NULL n/a red", ""},
		"more_missing":       {profile.TrainingColumn{Name: "colour", Levels: []string{"red", "blue"}, Rows: 100, Missing: 7}, "NA NULL n/a red", "75 % of the rows have no value, compared with 7 % in training"},
		"missing_in_both":    {profile.TrainingColumn{Name: "colour", Form: inference.FormCategory, Distinct: 2, Texts: []string{"red", "blue"}, Rows: 100, Missing: 70}, "NA red blue", ""},
		"missing_is_new":     {profile.TrainingColumn{Name: "colour", Form: inference.FormCategory, Distinct: 2, Texts: []string{"red", "blue"}, Rows: 100}, "NA red blue", `14 rows (35 %) have a text that the training file does not have: "NA"`},
		"levels_of_booleans": {profile.TrainingColumn{Name: "colour", Levels: []string{"False", "True"}}, "TRUE FALSE", ""},
	} {
		texts, b := strings.Fields(c.texts), strings.Builder{}
		b.WriteString("id,n,colour\n")
		for i := range 40 {
			fmt.Fprintf(&b, "r%d,%d,%s\n", i, i, texts[i%len(texts)])
		}
		got := ""
		for _, f := range TrainingColumns([]profile.TrainingColumn{c.known}, scanText(t, b.String(), profile.ScanOptions{Blind: true})) {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestCompareKnownForms compares columns whose values are missing for a model, because they have
// another form than in training.
func TestCompareKnownForms(t *testing.T) {
	t.Parallel()
	date, number := profile.TrainingColumn{Name: "x", Form: inference.FormDate, Rows: 100}, profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, NumberFormat: new(cells.NumberFormat), Rows: 100}
	gappy, dayFirst := number, date
	gappy.Missing, dayFirst.DateOrder = 20, inference.DayFirst
	const missing = "100 % of the rows have no value, compared with 0 % in training"
	const texts = "the column has numbers in training, but texts here; the texts are treated as missing"
	for name, c := range map[string]struct {
		known profile.TrainingColumn
		cell  string // a format of numbers from 10 to 49
		rows  int
		want  string
	}{
		"milliseconds":        {date, "15489792000%d", 40, "the column has dates in training, but numbers here; the numbers are treated as missing"},
		"one_number":          {date, "15489792000%d", 1, "the column has dates in training, but numbers here; the numbers are treated as missing"},
		"compact_dates":       {date, "201901%d", 10, ""},
		"dates_for_numbers":   {number, "20%d-01-01", 40, "the column has numbers in training, but dates here; the dates are treated as missing"},
		"empty":               {number, "%.0d", 40, missing},
		"not_available":       {number, "n/a%.0d", 40, missing},
		"not_available_dates": {date, "n/a%.0d", 40, missing},
		"as_in_training":      {profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, Rows: 100, Missing: 90}, "%.0d", 40, ""},
		"rows_unknown":        {profile.TrainingColumn{Name: "x", Form: inference.FormNumeric}, "%.0d", 40, ""},
		"one_empty":           {number, "%.0d", 1, ""},
		"one_text":            {number, "abc%d", 1, texts},
		"one_text_and_date":   {dayFirst, "abc%d", 1, strings.Replace(texts, "numbers", "dates", 1)},
		"few_texts_if_some":   {gappy, "abc%d", 2, ""},
		"more_texts_if_some":  {gappy, "abc%d", 8, `the column has numbers in training, but text in 8 rows here, most often "abc10"; such text is treated as missing, unless the training file has it in several rows`},
		"texts_in_old_models": {profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, Rows: 100}, "abc%d", 8, ""},
	} {
		b := strings.Builder{}
		b.WriteString("id,x,n\n")
		for i := range c.rows {
			value := i + 10
			if strings.Contains(c.cell, "%.0d") {
				value = 0
			}
			fmt.Fprintf(&b, "r%d,"+c.cell+",1\n", i, value)
		}
		got := ""
		for _, f := range TrainingColumns([]profile.TrainingColumn{c.known}, scanText(t, b.String(), profile.ScanOptions{Blind: true})) {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestNumbersForBooleans compares a column of Yes and No with numbers. A model knows no number.
func TestNumbersForBooleans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		levels, blind string
		code          string
		severity      Severity
	}{
		"one_and_zero":   {"Yes No", "1 0", csvfile.CodeOtherSpelling, SeverityDefect},
		"with_decimals":  {"True False", "1.0 0.0", csvfile.CodeOtherSpelling, SeverityDefect},
		"counts":         {"Yes No", "0 1 2 3 4", csvfile.CodeOtherSpelling, SeverityWarning},
		"other_numbers":  {"Yes No", "7 8", csvfile.CodeChangedKind, SeverityWarning},
		"not_booleans":   {"Yes No perhaps", "1 0", csvfile.CodeChangedKind, SeverityWarning},
		"words_and_some": {"Yes No", "Yes No 1", csvfile.CodeOtherSpelling, SeverityWarning},
	} {
		known := profile.TrainingColumn{Name: "x", Levels: strings.Fields(c.levels)}
		var got Finding
		for _, f := range TrainingColumns([]profile.TrainingColumn{known}, scanText(t, fileOf(c.blind, 40, false), profile.ScanOptions{Blind: true, ID: "id"})) {
			got = f
		}
		if got.Code != c.code || got.Severity != c.severity {
			t.Errorf("%s: %+v, want a %s %s", name, got, c.severity, c.code)
		}
	}
}

// TestBooleanCase compares booleans whose case differs, which a model treats as equal.
func TestBooleanCase(t *testing.T) {
	t.Parallel()
	file := func(header string, words ...string) string {
		text := header + "\n"
		for i := range 40 {
			text += fmt.Sprintf("r%d,%s,%d,%c\n", i, words[i%len(words)], i, "xy"[i%2])
		}
		return text
	}
	train := scanText(t, file("id,paid,n,label", "True", "False"), profile.ScanOptions{})
	for name, c := range map[string]struct {
		words []string
		want  string
		rows  []int // of True and False
	}{
		"upper":      {[]string{"TRUE", "FALSE", "FALSE", "false"}, "", []int{10, 30}},
		"other_word": {[]string{"TRUE", "FALSE", "TRUE", "no"}, `10 rows (25 %) have a text that the training file does not have: "no"; 10 rows have a boolean that the training file writes in another way, such as "no" instead of "False"`, []int{20, 10}},
	} {
		blind := scanText(t, file("id,paid,n,note", c.words...), profile.ScanOptions{Blind: true})
		for i, findings := range [][]Finding{
			Profiles(train, blind),
			TrainingColumns([]profile.TrainingColumn{{Name: "paid", Form: inference.FormBoolean, Distinct: 2, Texts: []string{"True", "False"}}}, blind),
		} {
			got := ""
			for _, f := range findings {
				if f.Name == "paid" {
					got += f.Message
				}
			}
			if got != c.want {
				t.Errorf("%s, %d: %q, want %q", name, i, got, c.want)
			}
		}
		rows := blind.Columns[blind.ColumnIndex("paid")].CountTexts([]string{"True", "False"}, func(text string) string { return text })
		if !slices.Equal(rows, c.rows) {
			t.Errorf("%s: %v rows, want %v", name, rows, c.rows)
		}
	}
}

// TestCompareKnownNumberFormat compares numbers with the format of the numbers of the training file.
// A single text is ignored, because it may also be in the training file.
func TestCompareKnownNumberFormat(t *testing.T) {
	t.Parallel()
	plain, comma, percent := new(cells.NumberFormat), &cells.NumberFormat{DecimalComma: true}, &cells.NumberFormat{Unit: "%"}
	message := func(first string) string {
		return "numbers in 40 rows have another format than in training, most often " + first + "; these numbers are treated as missing"
	}
	for name, c := range map[string]struct {
		known *cells.NumberFormat
		cell  string // the format of a number
		want  string
	}{
		"plain":                  {plain, "%d.5", ""},
		"thousands":              {plain, "%d,250.5", ""},
		"decimal comma":          {plain, "%d,5", message(`"10,5"`)},
		"unit":                   {plain, "%d%%", message(`"10%"`)},
		"decimal comma expected": {comma, "%d,5", ""},
		"decimal point":          {comma, "%d.5", message(`"10.5"`)},
		"unit expected":          {percent, "%d%%", ""},
		"no unit":                {percent, "%d.5", `the numbers have the unit "%" in training, but no unit here; the numbers here are read in the unit of training`},
		"unknown":                {nil, "%d,5", ""},
	} {
		var text strings.Builder
		text.WriteString("id,size,colour\n")
		for i := range 40 {
			fmt.Fprintf(&text, "r%d,\""+c.cell+"\",red\n", i, i+10)
		}
		text.WriteString("x,unknown,red\n")
		blind := scanText(t, text.String(), profile.ScanOptions{Blind: true})
		got := ""
		for _, f := range TrainingColumns([]profile.TrainingColumn{{Name: "size", Form: inference.FormNumeric, NumberFormat: c.known}}, blind) {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestCompareTextsAndNumbers compares a column of numbers with texts and numbers in another
// format. Only the latter may be called numbers.
func TestCompareTextsAndNumbers(t *testing.T) {
	t.Parallel()
	file := func(header, end string, cell func(i int) string) string {
		text := header + "\n"
		for i := range 100 {
			text += fmt.Sprintf("r%d,\"%s\",%d%s\n", i, cell(i), i%7, end)
		}
		return text
	}
	euros := func(i int) string { return fmt.Sprintf("%d,%02d €", i+10, i%100) }
	train := scanText(t, file("id,size,n,label", ",x", euros), profile.ScanOptions{})
	for name, c := range map[string]struct {
		cell func(i int) string
		want string
	}{
		"texts": {func(i int) string {
			if i%9 == 0 {
				return "abc"
			}
			return euros(i)
		}, `the column has numbers in training, but text in 12 rows here, most often "abc"; such text is treated as missing`},
		"points without a unit": {
			func(i int) string { return fmt.Sprintf("%d.%02d", i+10, i%100) },
			`numbers in 100 rows have another format than in training, most often "10.00"; these numbers are treated as missing`,
		},
		"no unit": {
			func(i int) string { return fmt.Sprintf("%d,%02d", i+10, i%100) },
			`the numbers have the unit "€" in training, but no unit here; the numbers here are read in the unit of training`,
		},
	} {
		blind := scanText(t, file("id,size,n", "", c.cell), profile.ScanOptions{Blind: true})
		known := profile.TrainingColumn{Name: "size", Form: inference.FormNumeric, NumberFormat: train.Columns[0].NumberFormat(), Rows: 100}
		for i, findings := range [][]Finding{Profiles(train, blind), TrainingColumns([]profile.TrainingColumn{known}, blind)} {
			got := ""
			for _, f := range findings {
				got += f.Message
			}
			if got != c.want {
				t.Errorf("%s, %d: %q, want %q", name, i, got, c.want)
			}
		}
	}
}
