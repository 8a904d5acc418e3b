package frame

import (
	"fmt"
	"io"
	"math"
	"strconv"
)

// The names of the columns that a prediction adds.
const (
	predictionName  = "prediction"
	probabilityName = "probability"
)

// ResultColumns returns the names of the columns that a prediction adds to
// those of a blind file: prediction, probability and probability_<class> for
// each class. A name that the blind file has already gets the first of the
// endings _2, _3, … that makes it unique; the added columns are the last ones
// in any case.
func ResultColumns(blind, classes []string) []string {
	taken := make(map[string]bool, len(blind)+len(classes)+2)
	for _, name := range blind {
		taken[name] = true
	}
	added := []string{predictionName, probabilityName}
	for _, class := range classes {
		added = append(added, probabilityName+"_"+class)
	}
	for i, name := range added {
		for n := 2; taken[added[i]]; n++ {
			added[i] = fmt.Sprintf("%s_%d", name, n)
		}
		taken[added[i]] = true
	}
	return added
}

// ResultWriter writes a prediction result: each row of the blind file as it
// was, followed by the columns of ResultColumns.
type ResultWriter struct {
	out     *Writer
	classes [][]byte
	number  []byte
}

// NewResultWriter writes the header of the result of predicting the blocks,
// whose classes are those of their schema, and returns a writer for its rows.
func NewResultWriter(dst io.Writer, blocks *Blocks) *ResultWriter {
	w := &ResultWriter{out: NewWriter(dst)}
	classes := blocks.cells.schema.Classes
	for _, class := range classes {
		w.classes = append(w.classes, []byte(class))
	}
	w.out.Raw(blocks.RawHeader())
	for _, name := range ResultColumns(blocks.Header(), classes) {
		w.out.Field([]byte(name))
	}
	w.out.End()
	return w
}

// Write appends a row: the blind file's, as Block.Raw has it, the index of the
// predicted class, which need not be the most probable one, and the probability
// of each class. Probabilities that are not numbers from 0 to 1, one a class,
// are an error, and nothing is written.
func (w *ResultWriter) Write(raw []byte, class int, probabilities []float64) error {
	if len(probabilities) != len(w.classes) {
		return fmt.Errorf("%d probabilities for %d classes", len(probabilities), len(w.classes))
	}
	if class < 0 || class >= len(w.classes) {
		return fmt.Errorf("class %d: must be 0 to %d", class, len(w.classes)-1)
	}
	for i, p := range probabilities {
		if math.IsNaN(p) || p < 0 || p > 1 {
			return fmt.Errorf("probability %v of class %q: must be from 0 to 1", p, w.classes[i])
		}
	}
	w.out.Raw(raw)
	w.out.Field(w.classes[class])
	w.probability(probabilities[class])
	for _, p := range probabilities {
		w.probability(p)
	}
	w.out.End()
	return nil
}

func (w *ResultWriter) probability(p float64) {
	w.number = AppendProbability(w.number[:0], p)
	w.out.Raw(w.number)
}

// Flush writes what is buffered and returns the first error of all writing.
func (w *ResultWriter) Flush() error { return w.out.Flush() }

// AppendProbability appends p to dst with six significant digits and no
// trailing zeros: 0.5, 0.123457, 1.5e-07. So written, the probabilities of a row
// sum to 1 within half a millionth a class, and a small one does not become zero.
func AppendProbability(dst []byte, p float64) []byte {
	switch p {
	case 0:
		return append(dst, '0')
	case 1:
		return append(dst, '1')
	}
	return strconv.AppendFloat(dst, p, 'g', 6, 64)
}
