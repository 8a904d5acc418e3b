package csvfile

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"foretell/internal/rescue"
)

// ChunkWorker processes chunks of a table in one goroutine.
type ChunkWorker interface {
	// Parse does the work that does not depend on other chunks.
	Parse(c *Chunk) error
	// Commit does the remaining work on the chunk that was parsed last. The chunks of all
	// workers are committed one at a time and in file order.
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
	reader     *Reader // reads the table; guarded by readMu
	chunkBytes int     // approximate size of a chunk

	readMu  sync.Mutex
	started int // number of chunks read

	commitMu      sync.Mutex
	committedCond *sync.Cond
	committed     int
	err           error // the first; nothing is committed after it

	panics rescue.Catcher // keeps a panic of a worker
}

// errPanic stops a pipeline after a worker has panicked.
var errPanic = errors.New("a worker has panicked")

// defaultWorkers returns the default number of workers. This is more than the number of cores,
// because some workers wait to commit.
func defaultWorkers() int { return runtime.GOMAXPROCS(0) + 2 }

// Limits for tables with many columns, whose rows are assumed to be about as long as the header. A
// chunk of such a table has wideChunkRows rows but at most maxWideChunk bytes; in any case, it has
// at least minChunkRows rows. All workers together use about workerMemory bytes.
const (
	wideChunkRows     = 16
	minChunkRows      = 4
	maxWideChunk      = 1 << 20
	workerMemory      = 96 << 20
	workerColumnBytes = 1 << 10 // approximate memory of a worker per column
)

// ChunkBytes returns the size of chunks, in bytes, that the caller of RunPipeline should choose. It
// grows with the length of the header.
func (t *Table) ChunkBytes() int {
	n := len(t.Header)
	return min(max(wideChunkRows*n, ChunkSize), max(minChunkRows*n, maxWideChunk))
}

// Workers returns the number of workers that the caller of RunPipeline should choose. It is smaller
// for a table with thousands of columns, because each worker then needs much memory.
func (t *Table) Workers() int {
	return min(max(workerMemory/workerColumnBytes/len(t.Names), 1), defaultWorkers())
}

// RunPipeline reads the table's rows in chunks of about size bytes and processes them with the
// given number of workers. It returns the error of the first chunk with an error. It stops at the
// end of the file, or before a record with invalid quotes or of excessive length; t.Next then
// returns this record and those after it. If a worker panics, RunPipeline panics after all workers
// have ended.
func (t *Table) RunPipeline(ctx context.Context, workers, size int, newWorker func() ChunkWorker) error {
	p := &pipeline{reader: t.Reader, chunkBytes: size}
	t.Reader.minBuffer = max(t.Reader.minBuffer, size)
	p.committedCond = sync.NewCond(&p.commitMu)
	chunkWorkers := make([]ChunkWorker, workers)
	for i := range chunkWorkers {
		chunkWorkers[i] = newWorker()
	}
	var group sync.WaitGroup
	for _, w := range chunkWorkers {
		group.Go(func() { p.panics.Call(func() { p.processChunks(ctx, w) }) })
	}
	group.Wait()
	p.panics.Rethrow()
	return p.err
}

// processChunks processes chunks until there are no more, or until a worker has failed.
func (p *pipeline) processChunks(ctx context.Context, w ChunkWorker) {
	ended := false
	defer func() {
		if !ended {
			p.setError(errPanic) // so that the other workers do not wait for the chunk of this worker
		}
	}()
	for c := new(Chunk); p.processChunk(ctx, w, c); {
	}
	ended = true
}

// processChunk processes one chunk and reports whether there may be another.
func (p *pipeline) processChunk(ctx context.Context, w ChunkWorker, c *Chunk) bool {
	number, ok := p.readChunk(ctx, c)
	if !ok {
		p.setError(context.Cause(ctx))
		return false
	}
	err := w.Parse(c)
	p.commitMu.Lock()
	for p.committed < number && p.err == nil {
		p.committedCond.Wait()
	}
	if p.err != nil {
		p.commitMu.Unlock()
		return false
	}
	p.commitMu.Unlock()
	if err == nil {
		c.Line = p.reader.nextLine
		err = w.Commit(c)
	}
	p.commitMu.Lock()
	p.committed++
	p.commitMu.Unlock()
	p.setError(err)
	return err == nil
}

// readChunk sets c to the next chunk of the file and returns its number. It returns false at the end
// of the file, or when ctx has ended.
func (p *pipeline) readChunk(ctx context.Context, c *Chunk) (number int, ok bool) {
	p.readMu.Lock()
	defer p.readMu.Unlock()
	if ctx.Err() != nil || !p.reader.nextChunk(c, p.chunkBytes) {
		return 0, false
	}
	p.started++
	return p.started - 1, true
}

// setError sets the error of the pipeline, unless an error is already set, and wakes the waiting
// workers.
func (p *pipeline) setError(err error) {
	p.commitMu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.commitMu.Unlock()
	p.committedCond.Broadcast()
}

// CountRowsOf adds the rows and lines of a parsed chunk to the counts of the table.
func (t *Table) CountRowsOf(p *ParsedChunk) {
	t.Rows += p.Rows
	t.Reader.nextLine += p.lineBreaks
}

// RereadChunk calls read. Until read returns, the table's method Next returns only the records of
// the chunk. Workers use RereadChunk to find the invalid record in a chunk that ParsedChunk.Parse
// rejects.
func (t *Table) RereadChunk(c *Chunk, read func() error) error {
	whole := t.Reader
	t.Reader = c.newReader()
	err := read()
	whole.nextLine, t.Reader = t.Reader.nextLine, whole
	return err
}
