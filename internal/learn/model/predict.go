package model

import (
	"context"
	"io"
	"runtime"
	"slices"

	"foretell/internal/learn/explain"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/table/frame"
	"foretell/internal/table/result"
)

// PredictOptions are the options of Predict. The zero value of a field selects its
// default.
type PredictOptions struct {
	// Workers is the number of goroutines that predict. It does not change
	// the result. Defaults to GOMAXPROCS.
	Workers int
	// Reasons is the number of columns reason_1, reason_2, … in the result. A reason names a column
	// of the file that contributes much to the probability of the predicted class; see
	// explain.AppendReason.
	Reasons int
	// Progress is called with the number of rows written so far, by one
	// goroutine at a time. It must return quickly. It may be nil.
	Progress func(rows int64)
}

// Predict predicts the class of each row of blind, a CSV with the columns of the training file
// except the label. It writes a CSV to out and returns the number of rows written. Each row
// contains the cells of blind, followed by the columns prediction, probability, and
// probability_<class> for each class. If opts.Reasons is positive, the columns reason_1, reason_2,
// … follow.
//
// probability is the probability of the predicted class. It need not be the highest probability,
// because a model may multiply the probabilities by decision weights before it chooses a class.
//
// If blind is invalid, the error is a *csvfile.Defect. If reasons are requested but the model has
// no background, the error is ErrNoBackground. After an error, the caller must discard the rows
// already written. The memory used does not grow with the number of rows.
func (m *Model) Predict(ctx context.Context, blind io.Reader, out io.Writer, opts PredictOptions) (rows int64, err error) {
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	blocks, err := frame.NewBlockReader(blind, m.schema)
	if err != nil {
		return 0, err
	}
	p := &prediction{model: m, format: result.NewFormat(blocks, opts.Reasons), out: out, progress: opts.Progress}
	if opts.Reasons > 0 {
		if p.reasons, err = explain.NewReasonWriter(m.explainModel(), blocks.Header(), opts.Reasons, explain.Options{Workers: opts.Workers}); err != nil {
			return 0, err
		}
	}
	if _, err := out.Write(p.format.Header()); err != nil {
		return 0, err
	}
	// There are two more workers than opts.Workers, because some workers wait for their turn to
	// write.
	workers := make([]frame.BlockWorker, opts.Workers+2)
	for i := range workers {
		workers[i] = &predictionWorker{prediction: p}
	}
	p.batch = min(m.batchRows(), max(1, maxTextBytes/p.format.MaxAddedBytes(explain.MaxReasonBytes)))
	err = blocks.Run(ctx, workers)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return p.rows, err
}

// prediction is the state that the workers of Predict share.
type prediction struct {
	model    *Model
	format   *result.Format
	out      io.Writer
	progress func(rows int64)
	reasons  *explain.ReasonWriter // nil without reasons
	rows     int64                 // number of rows written
	batch    int                   // number of rows that are predicted at a time
}

// maxTextBytes is the approximate maximum size of the rows that a worker keeps until they are
// written. The rows of one block may have much more: a row of a few bytes may be followed by a
// thousand probabilities and a hundred reasons.
const maxTextBytes = 8 << 20

// predictionWorker predicts blocks and writes their rows.
type predictionWorker struct {
	*prediction
	ctx           context.Context // of Process
	probabilities []float32
	text          []byte // the rows of a block that are predicted, but not written yet
	next          int    // the first row of the block that is not predicted yet
}

// Process predicts the block and formats its rows. It stops when their text has maxTextBytes; Commit
// then predicts the rest.
func (w *predictionWorker) Process(ctx context.Context, b *frame.Block) error {
	w.ctx, w.next = ctx, 0
	return w.predictPart(b)
}

// predictPart sets w.text to the next rows of the block, until the text has maxTextBytes.
func (w *predictionWorker) predictPart(b *frame.Block) error {
	return parallel.Recover(func() error {
		w.text = w.text[:0]
		for w.next < b.Frame.Rows && len(w.text) < maxTextBytes {
			if err := w.ctx.Err(); err != nil {
				return err
			}
			lo := w.next
			w.next = min(lo+w.batch, b.Frame.Rows)
			if err := w.predict(w.ctx, b, lo, w.next); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *predictionWorker) predict(ctx context.Context, b *frame.Block, lo, hi int) (err error) {
	m, classes := w.model, w.model.classes()
	reasons, err := w.reasons.Reasons(ctx, b, lo, hi)
	if err != nil {
		return err
	}
	w.probabilities = slices.Grow(w.probabilities[:0], (hi-lo)*classes)[:(hi-lo)*classes]
	m.predict(w.probabilities, b.Frame, lo, hi)
	for row := lo; row < hi && err == nil; row++ {
		q := w.probabilities[(row-lo)*classes:][:classes]
		class := metric.Decide(q, m.weights)
		for c := range q {
			q[c] = min(q[c], 1) // rounding may exceed 1
		}
		w.text, err = w.format.AppendRow(w.text, b.Raw[row], class, q, reasons.Row(row-lo))
	}
	return err
}

// Commit writes the rows.
func (w *predictionWorker) Commit(b *frame.Block) error {
	for {
		if _, err := w.out.Write(w.text); err != nil {
			return err
		}
		if w.next == b.Frame.Rows {
			break
		}
		if err := w.predictPart(b); err != nil {
			return err
		}
	}
	w.rows += int64(b.Frame.Rows)
	if w.progress != nil {
		w.progress(w.rows)
	}
	return nil
}

// batchRows returns the number of rows that are predicted at a time. It is lower for a
// table with many columns.
func (m *Model) batchRows() int {
	const cells = 128 << 10
	return min(4096, max(16, cells/max(len(m.schema.Columns)+m.classes(), 1)))
}
