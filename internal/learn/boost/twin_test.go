package boost

import (
	"bytes"
	"slices"
	"testing"

	"foretell/internal/learn/tree"
)

// TestTwinsChangeNothing learns from rows that are there twice or oftener, some
// of them with another class, with one score for all of them and with one each.
func TestTwinsChangeNothing(t *testing.T) {
	const rows, classes = 3000, 5
	f := puzzle(rows, classes)
	for i := range f.Columns {
		for row := rows / 5; row < rows; row++ {
			if c := &f.Columns[i]; c.Codes != nil {
				c.Codes[row] = c.Codes[row*7%(rows/5)]
			} else {
				c.Floats[row] = c.Floats[row*7%(rows/5)]
			}
		}
	}
	bins, err := tree.NewBinnedMatrix(t.Context(), f, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := newProblem(f, thirds(rows), classes)
	places, n, err := bins.DuplicateRows(t.Context(), 1)
	if err != nil || n > rows/5 {
		t.Fatalf("%d places, %v", n, err)
	}
	var models [][]byte
	var told [][]float32
	for _, twins := range []twins{noTwins(&p, rows), newTwins(&p, places, n)} {
		opts := Options{Classes: classes, Workers: 2, RowFraction: 0.5, Room: &Room{}}
		opts.leafwiseDefaults(rows, len(f.Columns))
		g := newLeafwise(newLoss(p, twins), bins, opts)
		for range 5 {
			if _, err := g.round(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		dst := make([]float32, len(p.eval)*classes)
		g.evaluate(dst)
		fitter := &Fitter{problem: p, grower: g, kept: -1}
		model, err := fitter.Model().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		models, told = append(models, model), append(told, dst)
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the models differ")
	}
	if !slices.Equal(told[0], told[1]) {
		t.Error("the probabilities differ")
	}
}
