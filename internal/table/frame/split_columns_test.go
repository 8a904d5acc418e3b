package frame

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReadKeys(t *testing.T) {
	const file = "id,customer,day,number,word,same,label\n" +
		"1,ann,13.2.2024,5,x,q,a\n" +
		"2, bob ,2.1.2024 12:00,,y,q,b\n" +
		"3,ann,,7,z,q,a\n" +
		"4,,1.1.1970,6,x,q,b\n"
	schema := &Schema{ID: "id", Label: "label", Fields: []string{"customer", "day", "number", "word", "same"}, Classes: []string{"a", "b"}}
	read := func(group, time string) (*SplitKeys, error) {
		return ReadSplitKeys(t.Context(), strings.NewReader(file), schema, SplitColumns{Group: group, Time: time})
	}
	for _, c := range []struct {
		group, time string
		want        SplitKeys
	}{
		{"customer", "", SplitKeys{Groups: []int32{0, 1, 0, -1}}},
		{"", "day", SplitKeys{Times: []float64{19766, 19724.5, math.NaN(), 0}}},
		{"word", "number", SplitKeys{Groups: []int32{0, 1, 2, 0}, Times: []float64{5, math.NaN(), 7, 6}}},
	} {
		got, err := read(c.group, c.time)
		if err != nil {
			t.Errorf("%s, %s: %v", c.group, c.time, err)
		} else if diff := cmp.Diff(&c.want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s, %s:\n%s", c.group, c.time, diff)
		}
	}
	for _, c := range []struct{ group, time, want string }{
		{"same", "", `"same": the column has fewer than two`},
		{"", "word", `"word": 4 of 4 values are neither numbers nor dates, such as "x"`},
		{"", "same", `"same": 4 of 4 values`},
		{"city", "", `"city": the file has no such column`},
	} {
		_, err := read(c.group, c.time)
		var problem *SplitColumnError
		if !errors.As(err, &problem) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: got %v, want %s", c.group, c.time, err, c.want)
		}
	}
}

// TestGroupsHaveSeveralSpellings reads columns in which programs have written the same group in different
// ways: text, codes, and numbers with a decimal comma.
func TestGroupsHaveSeveralSpellings(t *testing.T) {
	const file = "id,mouse,code,patient,label\n" +
		"1,P7,0041,12.041,a\n" +
		"2, p7\u200b,41.0,12041,b\n" +
		"3,p8,A41,12041 ,a\n" +
		"4,P8 ,41,\"12041,0\",b\n" +
		"5,p07,1234567890123456,1.204,a\n" +
		"6,p07,1234567890123457,unknown,a\n" +
		"7,,,,b\n" +
		"8,,1234e567,,a\n" +
		"9,,99E88777,,a\n" +
		"10,,1234E567,,b\n"
	schema := &Schema{ID: "id", Label: "label", Fields: []string{"mouse", "code", "patient"}, Columns: []ColumnSchema{
		{Name: "patient.text", Source: "patient", Kind: Category, Feature: ExtractText},
		{Name: "patient", Feature: ExtractAmount, DecimalComma: true},
	}}
	for column, want := range map[string][]int32{
		"mouse": {0, 0, 1, 1, 2, 2, -1, -1, -1, -1}, "code": {0, 0, 1, 0, 2, 3, -1, 4, 5, 4}, "patient": {0, 0, 0, 0, 1, 2, -1, -1, -1, -1},
	} {
		got, err := ReadSplitKeys(t.Context(), strings.NewReader(file), schema, SplitColumns{Group: column})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Groups); diff != "" {
			t.Errorf("%s: %s", column, diff)
		}
	}
}

