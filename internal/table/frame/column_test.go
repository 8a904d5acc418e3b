package frame

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/table/cells"
)

// floats returns the values of a numeric column, or nil for a category.
func floats(f *Frame, column int) []float64 {
	c := &f.Columns[column]
	if !c.IsNumeric() {
		return nil
	}
	return c.Values(make([]float64, f.Rows), 0, f.Rows)
}

// builtColumn returns the column that a columnBuilder builds from batches of values.
func builtColumn(batches ...[]float64) columnBuilder {
	var g columnBuilder
	for _, values := range batches {
		large := make([]cells.Decimal, len(values))
		g.add(&Column{Floats: values}, len(values), measureFloatsAndEncode(values, large), large)
	}
	return g
}

func TestColumnBuilderIsLossless(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	flags := []float64{0, 1, cells.NaN, -1, 127, -127}
	shares := []float64{0.25, 0.1, cells.NaN, 1, 0.99}
	counts := []float64{255, -32767, 12_345, cells.NaN}
	measures := []float64{1.2345, -0.00012345, cells.NaN, 12_345_678, 1e-9, 99_999_999}
	others := []float64{math.Pi, 1e300, cells.NaN, 134_217_728, 5e-324}
	for _, c := range []struct {
		name    string
		batches [][]float64
		form    encoding
	}{
		{"small", [][]float64{flags}, encodedInt8},
		{"nothing_but_missing", [][]float64{{cells.NaN, cells.NaN}}, encodedInt8},
		{"more_digits", [][]float64{{1, 0, cells.NaN}, shares}, encodedInt8},
		{"more_digits_do_not_fit", [][]float64{flags, shares}, encodedInt16},
		{"medium", [][]float64{counts}, encodedInt16},
		{"small_then_medium", [][]float64{flags, counts}, encodedInt16},
		{"small_then_large", [][]float64{shares, flags, measures, counts}, encodedDecimal},
		{"medium_then_large", [][]float64{counts, shares, flags}, encodedDecimal},
		{"all", [][]float64{shares, counts, measures, others, flags}, encodedFloat64},
		{"infinite", [][]float64{flags, {math.Inf(1)}}, encodedFloat64},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, batch := range c.batches { // enough rows for a dictionary
				c.batches[i] = slices.Repeat(batch, minDictionaryRows/len(batch)+1)
			}
			g := builtColumn(c.batches...)
			if got := g.required.encoding; got != c.form {
				t.Errorf("form %d, want %d", got, c.form)
			}
			var want []float64
			for _, values := range c.batches {
				want = append(want, values...)
			}
			checkColumn(t, &g.Column, want)
			g.encoded.useDictionaryIfSmall()
			if ranks, _ := g.Dictionary(); (ranks != nil) != (c.form <= encodedInt16) {
				t.Error("a column is ranked or not, against its form")
			}
			checkColumn(t, &g.Column, want)
		})
	}
}

func TestColumnDictionary(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	for _, distinct := range []int{1, 2, maxDictionarySize, maxDictionarySize + 1, 3000} {
		var values []float64
		for i := range max(3*distinct, minDictionaryRows) {
			values = append(values, float64(i*7%distinct)/4-5, cells.NaN)
		}
		g := builtColumn(values)
		g.encoded.useDictionaryIfSmall()
		checkColumn(t, &g.Column, values)
		ranks, known := g.Dictionary()
		if distinct > maxDictionarySize {
			if ranks != nil {
				t.Errorf("%d values are ranked", distinct)
			}
			continue
		}
		if len(known) != distinct || !slices.IsSorted(known) {
			t.Errorf("%d values, want %d, ascending", len(known), distinct)
		}
		for i, rank := range ranks {
			if missing := values[i] != values[i]; missing != (int(rank) == distinct) || !missing && known[rank] != values[i] {
				t.Fatalf("%v has the rank %d", values[i], rank)
			}
		}
	}
}

// checkColumn compares the results of all methods of a column with the values that it
// should have.
func checkColumn(t *testing.T, c *Column, want []float64) {
	t.Helper()
	got := c.Values(make([]float64, len(want)), 0, len(want))
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	var backwards []int32
	var turned []float64
	for i := len(want) - 1; i >= 0; i-- {
		backwards, turned = append(backwards, int32(i)), append(turned, want[i])
	}
	picked := c.Take(backwards)
	if d := cmp.Diff(turned, picked.Values(make([]float64, len(want)), 0, len(want)), cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	if (c.Floats == nil) != (picked.Floats == nil) {
		t.Error("the taken column has another encoding")
	}
	if d := cmp.Diff(want[1:], c.Values(got, 1, len(want)), cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
}

func TestZeroColumn(t *testing.T) {
	var c Column
	checkNaN := func(values []float64) {
		t.Helper()
		for _, x := range values {
			if x == x {
				t.Error(x)
			}
		}
	}
	got := make([]float64, 3)
	c.Gather(got, []int32{5, 6, 7})
	checkNaN(got)
	checkNaN(c.Values(make([]float64, 2), 7, 9))
	if picked := c.Take([]int32{1}); picked.IsNumeric() || picked.Codes != nil {
		t.Error(picked)
	}
}

func FuzzColumn(f *testing.F) {
	f.Add(0.1, 2.0, math.Inf(1), uint8(3))
	f.Add(-0.01, 1e9, 1e-9, uint8(0))
	f.Add(351.9, -22.25, math.Inf(1), uint8(2))
	f.Fuzz(func(t *testing.T, x, y, z float64, at uint8) {
		values := []float64{x, y, z, x + y, -z, math.Round(x), math.Round(y*100) / 100}
		n := int(at) % len(values)
		g := builtColumn(values[:n], values[n:])
		checkColumn(t, &g.Column, values)
		g.encoded.useDictionaryIfSmall()
		checkColumn(t, &g.Column, values)
	})
}
