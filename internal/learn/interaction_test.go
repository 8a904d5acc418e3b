package learn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"foretell/internal/table/frame"
)

// TestInteractionsAreFound trains on a table whose class depends on the product of two
// columns, and on a third column. The strongest interaction must be that of the two
// columns, and the interactions must be the same for any number of workers.
func TestInteractionsAreFound(t *testing.T) {
	if testing.Short() { // TestRaceIsDeterministic computes interactions, too, of a smaller table
		t.Skip("takes long under the race detector")
	}
	rng := rand.New(rand.NewPCG(5, 5))
	f := &frame.Frame{Rows: 1500, Schema: &frame.Schema{ID: "id", Label: "y", Classes: []string{"no", "yes"}}}
	for i := range 4 {
		values := make([]float64, f.Rows)
		for row := range values {
			values[row] = rng.Float64()*2 - 1
		}
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: string(rune('a' + i))})
		f.Columns = append(f.Columns, frame.Column{Floats: values})
	}
	for row := range f.Rows {
		label := int32(0)
		if 2*f.Columns[1].Floats[row]*f.Columns[3].Floats[row]+f.Columns[0].Floats[row]+0.3*rng.NormFloat64() > 0 {
			label = 1
		}
		f.Labels = append(f.Labels, label)
	}
	found := ""
	for _, workers := range []int{1, 3} {
		o, err := Race(t.Context(), f, Params{Algorithms: []string{"BSIX01"}, Workers: workers, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		list := o.Report.Interactions
		if len(list) < 3 {
			t.Fatalf("%d interactions", len(list))
		}
		if x := list[0]; x.Columns != [2]string{"b", "d"} && x.Columns != [2]string{"d", "b"} || x.Strength < 2*list[1].Strength || x.Share < 0.5 {
			t.Errorf("the strongest interaction is %+v, the next %+v", x, list[1])
		}
		if got := fmt.Sprint(list); found != "" && got != found {
			t.Errorf("%d workers find\n%s\nand one finds\n%s", workers, got, found)
		} else {
			found = got
		}
	}
}
