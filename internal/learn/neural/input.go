package neural

import (
	"context"
	"math"
	"slices"

	"foretell/internal/frame"
)

// unknown is the row of levels that training did not see.
const unknown = 0

// input is one column as the network sees it. What it knows of the data comes
// from the training rows alone.
type input struct {
	numeric bool
	column  int // in the frame
	// flag tells that a numeric column's missing cells have an input of their
	// own, because training saw some.
	flag bool
	// center and scale bring the middle half of the values to length 1.
	center, scale float64
	// knots are ascending values; between two the embedding is interpolated.
	// There are none where the column has but two values.
	knots []float64
	// level maps a category's code, shifted by one (0 is missing), to a row of
	// the table. Levels that training did not see share the row unknown.
	level []int32

	dense int // where the scaled value and the flag are among the inputs
	rows  int // of the embedding table; 0 if there is none
	table int // its first row among those of all tables
	token int // which of the embeddings it is
}

// encoder lays the columns out as one input vector: the scaled values and
// flags of the numeric columns, then the embeddings, size numbers each.
type encoder struct {
	inputs []input
	dense  int // scaled values and flags
	rows   int // of all embedding tables
	embeds int // embeddings
	size   int // outputs of one embedding
}

// width is the length of an input vector.
func (e *encoder) width() int { return e.dense + e.embeds*e.size }

// fitEncoder learns the inputs of f from the training rows: embeddings of size
// outputs (0 to choose), at most knots knots. Columns that hold one value only
// are left out. It fails with ctx only.
func fitEncoder(ctx context.Context, f *frame.Frame, rows []int32, size, knots int) (*encoder, error) {
	e := &encoder{size: size}
	for i := range f.Columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var in input
		var ok bool
		if c := &f.Columns[i]; f.Schema.Columns[i].Kind == frame.Numeric {
			in, ok = fitNumeric(c, rows, knots)
		} else {
			in, ok = fitCategory(c.Codes, len(f.Schema.Columns[i].Levels), rows)
		}
		if ok {
			in.column = i
			e.inputs = append(e.inputs, in)
		}
	}
	e.arrange()
	if size == 0 {
		e.chooseSize()
	}
	return e, nil
}

// An embedding has the most outputs unless so many columns have one that the
// first layer would grow beyond so many inputs.
const (
	most    = 8
	outputs = 512
)

// chooseSize sets the size of the embeddings. Where less than two outputs are
// left for each, numbers do without.
func (e *encoder) chooseSize() {
	if e.embeds > outputs/2 {
		for i := range e.inputs {
			if in := &e.inputs[i]; in.numeric {
				in.knots, in.rows = nil, 0
			}
		}
		e.arrange()
	}
	e.size = max(1, min(most, outputs/max(1, e.embeds)))
}

// arrange gives each input its places in the input vector and the tables.
func (e *encoder) arrange() {
	e.dense, e.rows, e.embeds = 0, 0, 0
	for i := range e.inputs {
		in := &e.inputs[i]
		in.dense, in.table, in.token = e.dense, e.rows, e.embeds
		if in.numeric {
			e.dense++
		}
		if in.flag {
			e.dense++
		}
		if in.rows > 0 {
			e.rows += in.rows
			e.embeds++
		}
	}
}

// fitNumeric scales as Holzmüller et al. 2024 ("Better by default", section
// 3): by the distance of the quartiles, by half the range where the quartiles are
// one value.
func fitNumeric(column *frame.Column, rows []int32, knots int) (input, bool) {
	sorted, missing := present(column, rows)
	if len(sorted) == 0 {
		return input{}, false
	}
	slices.Sort(sorted)
	n := len(sorted)
	in := input{numeric: true, flag: missing, center: sorted[n/2]}
	lo, hi := sorted[0], sorted[n-1]
	if lo == hi && !in.flag {
		return input{}, false
	}
	in.scale = 1
	if iqr := sorted[n-1-n/4] - sorted[n/4]; iqr > 0 {
		in.scale = 1 / iqr
	} else if hi > lo {
		in.scale = 2 / (hi - lo)
	}
	in.scale = min(in.scale, math.MaxFloat64) // of subnormal distances
	in.knots = chooseKnots(sorted, knots)
	if len(in.knots) > 2 {
		in.rows = len(in.knots)
	} else {
		in.knots = nil
	}
	return in, true
}

// looked is how many values of a column tell how they are spread.
const looked = 100_000

// present returns the values of the rows that have one, of many rows about
// looked of them, and whether any row has none.
func present(column *frame.Column, rows []int32) (sample []float64, missing bool) {
	values := make([]float64, len(rows))
	column.Gather(values, rows)
	values = slices.DeleteFunc(values, math.IsNaN)
	n := len(values)
	stride := max((n+looked-1)/looked, 1)
	sample = make([]float64, 0, min(n, looked))
	for at := 0; at < n; at += stride {
		sample = append(sample, values[at])
	}
	return sample, n < len(rows)
}

// chooseKnots returns at most count ascending values of sorted: every distinct
// one if they are so few, else half of them quantiles of the rows and half
// quantiles of the distinct values, so that a long thin tail is resolved too.
func chooseKnots(sorted []float64, count int) []float64 {
	distinct := slices.Compact(slices.Clone(sorted))
	if len(distinct) <= count {
		return slices.Clone(distinct) // without the room of all the others
	}
	half := count / 2
	knots := make([]float64, 0, 2*half)
	for i := range half {
		knots = append(knots,
			sorted[i*(len(sorted)-1)/(half-1)],
			distinct[i*(len(distinct)-1)/(half-1)])
	}
	slices.Sort(knots)
	return slices.Compact(knots)
}

// fitCategory gives each level seen in training a row, one to all the others,
// and one to missing cells if there were any.
func fitCategory(codes []int32, levels int, rows []int32) (input, bool) {
	seen := make([]bool, levels+2) // missing, the levels, other
	for _, r := range rows {
		seen[slot(codes[r], levels)] = true
	}
	in := input{level: make([]int32, levels+2), rows: unknown + 1}
	for s := range seen[:levels+1] {
		if seen[s] {
			in.level[s] = int32(in.rows)
			in.rows++
		}
	}
	return in, in.rows > 2 || in.rows == 2 && seen[levels+1]
}

// slot shifts a code so that missing is 0 and whatever is not a level is the
// last.
func slot(code int32, levels int) int32 {
	if code < 0 {
		return 0
	}
	return min(code, int32(levels)) + 1
}
