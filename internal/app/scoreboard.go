package app

import (
	"context"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/learn"
	"foretell/internal/store"
)

// postInterval is the minimum interval between writes of the progress.
const postInterval = 250 * time.Millisecond

// scoreboard collects the scores of a race between writes. It keeps whole
// curves, for clients that ask for the history.
type scoreboard struct {
	mu    sync.Mutex
	lines []*line
}

// line is one algorithm's row, its status in the store, and whether it has
// unwritten changes.
type line struct {
	row    store.Training
	posted string
	dirty  bool
}

func newScoreboard(children []*store.Training) *scoreboard {
	b := &scoreboard{}
	for _, child := range children {
		b.lines = append(b.lines, &line{row: *child, posted: child.Status})
	}
	return b
}

func (b *scoreboard) algorithms() []string {
	var names []string
	for _, l := range b.lines {
		names = append(names, l.row.Algorithm)
	}
	return names
}

// record adds an event of the race. It does not block.
func (b *scoreboard) record(e learn.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lines {
		if l.row.Algorithm != e.Algorithm {
			continue
		}
		if e.Step > len(l.row.Curve) {
			l.row.Curve = append(l.row.Curve, e.Performance)
			l.row.Achieved, l.row.LogLoss = figureOut(e.Kept), figureOut(e.LogLoss)
		}
		l.row.Status, l.dirty = string(e.Status), true
	}
}

// take returns copies of the changed rows and marks them as written.
func (b *scoreboard) take() []line {
	b.mu.Lock()
	defer b.mu.Unlock()
	var changed []line
	for _, l := range b.lines {
		if l.dirty {
			changed = append(changed, *l)
			l.posted, l.dirty = l.row.Status, false
		}
	}
	return changed
}

// putBack marks rows that could not be written as changed. Later events are
// kept.
func (b *scoreboard) putBack(lines []line) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, unposted := range lines {
		for _, l := range b.lines {
			if l.row.Key == unposted.row.Key {
				l.posted, l.dirty = unposted.posted, true
			}
		}
	}
}

// post writes the changed rows. After an error they are written with the next
// post or the end of the race.
func (a *App) post(ctx context.Context, j *job.Job, b *scoreboard) {
	changed := b.take()
	if len(changed) == 0 {
		return
	}
	now := a.now()
	err := a.note(ctx, j, func(t *store.Tx) error {
		for _, l := range changed {
			if l.row.Status != api.TrainingRunning {
				l.row.Finished = now
			}
			if err := t.UpdateTraining(ctx, &l.row, l.posted); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return
	}
	b.putBack(changed)
	if ctx.Err() == nil {
		a.log.WarnContext(ctx, "writing progress", "subject", j.Subject, "error", err)
	}
}

// every calls fn at intervals until stop is called, which waits for a running
// call.
func every(ctx context.Context, interval time.Duration, fn func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				fn()
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
