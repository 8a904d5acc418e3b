package boost

import (
	"bytes"
	"slices"
	"testing"

	"foretell/internal/learn/tree"
)

// TestDuplicateRowsChangeNothing trains on rows that occur several times, some
// of them with another class, with shared scores and with scores of their own.
func TestDuplicateRowsChangeNothing(t *testing.T) {
	const rows, classes = 3000, 5
	f := testFrame(rows, classes)
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
	p := newObjective(f, everyThirdRow(rows), classes)
	index, n, err := bins.DuplicateRows(t.Context(), 1)
	if err != nil || n > rows/5 {
		t.Fatalf("%d places, %v", n, err)
	}
	var models [][]byte
	var predicted [][]float32
	for _, found := range []duplicates{noDuplicates(&p, rows), newDuplicates(&p, index, n)} {
		opts := Options{Classes: classes, Workers: 2, RowFraction: 0.5, Workspaces: &WorkspacePool{}}
		opts.leafwiseDefaults(rows, len(f.Columns))
		g := newLeafwiseBooster(newOutputScores(p, found), bins, opts)
		for range 5 {
			if _, err := g.round(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		dst := make([]float32, len(p.eval)*classes)
		g.evalProbabilities(dst)
		fitter := &Fitter{objective: p, booster: g, checkpoint: -1}
		model, err := fitter.Model().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		models, predicted = append(models, model), append(predicted, dst)
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the models differ")
	}
	if !slices.Equal(predicted[0], predicted[1]) {
		t.Error("the probabilities differ")
	}
}
