package neural

import (
	"math"
	"slices"
	"sort"

	"foretell/internal/frame"
)

// form tells how a column enters the network.
type form uint8

const (
	numeric  form = iota // a scaled value, perhaps a missing flag, and an embedding of its position among knots
	oneHot               // one input a level
	embedded             // a learnt vector a level
)

// input is one column as the network sees it. What it knows of the data comes
// from the training rows alone.
type input struct {
	form   form
	column int // in the frame
	// dense is where the column's own inputs begin: the scaled value and the
	// flag, or the levels.
	dense int
	// flag tells that missing cells were seen and have an input of their own.
	flag bool
	// center and scale bring the middle half of the values to length 1.
	center, scale float64
	// knots are ascending values; between two the embedding is interpolated.
	knots []float64
	// level maps a code, shifted by one (0 is missing), to a row of the table
	// or a place of the one-hot group. Levels not seen in training share the
	// row of unknown texts.
	level []int32
	// rows, table and embed tell the embedding: its number of rows, its first
	// one among all tables' rows, and where its outputs begin.
	rows, table, embed int
}

// encoder lays the columns out as one input vector: dense inputs first, then
// the embeddings, size numbers each.
type encoder struct {
	inputs []input
	dense  int // number of dense inputs
	rows   int // rows of all embedding tables
	embeds int // number of embedded columns
	size   int // outputs of one embedding
}

// width is the length of an input vector.
func (e *encoder) width() int { return e.dense + e.embeds*e.size }

// limits are the sizes an encoder is fitted with.
type limits struct {
	size, oneHot, knots int
}

// fitEncoder learns the inputs of f from the training rows. Columns that hold
// one value only are left out.
func fitEncoder(f *frame.Frame, rows []int32, l limits) *encoder {
	e := &encoder{size: l.size}
	for i := range f.Columns {
		var in input
		var ok bool
		if c := &f.Columns[i]; c.Floats != nil {
			in, ok = fitNumeric(c.Floats, rows, l)
		} else {
			in, ok = fitCategory(c.Codes, len(f.Schema.Columns[i].Levels), rows, l)
		}
		if ok {
			in.column = i
			e.inputs = append(e.inputs, in)
		}
	}
	e.place()
	return e
}

// place gives each input its part of the input vector and of the tables.
func (e *encoder) place() {
	e.dense, e.rows, e.embeds = 0, 0, 0
	for i := range e.inputs {
		in := &e.inputs[i]
		in.dense = e.dense
		e.dense += in.denseWidth()
		if in.rows > 0 {
			in.table = e.rows
			e.rows += in.rows
			in.embed = e.embeds
			e.embeds++
		}
	}
	for i := range e.inputs {
		e.inputs[i].embed = e.dense + e.inputs[i].embed*e.size
	}
}

func (in *input) denseWidth() int {
	switch in.form {
	case numeric:
		if in.flag {
			return 2
		}
		return 1
	case oneHot:
		return int(slices.Max(in.level)) + 1
	default:
		return 0
	}
}

// fitNumeric scales as Holzmüller et al. 2024 ("Better by default", section
// 3): by the distance of the quartiles, by half the range where the quartiles are
// one value.
func fitNumeric(values []float64, rows []int32, l limits) (input, bool) {
	sorted := make([]float64, 0, len(rows))
	for _, r := range rows {
		if v := values[r]; !math.IsNaN(v) {
			sorted = append(sorted, v)
		}
	}
	if len(sorted) == 0 {
		return input{}, false
	}
	sort.Float64s(sorted)
	n := len(sorted)
	in := input{form: numeric, flag: n < len(rows), center: sorted[n/2]}
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
	in.knots = chooseKnots(sorted, l.knots)
	if len(in.knots) > 2 {
		in.rows = len(in.knots)
	} else {
		in.knots = nil
	}
	return in, true
}

// chooseKnots returns at most count ascending values of sorted: every distinct
// one if they are so few, else half of them quantiles of the rows and half
// quantiles of the distinct values, so that a long thin tail is resolved too.
func chooseKnots(sorted []float64, count int) []float64 {
	distinct := slices.Compact(slices.Clone(sorted))
	if len(distinct) <= count {
		return distinct
	}
	half := count / 2
	knots := make([]float64, 0, 2*half)
	for i := range half {
		knots = append(knots,
			sorted[i*(len(sorted)-1)/(half-1)],
			distinct[i*(len(distinct)-1)/(half-1)])
	}
	sort.Float64s(knots)
	return slices.Compact(knots)
}

// fitCategory gives each level seen in training a row, one to all the others,
// and one to missing cells if there were any.
func fitCategory(codes []int32, levels int, rows []int32, l limits) (input, bool) {
	seen := make([]bool, levels+2) // missing, the levels, other
	for _, r := range rows {
		seen[slot(codes[r], levels)] = true
	}
	in := input{level: make([]int32, levels+2)}
	n := int32(1) // place 0: unknown
	for s := range seen {
		if seen[s] && s != levels+1 {
			in.level[s] = n
			n++
		}
	}
	if n == 2 && !seen[levels+1] {
		return input{}, false // one level only
	}
	in.form = oneHot
	if int(n) > l.oneHot {
		in.form = embedded
		in.rows = int(n)
	}
	return in, true
}

// slot shifts a code so that missing is 0 and whatever is not a level is the
// last.
func slot(code int32, levels int) int32 {
	if code < 0 {
		return 0
	}
	return min(code, int32(levels)) + 1
}
