package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/learn"
	"foretell/internal/span"
	"foretell/internal/store"
)

const (
	// minSpreadCells is the smallest number of rows × features × classes for which it pays
	// that another worker reads the dataset, too.
	minSpreadCells = 200_000
	// minSpreadTime is the shortest time limit of a race that is spread.
	minSpreadTime = 30 * time.Second
	// partInterval is how often the parts of a race are polled.
	partInterval = 500 * time.Millisecond
	// partStopTimeout is how long a race that is cut short waits for the scores of its
	// parts.
	partStopTimeout = 3 * time.Second
)

// spreading is a race some of whose runs other workers train. Each of these runs is a
// part: a job of the kind kindPart, and a row with the recorded run when the job has
// ended.
type spreading struct {
	app  *App
	job  *job.Job
	keys map[string]string // keys of the runs, by algorithm
	// ctx is the context of the job.
	ctx  context.Context
	wins chan learn.Win

	mu     sync.Mutex
	remote []string // algorithms of the parts
}

// spread queues parts of a race for idle workers. It returns nil if the race has no
// parts.
func (a *App) spread(ctx context.Context, r *job.Run, rows *raceRows) (*spreading, error) {
	if !a.spreads || len(rows.runs) < 2 || !a.paysToSpread(rows) {
		return nil, nil
	}
	s := &spreading{app: a, job: &r.Job, ctx: ctx, keys: map[string]string{}, wins: make(chan learn.Win)}
	for _, run := range rows.runs {
		s.keys[run.Algorithm] = run.Key
	}
	err := a.writeWithLease(ctx, s.job, func(t *store.Tx) (err error) {
		s.remote = nil // the transaction may be run again
		idle, err := a.countIdleWorkers(ctx, t)
		if err != nil || idle == 0 {
			return err
		}
		// This worker takes back what the others have no time for.
		for _, run := range rows.runs[1:] {
			memory, err := estimateRaceMemory(rows.dataset, []string{run.Algorithm})
			if err != nil {
				return err
			}
			if err := a.insertJob(ctx, t, &store.Job{Account: run.Account, Kind: kindPart, Subject: run.Key, Memory: memory}); err != nil {
				return err
			}
			s.remote = append(s.remote, run.Algorithm)
		}
		return nil
	})
	if err != nil || len(s.remote) == 0 {
		return nil, err
	}
	a.log.InfoContext(ctx, "race is spread", "subject", r.Subject, "parts", s.remote)
	return s, nil
}

// paysToSpread reports whether a race is large enough for several workers.
func (a *App) paysToSpread(rows *raceRows) bool {
	cells := int64(len(rows.dataset.Columns)) * rows.dataset.Rows * int64(len(rows.dataset.Classes))
	return cells >= a.minSpreadCells && a.raceTimeLeft(rows) >= minSpreadTime
}

// countIdleWorkers returns the number of other living workers that run no race. It returns
// 0 if races are queued, because they need these workers.
func (a *App) countIdleWorkers(ctx context.Context, t *store.Tx) (idle int, err error) {
	queued, err := t.CountQueuedJobs(ctx, kindTrain)
	if err != nil || queued > 0 {
		return 0, err
	}
	workers, err := t.ListWorkers(ctx)
	if err != nil {
		return 0, err
	}
	busy, err := t.ListOwners(ctx, kindTrain, kindPart)
	for _, w := range workers {
		if w.Process != a.store.ProcessName() && !slices.Contains(busy, w.Process) && a.store.IsAlive(w.Process) {
			idle++
		}
	}
	return idle, err
}

// newRemote returns the connection of the engine with the parts. The caller must call
// stop when the race has ended.
func (s *spreading) newRemote() (remote *learn.Remote, stop func()) {
	if s == nil {
		return nil, func() {}
	}
	remote = &learn.Remote{Algorithms: slices.Clone(s.remote), Await: s.await, Wins: s.wins, Announce: s.app.announceWin(s.ctx, s.keys)}
	return remote, s.app.pollWins(s.ctx, s.job.Subject, s.wins)
}

// isRemote reports whether another worker trains the algorithm.
func (s *spreading) isRemote(algorithm string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.remote, algorithm)
}

// await implements [learn.Remote.Await].
func (s *spreading) await(ctx context.Context, algorithm string, idle <-chan struct{}) (io.ReadCloser, int64, error) {
	tick := time.NewTicker(partInterval)
	defer tick.Stop()
	ended, timeout := ctx.Done(), (<-chan time.Time)(nil)
	isIdle := false
	for {
		file, gone, err := s.findPart(s.keys[algorithm], isIdle)
		switch {
		case err == nil && file.Blob != "":
			return s.open(file)
		case err == nil && gone:
			s.takeBack(algorithm)
			return nil, 0, nil
		case err != nil && s.ctx.Err() == nil:
			s.app.log.WarnContext(s.ctx, "looking for a part of a race", "algorithm", algorithm, "error", err)
		}
		select {
		case <-s.ctx.Done():
			return nil, 0, context.Cause(s.ctx)
		case <-ended:
			ended, timeout = nil, time.After(partStopTimeout)
			s.stopParts()
		case <-timeout:
			return nil, 0, context.Cause(ctx)
		case <-idle:
			idle, isIdle = nil, true
		case <-tick.C:
		}
	}
}

