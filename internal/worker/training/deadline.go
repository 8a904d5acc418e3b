package training

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/learn"
	"foretell/internal/store"
	"foretell/internal/table/frame"
)

// deadlines converts the stored deadlines of races, which are wall-clock times, to the monotonic
// clock of this process. It converts each deadline only once. Therefore a race ends in time even if
// the clock of the machine is set afterwards. The zero value is ready to use.
type deadlines struct {
	mu   sync.Mutex
	ends map[string]time.Time // deadlines with a monotonic clock reading, by key of the race
}

// deadlineOf returns the time by which a race must end, or the zero time if it has no deadline.
// localNow is the current time on the clock of this process. sharedNow is the current time on the
// clock of the database, to which stored deadlines refer.
func (d *deadlines) deadlineOf(race *store.Training, localNow, sharedNow time.Time) time.Time {
	if race.Deadline.IsZero() {
		return time.Time{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	end, known := d.ends[race.Key]
	if !known {
		if d.ends == nil {
			d.ends = map[string]time.Time{}
		}
		end = localNow.Add(race.Deadline.Sub(sharedNow))
		d.ends[race.Key] = end
	}
	return end
}

// retainOnly deletes the deadlines of all races that are not in keys.
func (d *deadlines) retainOnly(keys map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.ends, func(key string, _ time.Time) bool { return !keys[key] })
}

// sharedNow returns the current time on the clock that all processes share.
func (tr *Trainer) sharedNow() time.Time { return tr.store.ToSharedTime(tr.now()) }

// raceDeadline returns the deadline of a race on the clock of this process, or the zero time if the
// race has no deadline.
func (tr *Trainer) raceDeadline(race *store.Training) time.Time {
	now := tr.now()
	return tr.deadlines.deadlineOf(race, now, tr.store.ToSharedTime(now))
}

// raceTimeLeft returns the time until the race must end: the rest of its time limit or the time
// until its deadline, whichever is shorter. The time limit begins when the race starts.
func (tr *Trainer) raceTimeLeft(rows *raceRows) time.Duration {
	now := tr.now()
	left := time.Duration(rows.race.TimeLimitSeconds)*time.Second - now.Sub(rows.started)
	if !rows.end.IsZero() {
		left = min(left, rows.end.Sub(now))
	}
	return left
}

// errTimeLimit is returned if a race has no time left to train.
var errTimeLimit = errors.New("the time limit was reached before the race began")

// errCancelled is returned if a race was cancelled before it began to train.
var errCancelled = errors.New("the race was cancelled before it began")

// prepareInTime loads the dataset of a race and returns it with the parameters of the race. It
// returns errTimeLimit if no time is left after loading, and errCancelled if cancelled was closed
// by then.
func (tr *Trainer) prepareInTime(ctx context.Context, rows *raceRows, cancelled <-chan struct{}) (*frame.Frame, learn.Params, error) {
	stoppable, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	limited, done := context.WithTimeoutCause(stoppable, tr.raceTimeLeft(rows), errTimeLimit)
	defer done()
	go func() {
		select {
		case <-cancelled:
			stop(errCancelled)
		case <-stoppable.Done():
		}
	}()
	f, p, err := tr.prepare(limited, rows)
	select {
	case <-cancelled:
		return nil, p, errCancelled
	default:
	}
	if errors.Is(context.Cause(limited), errTimeLimit) || err == nil && p.TimeLimit <= 0 {
		return nil, p, errTimeLimit
	}
	p.Stop = cancelled
	return f, p, err
}

// prepare loads the dataset of a race and returns it with the parameters of the race. The time
// limit in the parameters is the time that is left after loading.
func (tr *Trainer) prepare(ctx context.Context, rows *raceRows) (*frame.Frame, learn.Params, error) {
	p, err := tr.newRaceParams(rows)
	if err != nil {
		return nil, p, err
	}
	f, err := tr.loadFrame(ctx, rows.dataset)
	if err != nil {
		return nil, p, err
	}
	f, err = tr.setSplitKeysAndDropFeatures(ctx, rows, f, &p)
	p.TimeLimit = tr.raceTimeLeft(rows)
	return f, p, err
}

// raceTimeLimit returns the time limit of a race, for messages. If the race must end earlier
// because of a deadline, it returns the time from the creation of the race to the deadline.
func (tr *Trainer) raceTimeLimit(race *store.Training) time.Duration {
	limit := time.Duration(race.TimeLimitSeconds) * time.Second
	if !race.Deadline.IsZero() {
		limit = min(limit, race.Deadline.Sub(race.Created))
	}
	return limit.Round(100 * time.Millisecond)
}

// WatchDeadlines starts a goroutine that ends queued races when their deadline has passed. Clients
// therefore get a result in time even if the queue is long. The goroutine ends when stop is called
// or ctx is done.
func (tr *Trainer) WatchDeadlines(ctx context.Context) (stop func()) {
	_, _ = tr.expireRaces(ctx) // before this process claims such a race; if it fails, Watch tries again
	return tr.queue.Watch(ctx, func() time.Duration {
		next, err := tr.expireRaces(ctx)
		if err != nil && ctx.Err() == nil {
			tr.log.WarnContext(ctx, "cannot end the queued races whose deadline has passed; trying again", "error", err)
		}
		return next
	})
}

// maxDeadlines is the maximum number of races with a deadline that are read at a time.
const maxDeadlines = 100

// expireRaces ends the queued races whose deadline has passed, at most maxDeadlines of them. It returns
// the time until the next deadline, or job.MaxWatchInterval if none exists.
func (tr *Trainer) expireRaces(ctx context.Context) (next time.Duration, err error) {
	var races []*store.Training
	err = tr.store.ReadOneStatement(ctx, func(t *store.Tx) (err error) {
		races, err = t.ListRacesWithDeadline(ctx, maxDeadlines)
		return err
	})
	if err != nil {
		return job.MaxWatchInterval, err
	}
	next = job.MaxWatchInterval
	queued := make(map[string]bool, len(races))
	for _, race := range races {
		queued[race.Key] = true
		if left := tr.raceDeadline(race).Sub(tr.now()); left > 0 {
			next = min(next, left)
			continue
		}
		err = errors.Join(err, tr.expireRace(ctx, race))
		if err == nil && len(races) == maxDeadlines {
			next = 0 // there may be more
		}
	}
	tr.deadlines.retainOnly(queued)
	return next, err
}

// expireRace ends a queued race. It does nothing if a worker has claimed it.
func (tr *Trainer) expireRace(ctx context.Context, race *store.Training) error {
	queued := false
	err := tr.store.Write(ctx, func(t *store.Tx) error {
		queued = false
		reason, err := tr.expiryReason(ctx, t, race)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if queued, err = t.DeleteQueuedJob(ctx, race.Key); err != nil || !queued {
			return err
		}
		return t.EndRace(ctx, race, store.Ending{Status: api.TrainingTimedOut, Reason: reason, Time: tr.sharedNow()})
	})
	if err == nil && queued {
		tr.queue.CountFinishedRace(api.TrainingTimedOut)
	}
	return err
}

// expiryReason returns a message that says why no worker has run a queued race until its deadline. It
// returns [store.ErrNotFound] if the race has no job.
func (tr *Trainer) expiryReason(ctx context.Context, t *store.Tx, race *store.Training) (string, error) {
	queued, err := t.GetJobState(ctx, race.Key)
	if err != nil {
		return "", err
	}
	account, err := t.GetAccountByKey(ctx, race.Account)
	if err != nil {
		return "", err
	}
	before, err := t.CountJobsBefore(ctx, queued)
	message := "the time limit of %s ended while the race was queued behind other races: increase the time limit, or try again when the other races have ended"
	switch {
	case !race.Started.IsZero():
		message = "the race was returned to the queue, and its time limit of %s ended before a worker continued it: try again"
	case account.Disabled:
		message = "the time limit of %s ended while the race was queued and its account was disabled: try again when the account is enabled"
	case before == 0:
		message = "the time limit of %s ended while the race was queued and no worker could run it: try again when a worker is running"
	}
	return fmt.Sprintf(message, tr.raceTimeLimit(race)), err
}
