package drift

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/table/profile"
)

// scan profiles a blind file with the given columns.
func scan(t *testing.T, rows int, header string, row func(i int, draw *rand.Rand) string) *profile.Profile {
	t.Helper()
	draw := rand.New(rand.NewPCG(uint64(rows), 7))
	var file strings.Builder
	fmt.Fprintf(&file, "id,%s\n", header)
	for i := range rows {
		fmt.Fprintf(&file, "r%d,%s\n", i, row(i, draw))
	}
	p, err := profile.Scan(t.Context(), strings.NewReader(file.String()), profile.ScanOptions{Blind: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// training is a dataset of 2,000 rows: age is uniform from 0 to 80, score is normal, colour is
// red in half of the rows.
func training() *api.Dataset {
	d := &api.Dataset{Rows: 2000, Columns: []api.Column{
		{Name: "age", Kind: "numeric", Distribution: &api.Distribution{Low: 0, High: 80, Bins: []int64{250, 250, 250, 250, 250, 250, 250, 250}}},
		{Name: "score", Kind: "numeric", Missing: 100, Distribution: &api.Distribution{Low: -4, High: 4, Bins: []int64{3, 40, 260, 647, 647, 260, 40, 3}}},
		{Name: "colour", Kind: "category", Distribution: &api.Distribution{Top: []api.Class{{Label: "red", Rows: 1000}, {Label: "blue", Rows: 600}, {Label: "green", Rows: 400}}}},
		{Name: "note", Kind: "text"},
	}}
	return d
}

func sameRow(i int, draw *rand.Rand) string {
	score := fmt.Sprintf("%.6f", draw.NormFloat64())
	if i%20 == 0 {
		score = ""
	}
	return fmt.Sprintf("%d,%s,%s,some words here %d", draw.IntN(80), score, []string{"red", "red", "red", "red", "red", "blue", "blue", "blue", "green", "green"}[draw.IntN(10)], i)
}

// TestMeasure finds the columns whose values have changed, and no others.
func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		name string
		rows int
		row  func(i int, draw *rand.Rand) string
		want string
	}{
		{"alike", 3000, sameRow, "age none, colour none, note unknown, score none"},
		{"few_rows", 60, sameRow, "age none, colour none, note unknown, score none"},
		{"older_and_green", 3000, func(i int, draw *rand.Rand) string {
			fields := strings.Split(sameRow(i, draw), ",")
			return fmt.Sprintf("%d,%s,%s,some words here %d", 20+draw.IntN(80), fields[1], []string{"green", "green", "violet"}[draw.IntN(3)], i)
		}, "age large, colour large, note unknown, score none"},
		{"a_little_older", 3000, func(i int, draw *rand.Rand) string {
			return fmt.Sprintf("%d,%.6f,red,x y z %d", int(80*(0.25+0.75*draw.Float64()*draw.Float64())), 0.3+draw.NormFloat64(), i)
		}, "age large, colour large, note unknown, score some"},
		{"another_kind", 300, func(i int, draw *rand.Rand) string { return fmt.Sprintf("old,,red,x y z %d", i) }, "age large, colour large, note unknown, score large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Measure(training(), "blind.csv", scan(t, c.rows, "age,score,colour,note", c.row), []string{"score", "age"})
			levels := map[string]api.DriftLevel{}
			for _, column := range r.Columns {
				levels[column.Name] = column.Level
				if column.Index == nil {
					continue
				}
				before, now := 0.0, 0.0
				for _, part := range column.Parts {
					before, now = before+part.Training, now+part.Share
				}
				if before < 0.999 || before > 1.001 || now < 0.999 || now > 1.001 {
					t.Errorf("the shares of %s add up to %v and %v", column.Name, before, now)
				}
			}
			got := fmt.Sprintf("age %s, colour %s, note %s, score %s", levels["age"], levels["colour"], levels["note"], levels["score"])
			if got != c.want {
				t.Errorf("%s, want %s: %+v", got, c.want, r.Columns)
			}
		})
	}
}

