package boost

import (
	"sync"

	"foretell/internal/learn/codec"
	"foretell/internal/onnx"
	"foretell/internal/spill"
	"foretell/internal/table/frame"
)

// spilledEnsemble is an ensemble whose trees are in a stream, in binary form. The trees
// are decoded on first use, because most models of a race are never used.
type spilledEnsemble struct {
	formatKind byte
	stream     *spill.Stream
	size       int64 // number of bytes of this ensemble's rounds; later rounds may follow in the stream
	// writeHead writes the beginning of the binary form, before the rounds.
	writeHead func(w *codec.Writer)
	// read returns the decoded ensemble.
	read func() ensemble
}

// newSpilledEnsemble returns a copy of e whose function read decodes the ensemble on the first
// call. decode receives a Reader of the binary form.
func newSpilledEnsemble(e spilledEnsemble, decode func(*codec.Reader) ensemble) *spilledEnsemble {
	e.read = sync.OnceValue(func() ensemble {
		w := codec.NewWriter(nil)
		e.write(w)
		b, err := w.Result()
		if err != nil {
			panic(err)
		}
		return decode(codec.NewReader(b))
	})
	return &e
}

func (e *spilledEnsemble) kind() byte { return e.formatKind }

func (e *spilledEnsemble) score(dst []float32, f *frame.Frame, lo, hi int) {
	e.read().score(dst, f, lo, hi)
}

func (e *spilledEnsemble) encode(f *frame.Frame) encodedEnsemble { return e.read().encode(f) }

func (e *spilledEnsemble) addONNX(g *onnx.Graph, trees *onnx.BoostedTreesBuilder, x onnx.Matrix) onnx.Matrix {
	return e.read().addONNX(g, trees, x)
}

func (e *spilledEnsemble) write(w *codec.Writer) {
	e.writeHead(w)
	w.Append(func(b []byte) ([]byte, error) { return e.stream.AppendTo(b, e.size) })
}

// roundsSize returns the number of bytes of the first n rounds. ends[i] is the offset at
// which round i ends.
func roundsSize(ends []int64, n int) int64 {
	if n == 0 {
		return 0
	}
	return ends[n-1]
}
