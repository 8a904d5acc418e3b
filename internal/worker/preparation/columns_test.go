package preparation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

func TestToDistribution(t *testing.T) {
	t.Parallel()
	numbers := func(rows ...int) *columnstats.NumericStats {
		return &columnstats.NumericStats{Min: 1, Max: 9, Mean: 5, Histogram: &columnstats.Histogram{Low: 0, Width: 2, Rows: rows}}
	}
	texts := make([]profile.ValueCount, maxDistributionTexts+1)
	for i := range texts {
		texts[i] = profile.ValueCount{Text: string(rune('a' + i)), Rows: 9 - i}
	}
	for _, tt := range []struct {
		name string
		in   profile.ColumnProfile
		want *api.Distribution
	}{
		{"unknown", profile.ColumnProfile{}, nil},
		{
			"few_bins_stay",
			profile.ColumnProfile{Form: inference.FormNumeric, Numbers: numbers(3, 0, 4)},
			&api.Distribution{Min: 1, Max: 9, Mean: 5, Integers: true, Low: 0, High: 6, Bins: []int64{3, 0, 4}},
		},
		{
			"many_bins_are_joined",
			profile.ColumnProfile{Form: inference.FormDate, Numbers: numbers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)},
			&api.Distribution{Min: 1, Max: 9, Mean: 5, Low: 0, High: 36, Bins: []int64{3, 7, 11, 15, 19, 23, 27, 31, 17}},
		},
		{
			"only_the_most_frequent_texts",
			profile.ColumnProfile{Top: texts},
			&api.Distribution{Top: []api.Class{{Label: "a", Rows: 9}, {Label: "b", Rows: 8}, {Label: "c", Rows: 7}, {Label: "d", Rows: 6}, {Label: "e", Rows: 5}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, toDistribution(&tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAllTexts checks which columns of a dataset have the list of all their texts.
func TestAllTexts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	tags := []string{"red", "blue", "green", "gold"}
	b.WriteString("id,town,flag,size,list,same,long,label\n")
	for row := range 2000 {
		fmt.Fprintf(&b, "r%d,town %d,%c,%d,%s;%s,same,%s%d,%d\n", row, row*7%12%10, "yn"[row%3%2], row*7%31, tags[row%4], tags[row/4%4], strings.Repeat("x", 50), row*3%300, row%2)
	}
	p, err := profile.Scan(t.Context(), strings.NewReader(b.String()), profile.ScanOptions{Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, c := range toColumns(p) {
		if c.Texts != nil {
			got[c.Name] = c.Texts
		}
	}
	want := map[string][]string{
		"town": {"town 0", "town 1", "town 2", "town 3", "town 4", "town 5", "town 6", "town 7", "town 8", "town 9"},
		"flag": {"n", "y"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	town := &p.Columns[p.ColumnIndex("town")]
	left := 100
	if texts := allTexts(town, &left); len(texts) != 10 || left != 10 {
		t.Errorf("%d left: %q", left, texts)
	}
	if texts := allTexts(town, &left); texts != nil || left != 10 {
		t.Errorf("%d left: %q", left, texts)
	}
}
