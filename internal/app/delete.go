package app

import (
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/store"
)

// deleteResource deletes a resource of the caller and then its files. noun is a root of
// [store.Tx.Busy].
func (a *App) deleteResource(ctx context.Context, noun, key string,
	deleteRow func(t *store.Tx, ctx context.Context, account, key string) ([]string, error),
) (*api.None, error) {
	var blobs []string
	err := a.store.Write(ctx, func(t *store.Tx) (err error) {
		for {
			blobs, err = deleteRow(t, ctx, callerFromContext(ctx).Account, key)
			if !errors.Is(err, store.ErrWrongState) {
				return err
			}
			busy, err := t.FindActiveJob(ctx, noun, key)
			if err != nil {
				return err
			}
			if dropped, err := a.endInterrupted(ctx, t, busy); err != nil {
				return err
			} else if !dropped {
				return deletionConflict(resourceNames[noun], key, busy)
			}
		}
	})
	if err != nil {
		return nil, a.lookupProblem(err, resourceNames[noun], key)
	}
	a.pool.StopDeleted(key)
	a.deleteBlobs(ctx, blobs...)
	return &api.None{}, nil
}

// endInterrupted ends a race or prediction that prevents a deletion, if no process runs
// it and none will resume it. It reports whether it did: otherwise the caller
// must cancel it or wait for its end.
func (a *App) endInterrupted(ctx context.Context, t *store.Tx, busy *store.ActiveJob) (bool, error) {
	s, err := a.findJobStatus(ctx, t, busy.Key)
	if err != nil || !s.interrupted {
		return false, err
	}
	if busy.Resource == resourceNames["training"] {
		race, err := t.GetTraining(ctx, callerFromContext(ctx).Account, busy.Key)
		if err != nil {
			return false, err
		}
		return true, a.cancelPending(ctx, t, race)
	}
	p, err := t.GetPrediction(ctx, callerFromContext(ctx).Account, busy.Key)
	if err != nil {
		return false, err
	}
	from := p.Status
	p.Status, p.FailureReason, p.Updated = api.PredictionFailed, "deleted before it was predicted", a.now()
	return true, t.UpdatePrediction(ctx, p, from)
}

// deletionConflict returns the problem of a resource that cannot be deleted while a job
// is active.
func deletionConflict(noun, key string, busy *store.ActiveJob) error {
	what := busy.Resource + " " + busy.Key
	if busy.Key == key {
		what = "it"
	}
	remedy := "wait for its end"
	if busy.Resource == resourceNames["training"] {
		remedy = "cancel the training job or wait for its end"
	}
	return api.NewProblem(api.CodeWrongState, "%s %s cannot be deleted while %s is %s: %s, then delete again",
		noun, key, what, busy.Status, remedy)
}

// resourceNames maps the store's nouns to those of messages.
var resourceNames = map[string]string{
	"dataset": "dataset", "training": "training job", "model": "model", "prediction": "prediction",
}
