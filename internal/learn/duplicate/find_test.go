package duplicate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/table/frame"
)

// table returns a frame with the given columns and labels.
func table(labels []int32, columns ...any) *frame.Frame {
	f := &frame.Frame{Schema: &frame.Schema{Classes: []string{"no", "yes"}}, Rows: len(labels), Labels: labels}
	for i, values := range columns {
		c := frame.ColumnSchema{Name: fmt.Sprint("c", i)}
		var column frame.Column
		switch values := values.(type) {
		case []float64:
			column.Floats = values
		case []int32:
			c.Kind, column.Codes = frame.Category, values
			for level := range slices.Max(values) + 1 {
				c.Levels = append(c.Levels, fmt.Sprintf("%06d", level))
			}
		case []string:
			c.Kind, column.Texts = frame.Text, values
		}
		f.Schema.Columns = append(f.Schema.Columns, c)
		f.Columns = append(f.Columns, column)
	}
	return f
}

// list returns n values.
func list[T any](n int, value func(i int) T) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = value(i)
	}
	return values
}

// TestCopiesMadeOnPurpose checks that copies are kept together only if they were probably
// made on purpose. The tables have many copies, which is normal in most of them.
func TestCopiesMadeOnPurpose(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	code := func(n int) func(int) int32 { return func(int) int32 { return draw.Int32N(int32(n)) } }
	number := func(n int) func(int) float64 { return func(int) float64 { return float64(draw.IntN(n)) } }
	label := code(2)
	noisy := func(n int) []int32 { return list(n, label) }
	amounts := list(1000, func(int) float64 { return draw.NormFloat64() })
	texts := list(1000, func(i int) string { return fmt.Sprint("message ", i) })
	labels := noisy(1000)
	for _, c := range []struct {
		name     string
		f        *frame.Frame
		together bool
	}{
		{"a_category_of_3_levels", table(noisy(2000), list(2000, code(3))), false},
		{"6_combinations", table(noisy(5000), list(5000, code(3)), list(5000, code(2))), false},
		{"a_category_and_a_number_of_few_values", table(noisy(900), list(900, code(2)), list(900, number(3))), false},
		{"20_combinations_of_numbers", table(noisy(1000), list(1000, number(4)), list(1000, number(5))), false},
		{"ages_and_sexes", table(noisy(2000), list(2000, number(80)), list(2000, code(2))), false},
		{"ages", table(noisy(2000), list(2000, number(80))), false},
		{"days_of_the_year", table(noisy(2000), list(2000, number(365))), false},
		{"postcodes", table(noisy(5000), list(5000, code(800))), false},
		{"postcodes_that_decide_the_label", func() *frame.Frame {
			codes := list(5000, code(800))
			return table(list(5000, func(i int) int32 { return codes[i] % 2 }), codes)
		}(), false},

		{"the_table_three_times", table(list(3000, func(i int) int32 { return labels[i%1000] }),
			list(3000, func(i int) float64 { return amounts[i%1000] }), list(3000, func(i int) int32 { return int32(i%1000) % 3 })), true},
		{"one_class_more_often", table(list(3000, func(i int) int32 { return int32(min(i/900, 1)) }),
			list(3000, func(i int) float64 { return amounts[min(i, 900+i%100)] })), true},
		{"texts_with_the_labels_of_three_persons", table(noisy(3000), list(3000, func(i int) string { return texts[i%1000] })), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			copies, err := Find(t.Context(), c.f, 2)
			if err != nil || copies.Rows < c.f.Rows/10 {
				t.Fatalf("%d copies, error %v", copies.Rows, err)
			}
			if (copies.Groups != nil) != c.together {
				t.Errorf("kept together: %v", copies.Groups != nil)
			}
		})
	}
}

// TestRareTexts checks that rows are not equal only because both have a text that is not a
// level of a category.
func TestRareTexts(t *testing.T) {
	codes := []int32{0, 0, 2, 2, 1, 2, frame.Missing, frame.Missing}
	f := table(make([]int32, len(codes)), codes)
	f.Schema.Columns[0].Levels = f.Schema.Columns[0].Levels[:2]
	if copies, _ := Find(t.Context(), f, 1); copies.Rows != 4 {
		t.Errorf("%d copies, want 4", copies.Rows)
	}
	// The other cells of a column of numbers with some texts are numbers.
	f.Schema.Columns[0].Feature = frame.ExtractText
	if copies, _ := Find(t.Context(), f, 1); copies.Rows != 7 {
		t.Errorf("%d copies of numbers with texts, want 7", copies.Rows)
	}
}