// TestUnreadNumbers counts numbers in another format than in training as missing, as a model does.
func TestUnreadNumbers(t *testing.T) {
	known := training()
	known.Columns[0].NumberFormat = &api.NumberFormat{DecimalComma: true}
	for name, c := range map[string]struct {
		format  string
		missing float64
		level   api.DriftLevel
	}{
		"as_in_training": {"\"%d,5\"", 0, api.DriftNone},
		"points":         {"%d.5", 1, api.DriftLarge},
	} {
		r := Measure(known, "blind.csv", scan(t, 3000, "age", func(_ int, draw *rand.Rand) string { return fmt.Sprintf(c.format, draw.IntN(80)) }), nil)
		age, missing := r.Columns[0], 0.0
		for _, part := range age.Parts {
			if part.Name == "missing" {
				missing = part.Share
			}
		}
		if age.Level != c.level || missing != c.missing {
			t.Errorf("%s: %s drift, %v of the rows are missing", name, age.Level, missing)
		}
	}
}

// TestUnreadDates counts dates in another order than in training as missing, as a model does.
func TestUnreadDates(t *testing.T) {
	known := &api.Dataset{Rows: 3000, Columns: []api.Column{
		{Name: "day", Kind: "date", DateOrder: "day-first", Distribution: &api.Distribution{Low: 19723, High: 19751, Bins: []int64{1500, 1500}}},
	}}
	for format, level := range map[string]api.DriftLevel{"%02d/01/2024": api.DriftNone, "01/%02d/2024": api.DriftLarge} {
		r := Measure(known, "blind.csv", scan(t, 2800, "day", func(i int, _ *rand.Rand) string { return fmt.Sprintf(format, 1+i%28) }), nil)
		day, missing := r.Columns[0], 0.0
		for _, part := range day.Parts {
			if part.Name == "missing" {
				missing = part.Share
			}
		}
		if want := map[api.DriftLevel]float64{api.DriftLarge: 16.0 / 28}[level]; day.Level != level || math.Abs(missing-want) > 0.001 {
			t.Errorf("%s: %s drift, %v of the rows are missing, want %v: %+v", format, day.Level, missing, want, day)
		}
	}
}

// TestDurations compares durations of a blind file, which look like times of day if all are below 24
// hours, and like codes if only few are different.
func TestDurations(t *testing.T) {
	known := &api.Dataset{Rows: 2000, Columns: []api.Column{
		{Name: "time", Kind: "numeric", NumberFormat: &api.NumberFormat{Unit: "h"}, Distribution: &api.Distribution{Low: 0, High: 32, Bins: []int64{500, 500, 490, 10}}},
	}}
	for name, c := range map[string]struct {
		hours, different int
		want             api.DriftLevel
	}{
		"alike":      {24, 2000, api.DriftNone},
		"shorter":    {8, 2000, api.DriftLarge},
		"few_values": {30, 5, api.DriftUnknown},
	} {
		r := Measure(known, "blind.csv", scan(t, 2000, "time", func(i int, _ *rand.Rand) string {
			seconds := i % c.different * c.hours * 3600 / c.different
			return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
		}), nil)
		if got := r.Columns[0]; got.Level != c.want || (got.Index == nil) != (c.want == api.DriftUnknown) {
			t.Errorf("%s: %s drift, want %s: %+v", name, got.Level, c.want, got)
		}
	}
}

