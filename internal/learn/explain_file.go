package learn

import (
	"context"
	"io"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// ExplainedRow is the explanation of one row of a file.
type ExplainedRow struct {
	// Row is the number of the row, from 1.
	Row int
	// ID is the text of the row's ID, and Cells are those of Model.Columns.
	ID    string
	Cells []string
	Explanation
}

// ExplainFile reads a blind CSV and calls yield with the explanation of each row
// for which wanted returns true, in file order. wanted may be nil, which means
// every row. The error for an invalid file is a *csvfile.Defect. Other errors are
// those of Explain, and that of yield.
func (m *Model) ExplainFile(
	ctx context.Context, blind io.Reader, opts ExplainOptions, wanted func(row int) bool, yield func(ExplainedRow) error,
) error {
	blocks, err := frame.NewBlockReader(blind, m.schema)
	if err != nil {
		return err
	}
	e, err := m.newExplainer(opts)
	if err != nil {
		return err
	}
	id := frame.BuildIndex(blocks.Header())[m.schema.ID] // or the first column
	w := &explanationWorker{explainer: e, cells: m.newColumnCells(blocks.Header()), id: int(id), wanted: wanted, yield: yield}
	return blocks.Run(ctx, []frame.BlockWorker{w})
}

// explanationWorker explains the rows of a file, block by block. It is the only
// worker, so that it knows the number of a row; the explainer uses all cores.
type explanationWorker struct {
	explainer *explainer
	cells     *columnCells
	id        int
	wanted    func(row int) bool
	yield     func(ExplainedRow) error

	before int // number of rows in the blocks before
	rows   []ExplainedRow
}

// Process explains the rows of a block.
func (w *explanationWorker) Process(ctx context.Context, b *frame.Block) error {
	w.rows = w.rows[:0]
	var chosen []int32
	for i := range b.Frame.Rows {
		row := w.before + i + 1
		if w.wanted != nil && !w.wanted(row) {
			continue
		}
		fields := csvfile.SplitRecord(nil, b.Raw[i], ',')
		w.rows = append(w.rows, ExplainedRow{Row: row, ID: string(fields[min(w.id, len(fields)-1)]), Cells: w.cells.of(b.Raw[i])})
		chosen = append(chosen, int32(i))
	}
	w.before += b.Frame.Rows
	list, err := w.explainer.explain(ctx, selectRows(b.Frame, chosen), 0, len(chosen))
	for i := range list {
		w.rows[i].Explanation = list[i]
	}
	return err
}

// Commit yields the explanations of the block.
func (w *explanationWorker) Commit(*frame.Block) error {
	for _, row := range w.rows {
		if err := w.yield(row); err != nil {
			return err
		}
	}
	return nil
}
