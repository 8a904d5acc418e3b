package explain

import (
	"context"
	"errors"
	"io"
	"slices"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// Row is the explanation of one row of a file.
type Row struct {
	// Row is the number of the row, counted from 1.
	Row int
	// ID is the text of the row's ID. Cells holds the row's cells in the columns
	// Schema.SourceColumns.
	ID    string
	Cells []string
	Explanation
}

// ErrSkipAll makes [File] end without an error if yield returns it. The rest
// of the file is not read.
var ErrSkipAll = errors.New("skip all remaining rows")

// File explains rows of blind, a CSV file without a label column. It explains the rows for which
// wanted returns true, or every row if wanted is nil. wanted receives the number of the row,
// counted from 1. File calls yield with the explanations in file order, as soon as a few rows have
// been explained. The error for an invalid file is a *csvfile.Defect. Other errors come from
// NewExplainer, Explain or yield.
func File(ctx context.Context, m *Model, blind io.Reader, opts Options, wanted func(row int) bool, yield func(Row) error) error {
	blocks, err := frame.NewBlockReader(blind, m.Schema)
	if err != nil {
		return err
	}
	e, err := NewExplainer(m, opts)
	if err != nil {
		return err
	}
	id := frame.BuildIndex(blocks.Header())[m.Schema.ID] // 0, the first column, if no column has this name
	w := &fileWorker{explainer: e, cells: newColumnCells(m.Schema, blocks.Header()), id: int(id), wanted: wanted, yield: yield}
	if err := blocks.Run(ctx, []frame.BlockWorker{w}); !errors.Is(err, ErrSkipAll) {
		return err
	}
	return nil
}

// fileWorker explains the rows of a file, block by block. There is only one worker, because it
// counts the rows. Its explainer runs several goroutines.
type fileWorker struct {
	ctx        context.Context // the context of Process, which Commit uses
	explainer  *Explainer
	cells      *columnCells
	id         int
	wanted     func(row int) bool
	yield      func(Row) error
	rowsBefore int // number of rows in the previous blocks
}

// Process implements frame.BlockWorker. It only stores ctx: Commit explains the rows, a few at a
// time, because a block contains thousands of rows.
func (w *fileWorker) Process(ctx context.Context, _ *frame.Block) error {
	w.ctx = ctx
	return nil
}

// Commit explains the wanted rows of the block and passes the explanations to w.yield.
func (w *fileWorker) Commit(b *frame.Block) error {
	var chosen []int32
	for i := range b.Frame.Rows {
		if w.wanted == nil || w.wanted(w.rowsBefore+i+1) {
			chosen = append(chosen, int32(i))
		}
	}
	for rows := range slices.Chunk(chosen, explainBatchRows*w.explainer.options.Workers) {
		if err := w.explain(b, rows); err != nil {
			return err
		}
	}
	w.rowsBefore += b.Frame.Rows
	return nil
}

// explain explains the given rows of the block and passes the explanations to w.yield.
func (w *fileWorker) explain(b *frame.Block, rows []int32) error {
	list, err := w.explainer.Explain(w.ctx, b.Frame.Take(rows), 0, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		raw := b.Raw[rows[i]]
		fields := csvfile.SplitRecord(raw)
		err = w.yield(Row{
			Row: w.rowsBefore + int(rows[i]) + 1, ID: string(fields[min(w.id, len(fields)-1)]), Cells: w.cells.extract(raw), Explanation: list[i],
		})
	}
	return err
}