// TestIntegerRanges names the ranges of a column of integers if the edges of the bins are not
// integers.
func TestIntegerRanges(t *testing.T) {
	known := &api.Dataset{Rows: 100, Columns: []api.Column{
		{Name: "age", Kind: "numeric", Distribution: &api.Distribution{Low: 0, High: 10, Bins: []int64{30, 20, 30, 20}, Integers: true}},
	}}
	for name, c := range map[string]struct {
		format string
		want   string
	}{
		"integers":  {"%.0f", "0–2 3–4 5–7 8–9 above 9"},
		"fractions": {"%.1f", "0–2.5 2.5–5 5–7.5 7.5–10 above 10"},
	} {
		r := Measure(known, "blind.csv", scan(t, 100, "age", func(i int, _ *rand.Rand) string { return fmt.Sprintf(c.format, float64(i%25)*0.5*float64(1+i%2)) }), nil)
		var names []string
		for _, part := range r.Columns[0].Parts {
			names = append(names, part.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: the ranges are %s, want %s", name, got, c.want)
		}
	}
}

// TestVerdict names the columns that drifted, and those that the model depends on most.
func TestVerdict(t *testing.T) {
	r := Measure(training(), "blind.csv", scan(t, 3000, "age,score,colour,note", func(i int, draw *rand.Rand) string {
		return strings.Replace(sameRow(i, draw), "red", "violet", 1)
	}), []string{"score", "colour"})
	got := strings.Join(r.Verdict, " ")
	for _, want := range []string{`1 of 3 compared columns`, `"colour" is among them, the second most important column`, "may not hold"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if part := r.Columns[0].LargestChange(); part == nil || part.Name != "red" && part.Name != "other" {
		t.Errorf("the largest change is %+v", part)
	}
}

// TestVerdictOfFewRows expects the verdict that chance explains a difference which would be drift
// in a file of many rows.
func TestVerdictOfFewRows(t *testing.T) {
	for _, c := range []struct {
		rows int
		want string
	}{
		{20, "The values of 3 compared columns differ from those in training, but not more than they would by chance in a file of this size."},
		{3000, "The values of all 3 compared columns are distributed as in training."},
	} {
		r := Measure(training(), "blind.csv", scan(t, c.rows, "age,score,colour,note", sameRow), nil)
		if want := []string{c.want, `Not compared: "note".`}; !slices.Equal(r.Verdict, want) {
			t.Errorf("%d rows: %q, want %q", c.rows, r.Verdict, c.want)
		}
	}
}

// TestTextsOfOneAbbreviation compares a column whose most frequent texts have the same
// abbreviation in the dataset.
func TestTextsOfOneAbbreviation(t *testing.T) {
	address := func(i int) string { return "https://www.example.org/catalogue/products/" + fmt.Sprint(i) }
	short := api.AbbreviateValue(address(0))
	known := &api.Dataset{Rows: 1000, Columns: []api.Column{
		{Name: "address", Kind: "category", Distribution: &api.Distribution{Top: []api.Class{{Label: short, Rows: 400}, {Label: short, Rows: 200}, {Label: "none", Rows: 200}}}},
	}}
	r := Measure(known, "blind.csv", scan(t, 1000, "address", func(i int, _ *rand.Rand) string {
		switch i % 10 {
		case 0, 1, 2, 3:
			return address(0)
		case 4, 5:
			return address(1)
		case 6, 7:
			return "none"
		}
		return address(2 + i%20/10) // texts beyond the most frequent ones
	}), nil)
	c := r.Columns[0]
	if c.Level != api.DriftNone || *c.Index > 1e-9 || len(c.Parts) != 3 || c.Parts[0].Name != short || c.Parts[0].Share != 0.6 {
		t.Errorf("index %v, parts %+v", *c.Index, c.Parts)
	}
}

// TestExtremeNumbers compares a file with a training file that has the same numbers, some of which are
// the largest of both signs.
func TestExtremeNumbers(t *testing.T) {
	number := func(i int) float64 {
		switch i % 10 {
		case 0:
			return math.MaxFloat64
		case 1:
			return -math.MaxFloat64
		}
		return 1
	}
	p := scan(t, 1000, "a", func(i int, _ *rand.Rand) string { return strconv.FormatFloat(number(i), 'g', -1, 64) })
	known := &api.Dataset{Rows: 1000, Columns: []api.Column{{Name: "a", Kind: "numeric", Distribution: &api.Distribution{
		Low: -math.MaxFloat64, High: math.MaxFloat64, Bins: []int64{100, 0, 0, 0, 800, 0, 0, 100},
	}}}}
	column := Measure(known, "blind.csv", p, nil).Columns[0]
	if column.Level != "none" || column.Index == nil || *column.Index > 1e-9 {
		t.Errorf("%+v", column)
	}
}

// TestNumbersOfCategories compares a category that has more numbers than texts in the file, but not in
// training. Its texts are not missing.
func TestNumbersOfCategories(t *testing.T) {
	known := &api.Dataset{Rows: 1000, Columns: []api.Column{{Name: "size", Kind: "category", Distinct: 62, Distribution: &api.Distribution{Top: []api.Class{
		{Label: "L", Rows: 300}, {Label: "M", Rows: 300},
	}}}}}
	p := scan(t, 1000, "size", func(i int, _ *rand.Rand) string {
		if i%5 < 2 {
			return []string{"L", "M"}[i%5]
		}
		return fmt.Sprintf("%d.5", i%100)
	})
	if size := Measure(known, "blind.csv", p, nil).Columns[0]; size.Level != api.DriftSome || len(size.Parts) != 3 || math.Abs(*size.Index-0.162) > 0.001 {
		t.Errorf("index %v, %s drift: %+v", *size.Index, size.Level, size.Parts)
	}
}
