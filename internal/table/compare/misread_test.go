package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/table/cells"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// column returns rows with an ID and the given number of cells.
func column(rows int, cell func(r *rand.Rand) string, label string) string {
	r := rand.New(rand.NewPCG(1, uint64(rows)))
	var b strings.Builder
	b.WriteString("id,x" + strings.Repeat(",label", len(label)/2) + "\n")
	for i := range rows {
		fmt.Fprintf(&b, "%c%d,\"%s\"", 'a'+rows%26, 7*i, cell(r))
		if label != "" {
			fmt.Fprintf(&b, ",%c", label[i%2])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// thousands writes a number with a separator between thousands.
func thousands(number int, separator string) string {
	switch {
	case number >= 1e6:
		return fmt.Sprintf("%d%s%03d%s%03d", number/1e6, separator, number/1000%1000, separator, number%1000)
	case number >= 1000:
		return fmt.Sprintf("%d%s%03d", number/1000, separator, number%1000)
	}
	return fmt.Sprint(number)
}

// grouped returns cells with numbers from low to high.
func grouped(low, high int, separator string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return thousands(low+r.IntN(high-low), separator) }
}

// integers returns cells with numbers from low to high.
func integers(low, high int, format string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return fmt.Sprintf(format, low+r.IntN(high-low)) }
}

// pick returns cells with random texts.
func pick(texts string) func(r *rand.Rand) string {
	list := strings.Fields(texts)
	return func(r *rand.Rand) string { return list[r.IntN(len(list))] }
}

// millionsWithPoints returns numbers. Some of them have two points.
func millionsWithPoints(r *rand.Rand) string {
	return grouped(1000, []int{100_000, 9_000_000}[r.IntN(2)], ".")(r)
}

// TestMisreadColumns compares blind columns whose values a model would read wrongly, or does not
// know, and columns that only look like such columns.
func TestMisreadColumns(t *testing.T) {
	t.Parallel()
	someBelow1000 := func(r *rand.Rand) string { return grouped(300, []int{1000, 100_000}[r.IntN(2)], ".")(r) }
	decimals := func(low, high float64, format string) func(r *rand.Rand) string {
		return func(r *rand.Rand) string { return fmt.Sprintf(format, low+r.Float64()*(high-low)) }
	}
	duration := func(r *rand.Rand) string { return fmt.Sprintf("%dh %02dm", 1+r.IntN(30), r.IntN(60)) }
	const newTexts = "texts that the training file does not have"
	for name, c := range map[string]struct {
		train, blind func(r *rand.Rand) string
		defect       string // a part of the first message, and all findings are defects; "" if there must be no defect
	}{
		"training_thousands_read_as_decimals": {grouped(1000, 100_000, "."), millionsWithPoints, "is wrong"},
		"integers_below_1000_show_thousands":  {grouped(1000, 100_000, "."), someBelow1000, "but all numbers of this file without a separator are below 1000"},
		"training_decimals":                   {decimals(1, 100, "%.3f"), decimals(1, 100, "%.3f"), ""},
		"decimals_of_both_files":              {decimals(1, 100, "%.2f"), decimals(1, 100, "%.3f"), ""},
		"points_for_commas":                   {grouped(1000, 100_000, ","), grouped(1000, 100_000, "."), "but only the second reading fits the numbers of the training file"},
		"points_for_some_commas":              {grouped(10, 5_000, ","), grouped(1000, 5_000, "."), "but only the second reading fits the numbers of the training file"},
		"decimals_for_commas":                 {grouped(1000, 2_000, ","), decimals(10, 100, "%.3f"), ""},
		"fractions_for_percent":               {integers(0, 101, "%d%%"), decimals(0, 1, "%.2f"), "only if they are multiplied by 100"},
		"percent_without_unit":                {integers(0, 101, "%d%%"), integers(0, 101, "%d"), ""},
		"small_percent_without_unit":          {decimals(0, 1, "%.2f%%"), decimals(0, 1, "%.2f"), ""},
		"grams_for_kilograms":                 {integers(1, 90, "%d kg"), integers(1000, 90_000, "%d"), "only if they are divided by 1000"},
		"kilograms_for_grams":                 {integers(1000, 90_000, "%d g"), integers(1, 90, "%d"), "only if they are multiplied by 1000"},
		"larger_kilograms":                    {integers(1, 9, "%d kg"), integers(90, 200, "%d"), ""},
		"minutes_for_hours":                   {duration, integers(30, 1800, "%d"), "only if they are divided by 60"},
		"seconds_for_hours":                   {duration, integers(3600, 108_000, "%d"), "only if they are divided by 3600"},
		"hours":                               {duration, integers(1, 30, "%d"), ""},
		"mojibake":                            {pick("Köln Düren Bonn Würzburg"), pick("KÃ¶ln DÃ¼ren Bonn WÃ¼rzburg"), `a text that was probably saved with another encoding, such as "`},
		"question_marks":                      {pick("Köln Düren Bonn Würzburg"), pick("K?ln D?ren Bonn W\uFFFDrzburg"), `a text that was probably saved with another encoding, such as "`},
		"letters":                             {pick("male female"), pick("m f"), "so another program probably wrote"},
		"another_language":                    {pick("Red Green Blue"), pick("Rot Grün Blau"), "so another program probably wrote"},
		"codes":                               {pick("Red Green Blue"), pick("1 2 3"), newTexts},
		"other_frequencies":                   {pick("Red Green Blue"), pick("Rot Rot Rot Rot Grün Blau"), ""},
		"months":                              {pick("Jan Feb Mar Apr"), pick("Sep Oct Nov Dec"), ""},
		"quarters":                            {pick("Q1 Q2"), pick("Q3 Q4"), ""},
		"one_new_shop":                        {pick("Bonn Mainz"), pick("Trier"), ""},
		"as_many_new_shops":                   {pick("Bonn Mainz"), pick("Trier Speyer"), ""},
		"as_many_new_codes":                   {pick("SKL SKM"), pick("SKX SKY"), ""},
		"other_gaps":                          {pick("NA NA NA male female"), pick("NA NA NA m f"), `such as "male", so`},
		"uncertain_names":                     {pick("北京 上海"), pick("男? 女?"), ""},
		"integers_from_1000":                  {func(r *rand.Rand) string { return []string{"2500", grouped(1000, 9000, ".")(r)}[r.IntN(2)] }, millionsWithPoints, "other numbers of the column"},
		"some_known":                          {pick("Bonn Mainz"), pick("Trier Bonn"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			train := scanText(t, column(300, c.train, "yn"), profile.ScanOptions{})
			blind := scanText(t, column(70, c.blind, ""), profile.ScanOptions{Blind: true, Training: train.Schema})
			var defects, all []string
			for _, f := range Profiles(train, blind) {
				all = append(all, f.Message)
				if f.Severity == SeverityDefect {
					defects = append(defects, f.Message)
				}
			}
			if c.defect == "" && len(defects) > 0 || c.defect != "" && (len(defects) == 0 || len(all) != len(defects) || !strings.Contains(all[0], c.defect)) {
				t.Errorf("got %q with the defects %q, want %q", all, defects, c.defect)
			}
		})
	}
}

// TestMisreadColumnsWithAModel compares blind columns with what a model knows of a training column.
func TestMisreadColumnsWithAModel(t *testing.T) {
	t.Parallel()
	numbers := func(unit string, factor float64) profile.TrainingColumn {
		known := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, NumberFormat: &cells.NumberFormat{Unit: unit}, SampleRows: 60, Min: factor, Max: 60 * factor}
		for i := range 60 {
			known.SampleNumbers = append(known.SampleNumbers, float64(i+1)*factor)
		}
		return known
	}
	cities := profile.TrainingColumn{Name: "x", Form: inference.FormCategory, Rows: 100, Distinct: 3, Texts: []string{"Köln", "Bonn", "Düren"}, TextRows: 100}
	for name, c := range map[string]struct {
		known  profile.TrainingColumn
		blind  func(r *rand.Rand) string
		defect string
	}{
		"thousands_read_as_decimals": {numbers("", 1.601), millionsWithPoints, `a number such as "1.601" is read as 1.601 and not as 1601, but numbers of this file`},
		"decimals":                   {numbers("", 1.6015), millionsWithPoints, "other numbers of the column"},
		"integers":                   {numbers("", 3), millionsWithPoints, "other numbers of the column"},
		"fractions":                  {numbers("%", 1), func(r *rand.Rand) string { return fmt.Sprintf("%.2f", r.Float64()*0.6) }, "multiplied by 100"},
		"mojibake":                   {cities, pick("KÃ¶ln Bonn DÃ¼ren"), "was probably saved with another encoding"},
	} {
		blind := scanText(t, column(70, c.blind, ""), profile.ScanOptions{Blind: true})
		found := TrainingColumns([]profile.TrainingColumn{c.known}, blind)
		if len(found) == 0 || found[0].Severity != SeverityDefect || !strings.Contains(found[0].Message, c.defect) {
			t.Errorf("%s: got %+v, want %q", name, found, c.defect)
		}
	}
}

// TestRangeInAnotherUnit compares durations in minutes with durations in hours, which are read in
// the same unit.
func TestRangeInAnotherUnit(t *testing.T) {
	t.Parallel()
	train := scanText(t, column(300, integers(1, 30, "%d h"), "yn"), profile.ScanOptions{})
	blind := scanText(t, column(70, integers(60, 1800, "%d min"), ""), profile.ScanOptions{Blind: true, Training: train.Schema})
	if found := Profiles(train, blind); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}
