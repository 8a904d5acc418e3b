package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/table/frame"
)

// raceTimeLeft returns the time until the race must end. The time limit counts
// from the start of the race, but the race must also end by its deadline.
func (a *App) raceTimeLeft(rows *raceRows) time.Duration {
	now, race := a.now(), rows.race
	left := time.Duration(race.TimeLimitSeconds)*time.Second - now.Sub(race.Started)
	if !race.Deadline.IsZero() {
		left = min(left, race.Deadline.Sub(now))
	}
	return left
}

// errTimeLimit is returned if a race has no time left to train.
var errTimeLimit = errors.New("the time limit was reached before the race began")

// loadFrameInTime loads the dataset of a race. It returns errTimeLimit if no time
// is left afterwards.
func (a *App) loadFrameInTime(ctx context.Context, rows *raceRows) (*frame.Frame, error) {
	limited, done := context.WithTimeoutCause(ctx, a.raceTimeLeft(rows), errTimeLimit)
	defer done()
	f, err := a.loadFrame(limited, rows.dataset)
	if errors.Is(context.Cause(limited), errTimeLimit) || err == nil && a.raceTimeLeft(rows) <= 0 {
		return nil, errTimeLimit
	}
	return f, err
}

// raceTimeLimit returns the time limit of a race, for messages. If the deadline comes
// first, it returns the time from the creation of the race to the deadline.
func raceTimeLimit(race *store.Training) time.Duration {
	limit := time.Duration(race.TimeLimitSeconds) * time.Second
	if !race.Deadline.IsZero() {
		limit = min(limit, race.Deadline.Sub(race.Created))
	}
	return limit.Round(100 * time.Millisecond)
}

// expireInterval is how often the deadlines of queued races are checked.
const expireInterval = 250 * time.Millisecond

// expireRaces ends the races whose deadline has passed while they were queued, so
// that clients get a response in time even if the queue is long.
func (a *App) expireRaces(ctx context.Context) {
	var overdue []*store.Training
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		overdue, err = t.ListOverdueRaces(ctx, a.now())
		return err
	})
	for _, race := range overdue {
		err = errors.Join(err, a.expireRace(ctx, race))
	}
	if err != nil && ctx.Err() == nil {
		a.log.WarnContext(ctx, "ending races whose deadline has passed", "error", err)
	}
}

// expireRace ends a queued race. It does nothing if a worker has claimed it.
func (a *App) expireRace(ctx context.Context, race *store.Training) error {
	reason := fmt.Sprintf("the time limit of %s ended while the race was queued behind others: increase the time limit, or try again when the others have ended", raceTimeLimit(race))
	queued := false
	err := a.store.Write(ctx, func(t *store.Tx) (err error) {
		if queued, err = t.DeleteQueuedJob(ctx, race.Key); err != nil || !queued {
			return err
		}
		return a.endQueuedRace(ctx, t, race, api.TrainingTimedOut, reason)
	})
	if err == nil && queued {
		a.finishedJobs.add(kindTrain, api.TrainingTimedOut)
	}
	return err
}
