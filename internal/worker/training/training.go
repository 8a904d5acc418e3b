// Package training runs the jobs of races: they train the algorithms of a race, on one worker or on
// several, and store the model. The package also ends queued races whose deadline has passed, and
// queued races that need more memory than any worker has.
package training

import (
	"cmp"
	"io"
	"log/slog"
	"time"

	"foretell/internal/jobqueue"
	"foretell/internal/problem"
	"foretell/internal/store"
	"foretell/internal/storedfile"
)

// Config configures a Trainer.
type Config struct {
	Store    *store.Store
	Files    *storedfile.Files
	Queue    *jobqueue.Queue
	Problems *problem.Converter
	Now      func() time.Time
	// Rand is the source of random bytes for the keys of models.
	Rand io.Reader
	Log  *slog.Logger
	// TempDir is the folder for temporary files. Defaults to [os.TempDir].
	TempDir string
	// MinDistributedCells is the minimum size of a dataset for its races to be distributed over
	// several workers, as rows × columns × classes. Defaults to 200,000.
	MinDistributedCells int64
	// PartClaimTimeout is how long a part of a distributed race waits for a worker to claim it, before
	// the worker of the race trains it. Defaults to 7 seconds.
	PartClaimTimeout time.Duration
}

// Trainer runs the jobs of the kinds [jobqueue.Train] and [jobqueue.Part]. It is safe for concurrent
// use.
type Trainer struct {
	store               *store.Store
	files               *storedfile.Files
	queue               *jobqueue.Queue
	problems            *problem.Converter
	now                 func() time.Time
	rand                io.Reader
	log                 *slog.Logger
	tempDir             string
	minDistributedCells int64
	partClaimTimeout    time.Duration
	deadlines           deadlines
}

// New returns a Trainer.
func New(c Config) *Trainer {
	return &Trainer{
		store: c.Store, files: c.Files, queue: c.Queue, problems: c.Problems, now: c.Now, rand: c.Rand, log: c.Log, tempDir: c.TempDir,
		minDistributedCells: cmp.Or(c.MinDistributedCells, defaultMinDistributedCells),
		partClaimTimeout:    cmp.Or(c.PartClaimTimeout, defaultPartClaimTimeout),
	}
}

// DistributesRaces reports whether several workers may train one race together.
func (tr *Trainer) DistributesRaces() bool { return !tr.queue.OwnJobsOnly() && tr.store.IsOnServer() }
