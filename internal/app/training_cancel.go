package app

import (
	"context"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// maxCancelWait is the longest time that CancelTraining waits for a race to store its model.
const maxCancelWait = 10 * time.Second

// cancelPollInterval is the interval at which CancelTraining reads the race while it waits.
const cancelPollInterval = 200 * time.Millisecond

// CancelTraining ends a race. A race that no process runs is CANCELLED at once, without
// a model. A RUNNING race first stores the best model so far. CancelTraining waits at
// most maxCancelWait for this, and then returns the race even if it is still RUNNING.
func (a *App) CancelTraining(ctx context.Context, in *api.TrainingInput) (*api.Training, error) {
	key, pending := in.TrainingJobKey, false
	err := a.store.Write(ctx, func(t *store.Tx) error {
		pending = false
		r, err := t.GetTraining(ctx, callerFromContext(ctx).Account, key)
		if err != nil {
			return err
		}
		if r.Parent != "" {
			return api.NewProblem(api.CodeWrongState,
				"training job %s is one algorithm of a race and cannot be cancelled alone: cancel the race, training job %s", r.Key, r.Parent)
		}
		s, err := a.queue.Status(ctx, t, key)
		if err != nil {
			return err
		}
		switch s.ReportedStatus(r.Status) {
		case api.TrainingPending:
			pending = true
			return a.cancelPendingRace(ctx, t, r)
		case api.TrainingRunning:
			return t.RequestCancel(ctx, r.Key)
		}
		return api.NewProblem(api.CodeWrongState, "training job %s is %s, but only a PENDING or RUNNING training job can be cancelled", r.Key, r.Status)
	})
	if err != nil {
		return nil, a.problems.ConvertLookupError(err, "training job", key)
	}
	if pending {
		a.queue.CountFinishedRace(api.TrainingCancelled)
	}
	a.queue.Cancel(key)
	return a.awaitRaceEnd(ctx, in)
}

// cancelPendingRace makes a race that no live process runs CANCELLED.
func (a *App) cancelPendingRace(ctx context.Context, t *store.Tx, race *store.Training) error {
	if err := t.DeleteJob(ctx, race.Key); err != nil {
		return err
	}
	return t.EndRace(ctx, race, store.Ending{Status: api.TrainingCancelled, Time: a.sharedNow()})
}

// awaitRaceEnd waits until a race has ended, but at most maxCancelWait, and returns the race.
func (a *App) awaitRaceEnd(ctx context.Context, in *api.TrainingInput) (*api.Training, error) {
	timeout := time.NewTimer(maxCancelWait)
	defer timeout.Stop()
	tick := time.NewTicker(cancelPollInterval)
	defer tick.Stop()
	for {
		out, err := a.GetTraining(ctx, in)
		if err != nil || out.Status != api.TrainingRunning {
			return out, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-timeout.C:
			return out, nil
		case <-tick.C:
		}
	}
}

// DeleteTraining deletes a race that has ended, with its model and predictions.
func (a *App) DeleteTraining(ctx context.Context, in *api.TrainingInput) (*api.None, error) {
	r, err := a.findTraining(ctx, in.TrainingJobKey)
	if err != nil {
		return nil, err
	}
	if r.Parent != "" {
		return nil, api.NewProblem(api.CodeWrongState,
			"training job %s is one algorithm of a race and cannot be deleted alone: to delete the whole race, delete training job %s", r.Key, r.Parent)
	}
	return a.deleteResource(ctx, "training", r.Key, (*store.Tx).DeleteTraining)
}
