package frame

import (
	"context"
	"runtime"
	"sync"
)

// hand does one goroutine's part of reading a table.
type hand interface {
	// work does what needs no other chunk.
	work(c *chunk) error
	// settle does the rest. The chunks are settled one at a time and in the
	// order of the file, whatever hands they are in.
	settle(c *chunk) error
}

// belt is where the hands get their chunks and wait for their turn:
//
//	source ─▶ cut ─┬▶ work ─┬▶ settle, in the order of the file
//	               ├▶ work ─┤
//	               └▶ work ─┘
//
// A hand that waits holds its chunk, so memory is bounded by their number.
type belt struct {
	reader *Reader // the table's; who holds source may cut
	size   int     // bytes of a chunk, about

	source sync.Mutex
	given  int // chunks that were cut

	turn    sync.Mutex
	moved   *sync.Cond
	settled int
	err     error // the first; nothing more is settled
}

// defaultHands is how many goroutines read when nobody says it: more than can
// run, for those that wait for their turn.
func defaultHands() int { return runtime.GOMAXPROCS(0) + 2 }

// How much is read at once of a table with many columns, so that a chunk has some
// rows, at least fewRows, and what the hands may take for them all. Cells of a
// byte take many times the room of their text.
const (
	wideRows   = 16
	fewRows    = 4
	wideChunk  = 1 << 20
	handMemory = 96 << 20
	handColumn = 1 << 10 // about what a hand takes for a column
)

// chunkBytes returns about how many bytes a chunk of the table should have.
func (t *table) chunkBytes() int {
	n := len(t.header)
	return min(max(wideRows*n, chunkSize), max(fewRows*n, wideChunk))
}

// hands returns with how many hands to read the table.
func (t *table) hands() int {
	return min(max(handMemory/handColumn/len(t.names), 1), defaultHands())
}

// share reads the table's rows with so many hands and returns the first error
// of the first chunk that has one. It stops before what is wrong with quotes or
// too long, which is left to next; of a good file nothing is left.
func (t *table) share(ctx context.Context, hands, size int, newHand func() hand) error {
	b := &belt{reader: t.reader, size: size}
	t.reader.piece = max(t.reader.piece, size)
	b.moved = sync.NewCond(&b.turn)
	crew := make([]hand, hands)
	for i := range crew {
		crew[i] = newHand()
	}
	var group sync.WaitGroup
	for _, h := range crew {
		group.Go(func() {
			for c := new(chunk); b.step(ctx, h, c); {
			}
		})
	}
	group.Wait()
	return b.err
}

// step takes one chunk down the line and reports whether there may be another.
func (b *belt) step(ctx context.Context, h hand, c *chunk) bool {
	b.source.Lock()
	if ctx.Err() != nil || !b.reader.cut(c, b.size) {
		b.source.Unlock()
		b.stop(context.Cause(ctx))
		return false
	}
	number := b.given
	b.given++
	b.source.Unlock()

	err := h.work(c)
	b.turn.Lock()
	for b.settled < number && b.err == nil {
		b.moved.Wait()
	}
	if b.err != nil {
		b.turn.Unlock()
		return false
	}
	b.turn.Unlock()
	if err == nil {
		c.line = b.reader.line
		err = h.settle(c)
	}
	b.turn.Lock()
	b.settled++
	b.turn.Unlock()
	b.stop(err)
	return err == nil
}

// stop keeps the first error and wakes who waits.
func (b *belt) stop(err error) {
	b.turn.Lock()
	if b.err == nil {
		b.err = err
	}
	b.turn.Unlock()
	b.moved.Broadcast()
}

// passed notes that a chunk's rows were read as a grid: who is next begins
// behind them.
func (t *table) passed(g *grid) {
	t.rows += g.rows
	t.reader.line += g.breaks
}

// reread calls read while the chunk is all that the table has.
func (t *table) reread(c *chunk, read func() error) error {
	whole := t.reader
	t.reader = c.again()
	err := read()
	whole.line, t.reader = t.reader.line, whole
	return err
}
