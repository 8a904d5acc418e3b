package app

import (
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/store"
)

// deleteResource deletes a resource of the caller's account, with its blobs. The function deleteRow
// must delete the row of the resource, and return the keys of its blobs. noun is the kind of the
// resource, such as "dataset"; see resourceNames.
//
// If a race or prediction that has not ended needs the resource, deleteResource returns a problem.
// But if no process runs the race or prediction, and none will resume it, deleteResource ends it
// and deletes the resource.
func (a *App) deleteResource(ctx context.Context, noun, key string,
	deleteRow func(t *store.Tx, ctx context.Context, account, key string) ([]string, error),
) (*api.None, error) {
	account := callerFromContext(ctx).Account
	record := func(t *store.Tx) error { return a.RecordAuditEvent(ctx, t, noun+".delete", key) }
	var blobs []string
	checked := false
	check := func(t *store.Tx) (bool, error) {
		if checked { // reads all predictions, so only once
			return true, nil
		}
		active, err := t.FindActiveJob(ctx, noun, key)
		checked = err == nil
		return active == nil, err
	}
	err := a.deletePredictionBatches(ctx, noun, account, key, check, record)
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	err = a.store.Write(ctx, func(t *store.Tx) (err error) {
		for {
			blobs, err = deleteRow(t, ctx, account, key)
			if err == nil {
				return record(t)
			}
			if !errors.Is(err, store.ErrWrongState) {
				return err
			}
			active, err := t.FindActiveJob(ctx, noun, key)
			if err != nil {
				return err
			}
			if ended, err := a.endIfInterrupted(ctx, t, active); err != nil {
				return err
			} else if !ended {
				return deletionConflictProblem(resourceNames[noun], key, active)
			}
		}
	})
	if err != nil {
		return nil, a.problems.ConvertLookupError(err, resourceNames[noun], key)
	}
	a.queue.StopJobsOfDeleted(key)
	a.files.Delete(ctx, blobs...)
	return &api.None{}, nil
}

// predictionBatchSize is the number of predictions that are deleted in one transaction.
const predictionBatchSize = 1000

// deletePredictionBatches deletes the ended predictions of a row that is about to be deleted, in
// batches of predictionBatchSize. The last, incomplete batch is deleted together with the row.
// There are several transactions, because a row may have hundreds of thousands of predictions, and
// other writers of an SQLite database must wait until a transaction ends.
//
// root is the kind of the row. account is the key of the account that owns it, or "" if the owner
// is unknown. Before each transaction, deletePredictionBatches calls the function check, and stops
// if check returns false, because the row must then not be deleted. The function record records the
// deletion in the audit log. It is called in the first transaction, because the deletion may be
// interrupted.
func (a *App) deletePredictionBatches(ctx context.Context, root, account, key string, check func(*store.Tx) (bool, error), record func(*store.Tx) error) error {
	if root == "prediction" {
		return nil
	}
	for first := true; ; first = false {
		var ok bool
		err := a.store.Read(ctx, func(t *store.Tx) (err error) { // not in the Write below, for which other writers wait
			if ok, err = t.HasPredictionBatch(ctx, root, account, key, predictionBatchSize); ok {
				ok, err = check(t)
			}
			return err
		})
		if err != nil || !ok {
			return err
		}
		var blobs []string
		err = a.store.Write(ctx, func(t *store.Tx) (err error) {
			blobs, err = t.DeletePredictionBatch(ctx, root, account, key, predictionBatchSize)
			if err == nil && blobs != nil && first {
				err = record(t)
			}
			return err
		})
		if err != nil || blobs == nil {
			return err
		}
		a.files.Delete(ctx, blobs...)
	}
}

// endIfInterrupted ends a race or prediction, and returns true, if no process runs it and none will
// resume it. Otherwise it does nothing and returns false.
func (a *App) endIfInterrupted(ctx context.Context, t *store.Tx, active *store.ActiveJob) (ended bool, err error) {
	s, err := a.queue.Status(ctx, t, active.Key)
	if err != nil || !s.Interrupted {
		return false, err
	}
	if active.Resource == resourceNames["training"] {
		race, err := t.GetTraining(ctx, callerFromContext(ctx).Account, active.Key)
		if err != nil {
			return false, err
		}
		return true, a.cancelPendingRace(ctx, t, race)
	}
	p, err := t.GetPrediction(ctx, callerFromContext(ctx).Account, active.Key)
	if err != nil {
		return false, err
	}
	fromState := p.Status
	p.Status, p.FailureReason, p.Updated = api.PredictionFailed, "the prediction was deleted before it ran", a.now()
	return true, t.UpdatePrediction(ctx, p, fromState)
}

// deletionConflictProblem returns the problem of a request to delete a resource that is still
// needed by active, a race or prediction. noun and key identify the resource.
func deletionConflictProblem(noun, key string, active *store.ActiveJob) error {
	what := active.Resource + " " + active.Key
	if active.Key == key {
		what = "it"
	}
	remedy := "wait until it ends"
	if active.Resource == resourceNames["training"] {
		remedy = "cancel the training job, or wait until it ends"
	}
	return api.NewProblem(api.CodeWrongState, "%s %s cannot be deleted while %s is %s: %s, then try again",
		noun, key, what, active.Status, remedy)
}

// resourceNames maps each kind of resource that [store.Tx.FindActiveJob] accepts to its
// name in messages.
var resourceNames = map[string]string{
	"dataset": "dataset", "training": "training job", "model": "model", "prediction": "prediction",
}

// deletePredictionsOfAccount deletes the ended predictions of an account that is about to be
// deleted, except the last, incomplete batch; see deletePredictionBatches.
func (a *App) deletePredictionsOfAccount(ctx context.Context, key string, record func(*store.Tx) error) error {
	check := func(*store.Tx) (bool, error) { return true, nil } // the jobs of an account are deleted with it
	return a.deletePredictionBatches(ctx, "account", key, key, check, record)
}

// cleanUpDeletedAccount stops the jobs of a deleted account and deletes its blobs.
func (a *App) cleanUpDeletedAccount(ctx context.Context, key string, blobs []string) {
	a.queue.StopJobsOfDeleted(key)
	a.files.Delete(ctx, blobs...)
}
