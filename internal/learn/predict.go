package learn

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

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
// be thrown away. Memory does not grow with the rows but for the 12 bytes each
// by which frame finds IDs that occur twice.
func (m *Model) Predict(ctx context.Context, blind io.Reader, out io.Writer, opts PredictOptions) (rows int64, err error) {
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	blocks, err := frame.NewBlocks(blind, m.schema)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	line := newAssembly(opts.Workers)
	var group sync.WaitGroup
	group.Go(func() { cancelOn(cancel, line.read(ctx, blocks, m.blockRows())) })
	for range opts.Workers {
		group.Go(func() { line.predict(m) })
	}
	rows, err = line.write(ctx, frame.NewResultWriter(out, blocks), m, opts.Progress)
	cancelOn(cancel, err)
	group.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return rows, cause
	}
	return rows, nil
}

// cancelOn cancels with err if there is one.
func cancelOn(cancel context.CancelCauseFunc, err error) {
	if err != nil {
		cancel(err)
	}
}

// blockRows is how many rows are read at a time: as many cells for a wide
// table as for a narrow one.
func (m *Model) blockRows() int {
	const cells = 128 << 10
	return min(4096, max(16, cells/max(len(m.schema.Columns)+m.classes(), 1)))
}

// assembly is the line from the reader over the workers to the writer:
//
//	         ┌─ todo ─▶ workers ─┐ done
//	reader ──┤                   ├─▶ writer
//	         └───── order ───────┘
//
// Every block goes into both channels. The writer takes the blocks in the
// order in which they were read and waits for each until it is done. The
// capacity of order bounds the number of blocks in memory.
type assembly struct {
	todo, order chan *portion
}

// portion is a block on its way.
type portion struct {
	*frame.Block
	probabilities []float32
	err           error
	done          chan struct{}
}

func newAssembly(workers int) *assembly {
	return &assembly{todo: make(chan *portion, 2*workers), order: make(chan *portion, 2*workers)}
}

// read puts the blocks on the line until there are none or ctx ends.
func (a *assembly) read(ctx context.Context, blocks *frame.Blocks, rows int) error {
	defer close(a.todo)
	defer close(a.order)
	for {
		block, err := blocks.Next(ctx, rows)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		p := &portion{Block: block, done: make(chan struct{})}
		select {
		case a.order <- p:
			a.todo <- p // waits for a worker at most
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// predict does what is to be done until the line ends.
func (a *assembly) predict(m *Model) {
	for p := range a.todo {
		p.err = guarded(func() error {
			p.probabilities = make([]float32, p.Frame.Rows*m.classes())
			m.predict(p.probabilities, p.Frame, 0, p.Frame.Rows)
			return nil
		})
		close(p.done)
	}
}

// write takes the portions off the line in order.
func (a *assembly) write(ctx context.Context, w *frame.ResultWriter, m *Model, progress func(int64)) (rows int64, err error) {
	row := make([]float64, m.classes())
	for p := range a.order {
		<-p.done
		if p.err != nil {
			return rows, p.err
		}
		if ctx.Err() != nil {
			return rows, context.Cause(ctx)
		}
		for i, raw := range p.Raw {
			q := p.probabilities[i*len(row):][:len(row)]
			for c := range row {
				row[c] = min(float64(q[c]), 1)
			}
			if err := w.Write(raw, metric.Decide(q, m.weights), row); err != nil {
				return rows, err
			}
		}
		rows += int64(len(p.Raw))
		if progress != nil {
			progress(rows)
		}
	}
	return rows, w.Flush()
}
