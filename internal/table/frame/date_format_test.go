package frame

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
)

// dateColumn returns a schema with features of the column "when", which change sets up.
func dateColumn(change func(c *ColumnSchema)) *Schema {
	s := &Schema{ID: "id", Label: "y", Fields: []string{"when"}, Classes: []string{"a"}}
	for _, part := range []Extraction{ExtractTime, ExtractMonth, ExtractDay, ExtractWeekday, ExtractHour} {
		c := DeriveFeature(ColumnSchema{Name: "when." + string(part)}, "when", part)
		change(&c)
		s.Columns = append(s.Columns, c)
	}
	return s
}

func TestDateFormats(t *testing.T) {
	unix := func(unit EpochUnit) func(c *ColumnSchema) { return func(c *ColumnSchema) { c.Epoch = unit } }
	yearFirst := func(c *ColumnSchema) { c.YearFirst = true }
	needsTime := func(c *ColumnSchema) { c.NeedsTime = c.Feature == ExtractHour }
	const missing = "[NaN NaN NaN NaN NaN]"
	const friday = "[16101.75 1 31 4 18]"
	for _, c := range []struct {
		change     func(c *ColumnSchema)
		cell, want string
	}{
		{unix("s"), "1391191200", friday},
		{unix("s"), "1391191200.0", friday},
		{unix("ms"), "1391191200000", friday},
		{unix("us"), "1391191200000000", friday},
		{unix("ns"), "1391191200000000000", friday},
		{unix("s"), "1", fmt.Sprintf("[%v 1 1 3 %v]", 1.0/3600/24, 1.0/3600)},
		{unix("s"), "32503679999.0", "[376199.99998842593 12 31 1 23.99972222222222]"}, // the end of 2999
		{unix("s"), "32503680000", missing},
		{unix("s"), "1391191200000", missing},
		{unix("s"), "0", missing},
		{unix("s"), "-1", missing},
		{unix("s"), "2014-01-31 18:00", missing},
		{unix("s"), "", missing},
		{yearFirst, "14-01-31 18:00", friday},
		{yearFirst, "14/01/31", "[16101 1 31 4 0]"},
		{yearFirst, "14.1.31", "[16101 1 31 4 0]"},
		{yearFirst, "2014-01-31", "[16101 1 31 4 0]"},
		{yearFirst, "01/31/2014", "[16101 1 31 4 0]"},
		{yearFirst, "14/31/01", missing},
		{needsTime, "2014-01-31", "[16101 1 31 4 NaN]"},
		{needsTime, "2014-01-31 00:00", "[16101 1 31 4 0]"},
		{needsTime, "Fri Jan 31 00:00:00 2014", "[16101 1 31 4 0]"},
		{needsTime, "18:00", "[NaN NaN NaN NaN 18]"},
		{func(*ColumnSchema) {}, "2014-01-31", "[16101 1 31 4 0]"},
	} {
		schema := dateColumn(c.change)
		if !schema.Valid() {
			t.Fatalf("the schema for %q is invalid", c.cell)
		}
		blocks, err := readBlocks(t, "id,when\n1,"+c.cell+"\n", schema, csvfile.ChunkSize)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, column := range blocks[0].Frame.Columns {
			got = append(got, column.Values(make([]float64, 1), 0, 1)[0])
		}
		if text := fmt.Sprint(got); text != c.want {
			t.Errorf("%q: %s, want %s", c.cell, text, c.want)
		}
	}
}

func TestInvalidDateFormats(t *testing.T) {
	for name, schema := range map[string]*Schema{
		"unknown_unit":            dateColumn(func(c *ColumnSchema) { c.Epoch = "h" }),
		"two_units":               dateColumn(func(c *ColumnSchema) { c.Epoch = map[bool]EpochUnit{true: "s", false: "ms"}[c.Feature == ExtractTime] }),
		"unix_time_and_order":     dateColumn(func(c *ColumnSchema) { c.Epoch, c.YearFirst = "s", true }),
		"time_of_a_month":         dateColumn(func(c *ColumnSchema) { c.NeedsTime = true }),
		"unit_of_a_number":        {ID: "id", Label: "y", Columns: []ColumnSchema{{Name: "when", Epoch: "s"}}},
		"unit_of_an_amount":       {ID: "id", Label: "y", Columns: []ColumnSchema{{Name: "when", Feature: ExtractAmount, Epoch: "s"}}},
		"year_first_in_category":  {ID: "id", Label: "y", Columns: []ColumnSchema{{Name: "when", Kind: Category, YearFirst: true}}},
		"time_of_day_of_a_number": {ID: "id", Label: "y", Columns: []ColumnSchema{{Name: "when", NeedsTime: true}}},
	} {
		if schema.Valid() {
			t.Errorf("%s is valid", name)
		}
	}
}

// TestSplitByUnixTimes reads the keys of a column of Unix times. 0 stands for a missing time.
func TestSplitByUnixTimes(t *testing.T) {
	const file = "id,when,y\n1,1391191200000,a\n2,0,a\n3,0,a\n4,1391191200001,a\n"
	keys, err := ReadSplitKeys(t.Context(), strings.NewReader(file), dateColumn(func(c *ColumnSchema) { c.Epoch = EpochMilliseconds }), SplitColumns{Time: "when"})
	if err != nil {
		t.Fatal(err)
	}
	if at := keys.Times; at[0] != 16101.75 || !math.IsNaN(at[1]) || !math.IsNaN(at[2]) || !(at[3] > at[0]) {
		t.Errorf("%v", at)
	}
}

// TestSplitByDatesWithYearFirst reads the keys of a column of dates that would also be valid with
// the day first.
func TestSplitByDatesWithYearFirst(t *testing.T) {
	const file = "id,when,y\n1,14-01-31 18:00+01:00,a\n2,15-01-30 18:00+01:00,a\n"
	keys, err := ReadSplitKeys(t.Context(), strings.NewReader(file), dateColumn(func(c *ColumnSchema) { c.YearFirst = true }), SplitColumns{Time: "when"})
	if err != nil {
		t.Fatal(err)
	}
	if days := keys.Times[1] - keys.Times[0]; math.Abs(days-364) > 1e-9 || keys.Times[0] >= 16101.75 {
		t.Errorf("%v", keys.Times)
	}
}

func TestUnixTimesAreNoOrderedFeature(t *testing.T) {
	schema := dateColumn(func(c *ColumnSchema) { c.Epoch = EpochSeconds })
	if _, err := schema.OrderedFeature("when"); err == nil || !strings.Contains(err.Error(), `"when" has Unix times, and their month`) {
		t.Errorf("%v", err)
	}
	schema.Columns = schema.Columns[:1]
	if at, err := schema.OrderedFeature("when"); at != 0 || err != nil {
		t.Errorf("%d, %v", at, err)
	}
}