// findPart returns the recorded run, or a zero File if there is none yet. gone reports
// whether no worker will record it. If take is true, findPart takes the part back unless a
// worker has claimed it.
func (s *spreading) findPart(run string, take bool) (f store.File, gone bool, err error) {
	within := s.app.store.Read
	if take {
		within = s.app.store.Write
	}
	ctx := span.Without(s.ctx) // two spans a second would be of no use
	err = within(ctx, func(t *store.Tx) error {
		f, gone = store.File{}, false
		parts, err := t.ListParts(ctx, s.job.Subject)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if p.Training == run && p.Blob != "" {
				f = p.File
				return nil
			}
		}
		if take {
			if gone, err = t.DeleteQueuedJob(ctx, run); err != nil || gone {
				return err
			}
		}
		_, err = t.GetJobState(ctx, run)
		if errors.Is(err, store.ErrNotFound) {
			gone, err = true, nil
		}
		return err
	})
	return f, gone, err
}

// takeBack makes the algorithm one that this worker trains.
func (s *spreading) takeBack(algorithm string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remote = slices.DeleteFunc(s.remote, func(name string) bool { return name == algorithm })
}

// stopParts requests that the other workers record what they have.
func (s *spreading) stopParts() {
	err := s.app.store.Write(s.ctx, func(t *store.Tx) error { return t.CancelParts(s.ctx, s.job.Subject) })
	if err != nil && s.ctx.Err() == nil {
		s.app.log.WarnContext(s.ctx, "stopping the parts of a race", "error", err)
	}
}

// open opens a recorded run. The Close of the reader returns an error if the file is
// damaged.
func (s *spreading) open(f store.File) (io.ReadCloser, int64, error) {
	r, err := s.app.blobs.OpenVerified(s.ctx, toBlobInfo(f))
	if err != nil {
		return nil, 0, err
	}
	return verifiedRecording{r}, r.Size, nil
}

type verifiedRecording struct{ *blob.VerifiedReader }

func (r verifiedRecording) Close() error {
	return cmp.Or(r.Verify(), r.VerifiedReader.Close())
}

// announceWin returns a function that stores the win of a run on this worker. keys has
// the keys of the runs by algorithm.
func (a *App) announceWin(ctx context.Context, keys map[string]string) func(learn.Win) {
	return func(win learn.Win) {
		err := a.store.Write(ctx, func(t *store.Tx) error { return t.UpdateReached(ctx, keys[win.Algorithm], win.Time) })
		if err != nil && ctx.Err() == nil { // the others only train longer
			a.log.WarnContext(ctx, "storing that a run reached the threshold", "algorithm", win.Algorithm, "error", err)
		}
	}
}

// pollWins sends the wins of the runs of a race to wins until stop is called or ctx is
// done.
func (a *App) pollWins(ctx context.Context, race string, wins chan<- learn.Win) (stop func()) {
	sent := map[string]bool{}
	ctx, cancel := context.WithCancel(span.Without(ctx)) // see findPart
	stopPolling := runEvery(ctx, partInterval, func() {
		var parts []*store.Part
		err := a.store.ReadStatement(ctx, func(t *store.Tx) (err error) {
			parts, err = t.ListParts(ctx, race)
			return err
		})
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "polling the parts of a race", "error", err)
		}
		for _, p := range parts {
			if p.Reached == nil || sent[p.Training] {
				continue
			}
			select {
			case wins <- learn.Win{Algorithm: p.Algorithm, Time: *p.Reached}:
				sent[p.Training] = true
			case <-ctx.Done():
			}
		}
	})
	return func() {
		cancel()
		stopPolling()
	}
}

// removeParts deletes the recorded runs of races that have ended.
func (a *App) removeParts(ctx context.Context) {
	if !a.spreads {
		return
	}
	var blobs []string
	err := a.store.Write(ctx, func(t *store.Tx) (err error) {
		blobs, err = t.DeleteEndedParts(ctx)
		return err
	})
	if err != nil {
		if ctx.Err() == nil { // the next race or clean-up deletes them
			a.log.WarnContext(ctx, "deleting the parts of ended races", "error", err)
		}
		return
	}
	if len(blobs) > 0 {
		a.deleteBlobs(ctx, blobs...)
	}
}
