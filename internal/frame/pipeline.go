package frame

import (
	"context"
	"runtime"
	"sync"
)

// chunkWorker does one goroutine's part of reading a table.
type chunkWorker interface {
	// parse does what needs no other chunk.
	parse(c *chunk) error
	// commit does the rest. The chunks are settled one at a time and in the
	// order of the file, whatever hands they are in.
	commit(c *chunk) error
}

// pipeline is where the hands get their chunks and wait for their turn:
//
//	source ─▶ cut ─┬▶ work ─┬▶ settle, in the order of the file
//	               ├▶ work ─┤
//	               └▶ work ─┘
//
// A hand that waits holds its chunk, so memory is bounded by their number.
type pipeline struct {
	reader     *Reader // the table's; who holds source may cut
	chunkBytes int     // bytes of a chunk, about

	readMu  sync.Mutex
	started int // chunks that were cut

	commitMu      sync.Mutex
	committedCond *sync.Cond
	committed     int
	err           error // the first; nothing more is settled
}

// defaultWorkers is how many goroutines read when nobody says it: more than can
// run, for those that wait for their turn.
func defaultWorkers() int { return runtime.GOMAXPROCS(0) + 2 }

// How much is read at once of a table with many columns, so that a chunk has some
// rows, at least fewRows, and what the hands may take for them all. Cells of a
// byte take many times the room of their text.
const (
	wideChunkRows     = 16
	minChunkRows      = 4
	maxWideChunk      = 1 << 20
	workerMemory      = 96 << 20
	workerColumnBytes = 1 << 10 // about what a hand takes for a column
)

// chunkBytes returns about how many bytes a chunk of the table should have.
func (t *table) chunkBytes() int {
	n := len(t.header)
	return min(max(wideChunkRows*n, chunkSize), max(minChunkRows*n, maxWideChunk))
}

// workers returns with how many hands to read the table.
func (t *table) workers() int {
	return min(max(workerMemory/workerColumnBytes/len(t.names), 1), defaultWorkers())
}

// runPipeline reads the table's rows with so many hands and returns the first error
// of the first chunk that has one. It stops before what is wrong with quotes or
// too long, which is left to next; of a good file nothing is left.
func (t *table) runPipeline(ctx context.Context, hands, size int, newHand func() chunkWorker) error {
	b := &pipeline{reader: t.reader, chunkBytes: size}
	t.reader.minBuffer = max(t.reader.minBuffer, size)
	b.committedCond = sync.NewCond(&b.commitMu)
	crew := make([]chunkWorker, hands)
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
func (b *pipeline) step(ctx context.Context, h chunkWorker, c *chunk) bool {
	b.readMu.Lock()
	if ctx.Err() != nil || !b.reader.nextChunk(c, b.chunkBytes) {
		b.readMu.Unlock()
		b.fail(context.Cause(ctx))
		return false
	}
	number := b.started
	b.started++
	b.readMu.Unlock()

	err := h.parse(c)
	b.commitMu.Lock()
	for b.committed < number && b.err == nil {
		b.committedCond.Wait()
	}
	if b.err != nil {
		b.commitMu.Unlock()
		return false
	}
	b.commitMu.Unlock()
	if err == nil {
		c.line = b.reader.nextLine
		err = h.commit(c)
	}
	b.commitMu.Lock()
	b.committed++
	b.commitMu.Unlock()
	b.fail(err)
	return err == nil
}

// fail keeps the first error and wakes who waits.
func (b *pipeline) fail(err error) {
	b.commitMu.Lock()
	if b.err == nil {
		b.err = err
	}
	b.commitMu.Unlock()
	b.committedCond.Broadcast()
}

// advance notes that a chunk's rows were read as a grid: who is next begins
// behind them.
func (t *table) advance(g *parsedChunk) {
	t.rows += g.rows
	t.reader.nextLine += g.lineBreaks
}

// reread calls read while the chunk is all that the table has.
func (t *table) reread(c *chunk, read func() error) error {
	whole := t.reader
	t.reader = c.reader()
	err := read()
	whole.nextLine, t.reader = t.reader.nextLine, whole
	return err
}
