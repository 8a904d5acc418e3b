package csvfile

import (
	"context"
	"runtime"
	"sync"
)

// ChunkWorker processes chunks of a table in one goroutine.
type ChunkWorker interface {
	// Parse does the work that does not depend on other chunks.
	Parse(c *Chunk) error
	// Commit does the rest. Chunks are committed one at a time and in the order of the
	// file, whichever worker parsed them.
	Commit(c *Chunk) error
}

// pipeline reads chunks and distributes them to workers:
//
//	source ─▶ next chunk ─┬▶ parse ─┬▶ commit, in the order of the file
//	                      ├▶ parse ─┤
//	                      └▶ parse ─┘
//
// A waiting worker keeps its chunk, so memory is bounded by the number of workers.
type pipeline struct {
	reader     *Reader // of the table; guarded by readMu
	chunkBytes int     // approximate size of a chunk

	readMu  sync.Mutex
	started int // number of chunks read

	commitMu      sync.Mutex
	committedCond *sync.Cond
	committed     int
	err           error // the first; nothing is committed after it
}

// defaultWorkers returns the default number of goroutines: more than can run, because some
// wait to commit.
func defaultWorkers() int { return runtime.GOMAXPROCS(0) + 2 }

// Limits for tables with many columns: a chunk has at least minChunkRows rows, and all
// workers together use at most workerMemory bytes. One-byte cells take many times the
// memory of their text.
const (
	wideChunkRows     = 16
	minChunkRows      = 4
	maxWideChunk      = 1 << 20
	workerMemory      = 96 << 20
	workerColumnBytes = 1 << 10 // approximate memory of a worker per column
)

// ChunkBytes returns the approximate size of the table's chunks in bytes.
func (t *Table) ChunkBytes() int {
	n := len(t.Header)
	return min(max(wideChunkRows*n, ChunkSize), max(minChunkRows*n, maxWideChunk))
}

// Workers returns the number of workers for the table.
func (t *Table) Workers() int {
	return min(max(workerMemory/workerColumnBytes/len(t.Names), 1), defaultWorkers())
}

// RunPipeline reads the table's rows with the given number of workers and returns the
// first error of the first chunk that has one. It stops before records with invalid quotes
// and before records that are too long, which are left to next; of a valid file nothing is
// left.
func (t *Table) RunPipeline(ctx context.Context, workers, size int, newWorker func() ChunkWorker) error {
	b := &pipeline{reader: t.Reader, chunkBytes: size}
	t.Reader.minBuffer = max(t.Reader.minBuffer, size)
	b.committedCond = sync.NewCond(&b.commitMu)
	list := make([]ChunkWorker, workers)
	for i := range list {
		list[i] = newWorker()
	}
	var group sync.WaitGroup
	for _, h := range list {
		group.Go(func() {
			for c := new(Chunk); b.step(ctx, h, c); {
			}
		})
	}
	group.Wait()
	return b.err
}

// step processes one chunk and reports whether there may be another.
func (b *pipeline) step(ctx context.Context, h ChunkWorker, c *Chunk) bool {
	b.readMu.Lock()
	if ctx.Err() != nil || !b.reader.nextChunk(c, b.chunkBytes) {
		b.readMu.Unlock()
		b.fail(context.Cause(ctx))
		return false
	}
	number := b.started
	b.started++
	b.readMu.Unlock()

	err := h.Parse(c)
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
		c.Line = b.reader.nextLine
		err = h.Commit(c)
	}
	b.commitMu.Lock()
	b.committed++
	b.commitMu.Unlock()
	b.fail(err)
	return err == nil
}

// fail keeps the first error and wakes the waiting workers.
func (b *pipeline) fail(err error) {
	b.commitMu.Lock()
	if b.err == nil {
		b.err = err
	}
	b.commitMu.Unlock()
	b.committedCond.Broadcast()
}

// Advance counts the rows and lines of a parsed chunk.
func (t *Table) Advance(g *ParsedChunk) {
	t.Rows += g.Rows
	t.Reader.nextLine += g.lineBreaks
}

// Reread calls read with the table limited to the chunk.
func (t *Table) Reread(c *Chunk, read func() error) error {
	whole := t.Reader
	t.Reader = c.reader()
	err := read()
	whole.nextLine, t.Reader = t.Reader.nextLine, whole
	return err
}
