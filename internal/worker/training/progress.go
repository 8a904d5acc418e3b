package training

import (
	"context"
	"errors"
	"sync"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/learn"
	"foretell/internal/span"
	"foretell/internal/store"
)

// progressRecorder collects the scores of a race's algorithms until they are written to the store.
// It keeps all scores since the start of the race, because each write stores the whole history.
type progressRecorder struct {
	mu   sync.Mutex
	rows []*runRow
}

// runRow is the database row of one run, with changes that may not have been stored yet.
// The field changed is true if there are changes to store.
type runRow struct {
	row     store.Training
	changed bool
}

func newProgressRecorder(runs []*store.Training) *progressRecorder {
	p := &progressRecorder{}
	for _, run := range runs {
		p.rows = append(p.rows, &runRow{row: *run})
	}
	return p
}

// record adds an event of the race to the row of the event's algorithm. It does not block.
func (p *progressRecorder) record(e learn.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.rows {
		if l.row.Algorithm != e.Algorithm {
			continue
		}
		if e.Step > len(l.row.Curve) {
			l.row.Curve = append(l.row.Curve, e.Performance)
			l.row.AchievedPerformance, l.row.LogLoss = api.NumberOrNil(e.BestPerformance), api.NumberOrNil(e.BestLogLoss)
		}
		l.row.Status, l.changed = string(e.Status), true
	}
}

// takeChanged returns copies of the changed rows and marks them as unchanged.
func (p *progressRecorder) takeChanged() []runRow {
	p.mu.Lock()
	defer p.mu.Unlock()
	var changed []runRow
	for _, l := range p.rows {
		if l.changed {
			changed = append(changed, *l)
			l.changed = false
		}
	}
	return changed
}

// markChanged is called with rows of takeChanged that could not be written. It marks them as
// changed again, and keeps changes that were made since takeChanged.
func (p *progressRecorder) markChanged(rows []runRow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, unwritten := range rows {
		for _, l := range p.rows {
			if l.row.Key == unwritten.row.Key {
				l.changed = true
			}
		}
	}
}

// writeProgress writes the changed rows of the recorder to the store. If this fails, the next call,
// or the end of the race, writes them.
func (tr *Trainer) writeProgress(ctx context.Context, j *job.Job, recorder *progressRecorder) {
	changed := recorder.takeChanged()
	if len(changed) == 0 {
		return
	}
	ctx = span.WithoutSpan(ctx) // no spans, which would fill the trace: there are four writes a second
	now := tr.sharedNow()
	err := tr.queue.WriteWithLease(ctx, j, func(t *store.Tx) error {
		for _, l := range changed {
			if l.row.Status != api.TrainingRunning {
				l.row.Finished = now
			}
			stored, err := t.GetTraining(ctx, l.row.Account, l.row.Key) // an earlier write may have been committed without a response
			if err != nil {
				return err
			}
			if err := t.UpdateTraining(ctx, &l.row, stored.Status); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil || errors.Is(err, job.ErrLeaseLost) { // without the lease, for example because the account was disabled, the next call would fail, too
		return
	}
	recorder.markChanged(changed)
	if ctx.Err() == nil {
		tr.log.WarnContext(ctx, "cannot store the progress of a race; trying again", "subject", j.Subject, "error", err)
	}
}
