package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// maxReasonName is the maximum number of characters of the name of a column in a reason. The rest of
// a longer name is omitted, because each row of a result repeats the name.
const maxReasonName = 100

// MaxReasonBytes is an upper bound of the size of a reason as a field of a CSV: a name, a cell and a
// number, in which a character has at most four bytes.
const MaxReasonBytes = 1 << 10

// AppendReason appends a reason for a prediction to dst. A reason consists of the name of a column and
// its cell (both shortened if they are long), and what the column adds to the probability, as in
//
//	income=52000 (+0.1312)
//
// The contribution is in the last parentheses, with a sign and four decimals.
func AppendReason(dst []byte, column, cell string, contribution float64) []byte {
	dst = append(append(dst, csvfile.ShortenTo(column, maxReasonName)...), '=')
	dst = append(dst, csvfile.Shorten(cell)...)
	dst = append(dst, " ("...)
	if contribution >= 0 {
		dst = append(dst, '+')
	}
	return append(strconv.AppendFloat(dst, contribution, 'f', 4, 64), ')')
}

// LargestContributions returns the indices of the columns with the largest absolute
// contributions, at most n, largest first. It leaves out contributions below 0.00005, because
// they would be shown as 0.0000.
func (x *Explanation) LargestContributions(n int) []int {
	const least = 0.00005
	order := make([]int, 0, len(x.Contributions))
	for i, v := range x.Contributions {
		if math.Abs(v) >= least {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(x.Contributions[b]), math.Abs(x.Contributions[a]))
	})
	return order[:min(len(order), n)]
}

// ReasonWriter explains predictions and formats the reasons for them as text. It is safe for
// concurrent use.
type ReasonWriter struct {
	explainer *Explainer
	cells     *columnCells
	reasons   int // largest number of reasons for a row
}

// NewReasonWriter returns a ReasonWriter for the rows of a file with the given header. The writer
// returns at most the given number of reasons for each row. The errors are those of NewExplainer.
func NewReasonWriter(m *Model, header []string, reasons int, opts Options) (*ReasonWriter, error) {
	e, err := NewExplainer(m, opts)
	if err != nil {
		return nil, err
	}
	return &ReasonWriter{e, newColumnCells(m.Schema, header), reasons}, nil
}

// Reasons returns the reasons for the predictions of the rows lo…hi-1 of a block, or nil if w is
// nil.
func (w *ReasonWriter) Reasons(ctx context.Context, b *frame.Block, lo, hi int) (RowReasons, error) {
	if w == nil {
		return nil, nil
	}
	list, err := w.explainer.Explain(ctx, b.Frame, lo, hi)
	if err != nil {
		return nil, err
	}
	reasons := make(RowReasons, len(list))
	for i := range list {
		cells := w.cells.extract(b.Raw[lo+i])
		for _, column := range list[i].LargestContributions(w.reasons) {
			text := AppendReason(nil, w.cells.names[column], cells[column], list[i].Contributions[column])
			reasons[i] = append(reasons[i], string(text))
		}
	}
	return reasons, nil
}

// RowReasons holds the reasons of a range of rows: element i holds the reasons of the i-th row. It
// is nil if no reasons are requested.
type RowReasons [][]string

// Row returns the reasons of the i-th row, or nil if r is nil.
func (r RowReasons) Row(i int) []string {
	if r == nil {
		return nil
	}
	return r[i]
}

// columnCells finds the cells of a model's columns in the rows of a file.
type columnCells struct {
	names  []string // of Schema.SourceColumns
	fields []int    // their positions in a row of the file
}

func newColumnCells(schema *frame.Schema, header []string) *columnCells {
	c := new(columnCells)
	places := frame.BuildIndex(header)
	for _, column := range schema.SourceColumns() {
		c.names = append(c.names, column.Name)
		c.fields = append(c.fields, int(places[column.Name]))
	}
	return c
}

// extract returns the cells of the columns. raw is the text of a row of the file.
func (c *columnCells) extract(raw []byte) []string {
	fields := csvfile.SplitRecord(raw)
	list := make([]string, len(c.fields))
	for i, at := range c.fields {
		if at < len(fields) {
			list[i] = string(fields[at])
		}
	}
	return list
}