// TestGroupsOfDates reads a group column of dates that are written in different ways. If the column
// is no feature, 5/1/2024 may be a day in January or in May, but 13/1/2024 is a day in January.
func TestGroupsOfDates(t *testing.T) {
	const file = "id,day,label\n1,2024-01-05,a\n2,05.01.2024,b\n3,5/1/2024,a\n4,2024-01-05 00:00:00,b\n5,1 May 2024,a\n6,2024-01-05 12:00,a\n7,unknown,a\n8,Unknown,b\n9,,b\n10,13/1/2024,a\n11,2024-01-13,b\n12,1/13/2024,a\n"
	feature := ColumnSchema{Name: "day.time", Source: "day", Feature: ExtractTime, DayFirst: true}
	for _, c := range []struct {
		columns []ColumnSchema
		want    []int32
	}{{[]ColumnSchema{feature}, []int32{0, 0, 0, 0, 1, 2, 3, 3, -1, 4, 4, 5}}, {nil, []int32{0, 0, 1, 0, 2, 3, 4, 4, -1, 5, 5, 5}}} {
		schema := &Schema{ID: "id", Label: "label", Fields: []string{"day"}, Columns: c.columns}
		got, err := ReadSplitKeys(t.Context(), strings.NewReader(file), schema, SplitColumns{Group: "day"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.Groups); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTimesAreReadInTheOrderOfTheSchema(t *testing.T) {
	const file = "id,day,label\n1,1/2/1970,a\n2,1/3/1970,b\n"
	for dayFirst, want := range map[bool]float64{false: 1, true: 28} {
		schema := &Schema{ID: "id", Label: "label", Columns: []ColumnSchema{{Name: "day.time", Source: "day", Feature: ExtractTime, DayFirst: dayFirst}}}
		got, err := ReadSplitKeys(t.Context(), strings.NewReader(file), schema, SplitColumns{Time: "day"})
		if err != nil {
			t.Fatal(err)
		}
		if days := got.Times[1] - got.Times[0]; days != want {
			t.Errorf("the day is first: %v: %v days apart, want %v", dayFirst, days, want)
		}
	}
}

// TestMissingUnixTimeIsNoExample reads a column whose first cell that is no time is -1, which means
// that the time is missing.
func TestMissingUnixTimeIsNoExample(t *testing.T) {
	schema := dateColumn(func(c *ColumnSchema) { c.Epoch = EpochSeconds })
	const file = "id,when,y\n1,1391191200,a\n2,-1,a\n3,1391191300,a\n4,never,a\n"
	_, err := ReadSplitKeys(t.Context(), strings.NewReader(file), schema, SplitColumns{Time: "when"})
	if want := `"when": 1 of 3 values are neither numbers nor dates, such as "never"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestTimesWithOffsetsAreMoments reads times whose order in UTC is not that of the local times. Without
// an offset in every row, the local times are compared.
func TestTimesWithOffsetsAreMoments(t *testing.T) {
	for last, want := range map[string]float64{"1970-01-01T06:00+09:00": -3.0 / 24, "1970-01-01T06:00": 6.0 / 24} {
		file := "id,day,label\n1,1970-01-01T05:00-05:00,a\n2,1970-01-01T05:00Z,b\n3,,b\n4," + last + ",b\n"
		got, err := ReadSplitKeys(t.Context(), strings.NewReader(file), &Schema{ID: "id", Label: "label", Fields: []string{"day"}}, SplitColumns{Time: "day"})
		if err != nil {
			t.Fatal(err)
		}
		if got.Times[3] != want || !math.IsNaN(got.Times[2]) {
			t.Errorf("%s: %v, want %v", last, got.Times, want)
		}
	}
}

// TestEqualMomentsAreEqualNumbers reads each moment with two offsets from UTC.
func TestEqualMomentsAreEqualNumbers(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,day,label\n")
	moment := time.Date(2024, 3, 16, 0, 7, 0, 0, time.UTC)
	for i := range 200 {
		for _, hours := range []int{0, -5} {
			zone := time.FixedZone("", hours*60*60)
			fmt.Fprintf(&b, "%d,%s,a\n", 2*i+hours, moment.Add(time.Duration(i)*1234567*time.Microsecond).In(zone).Format("2006-01-02T15:04:05.000000-07:00"))
		}
	}
	got, err := ReadSplitKeys(t.Context(), strings.NewReader(b.String()), &Schema{ID: "id", Label: "label", Fields: []string{"day"}}, SplitColumns{Time: "day"})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(got.Times); i += 2 {
		if got.Times[i] != got.Times[i+1] || i > 0 && got.Times[i] <= got.Times[i-1] {
			t.Errorf("row %d: %v and %v", i, got.Times[i], got.Times[i+1])
		}
	}
}

func TestWithout(t *testing.T) {
	f := &Frame{Rows: 1, Columns: []Column{{Floats: []float64{1}}, {Floats: []float64{2}}, {Floats: []float64{3}}}, Schema: &Schema{
		Columns: []ColumnSchema{{Name: "a"}, {Name: "b: month", Source: "b", Feature: ExtractMonth}, {Name: "c"}},
	}}
	got := f.WithoutColumn("b")
	if diff := cmp.Diff([]string{"a", "b", "c"}, got.Schema.FieldNames()); diff != "" {
		t.Error(diff)
	}
	if len(got.Columns) != 2 || got.Columns[1].Floats[0] != 3 || got.Schema.Columns[1].Name != "c" || len(f.Columns) != 3 {
		t.Errorf("%+v", got)
	}
}
