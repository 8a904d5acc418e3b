package learn

import (
	"context"
	"io"
	"runtime"
	"slices"

	"foretell/internal/frame"
	"foretell/internal/learn/metric"
)

// PredictOptions say how to predict. Zero values are defaults.
type PredictOptions struct {
	// Workers is the number of goroutines that predict. It does not change
	// the result. Defaults to GOMAXPROCS.
	Workers int
	// Progress is told the number of rows written so far, by one goroutine at
	// a time. It must return fast. May be nil.
	Progress func(rows int64)
}

// Predict reads a blind CSV and writes the result: each row as it stands in
// blind, in the same order, followed by prediction, probability and
// probability_<class> for each class. It returns the number of rows written.
//
// probability is that of the predicted class. It is not the highest one of a
// row where the race was for balancedAccuracy or macroF1 and rare classes had
// to be preferred.
//
// A fault of the file is a *frame.Defect; what has been written by then is to
// be thrown away. Memory does not grow with the rows: what frame finds IDs that
// occur twice by waits on the disk.
func (m *Model) Predict(ctx context.Context, blind io.Reader, out io.Writer, opts PredictOptions) (rows int64, err error) {
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	blocks, err := frame.NewBlockReader(blind, m.schema)
	if err != nil {
		return 0, err
	}
	p := &prediction{model: m, format: frame.NewFormat(blocks), out: out, progress: opts.Progress}
	if _, err := out.Write(p.format.Header()); err != nil {
		return 0, err
	}
	// More than can run, for those that wait until it is their turn to write.
	workers := make([]frame.BlockWorker, opts.Workers+2)
	for i := range workers {
		workers[i] = &predictionWorker{prediction: p}
	}
	err = blocks.Run(ctx, workers)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return p.rows, err
}

// prediction is what the workers on one share.
type prediction struct {
	model    *Model
	format   *frame.Format
	out      io.Writer
	progress func(rows int64)
	rows     int64 // written
}

// predictionWorker predicts blocks and writes their rows.
type predictionWorker struct {
	*prediction
	probabilities []float32
	text          []byte // the rows of a block
}

// Work predicts the block piece by piece, as rows that are ready to be written.
func (w *predictionWorker) Work(ctx context.Context, b *frame.Block) error {
	return guarded(func() error {
		w.text = w.text[:0]
		rows := w.model.pieceRows()
		for lo := 0; lo < b.Frame.Rows; lo += rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.predict(b, lo, min(lo+rows, b.Frame.Rows)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *predictionWorker) predict(b *frame.Block, lo, hi int) (err error) {
	m, classes := w.model, w.model.classes()
	w.probabilities = slices.Grow(w.probabilities[:0], (hi-lo)*classes)[:(hi-lo)*classes]
	m.predict(w.probabilities, b.Frame, lo, hi)
	for row := lo; row < hi && err == nil; row++ {
		q := w.probabilities[(row-lo)*classes:][:classes]
		class := metric.Decide(q, m.weights)
		for c := range q {
			q[c] = min(q[c], 1) // it may be off by rounding
		}
		w.text, err = w.format.AppendRow(w.text, b.Raw[row], class, q)
	}
	return err
}

// Commit writes the rows.
func (w *predictionWorker) Commit(b *frame.Block) error {
	if _, err := w.out.Write(w.text); err != nil {
		return err
	}
	w.rows += int64(b.Frame.Rows)
	if w.progress != nil {
		w.progress(w.rows)
	}
	return nil
}

// pieceRows is how many rows are predicted at a time: as many cells for a wide
// table as for a narrow one.
func (m *Model) pieceRows() int {
	const cells = 128 << 10
	return min(4096, max(16, cells/max(len(m.schema.Columns)+m.classes(), 1)))
}
