package boost

import (
	"sync"

	"foretell/internal/frame"
	"foretell/internal/scratch"
)

// spilledEnsemble is an ensemble whose rounds are on a tape, in binary form. It
// is read on first use, because most models of a race never predict.
type spilledEnsemble struct {
	kindByte byte
	tape     *scratch.Tape
	size     int64 // of its rounds: the tape may hold later ones
	// head appends the part of the binary form that precedes the rounds.
	head func(b []byte) ([]byte, error)
	read func() ensemble
}

// newSpilledEnsemble returns the ensemble that read decodes from the head and
// the first size bytes of the tape.
func newSpilledEnsemble(e spilledEnsemble, read func(*modelReader) ensemble) *spilledEnsemble {
	e.read = sync.OnceValue(func() ensemble {
		b, err := e.appendBinary(nil)
		if err != nil {
			panic(err)
		}
		return read(&modelReader{rest: b})
	})
	return &e
}

func (e *spilledEnsemble) kind() byte { return e.kindByte }

func (e *spilledEnsemble) score(dst []float32, f *frame.Frame, lo, hi int) {
	e.read().score(dst, f, lo, hi)
}

func (e *spilledEnsemble) appendBinary(b []byte) ([]byte, error) {
	b, err := e.head(b)
	if err != nil {
		return nil, err
	}
	return e.tape.Append(b, e.size)
}

// roundsSize returns the number of bytes of the first n rounds, given the end
// of each.
func roundsSize(ends []int64, n int) int64 {
	if n == 0 {
		return 0
	}
	return ends[n-1]
}
