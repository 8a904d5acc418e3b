package app

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/store"
)

// deleteResource deletes a resource of the caller's account, with its blobs. The function deleteRow
// must delete the row of the resource, and return the keys of its blobs. noun is the kind of the
// resource, such as "dataset"; see resourceNames.
//
// If the resource is still needed, deleteResource returns a problem and deletes nothing; see
// checkNotNeeded. Once it has deleted some predictions, it does not check this again: unless ctx is
// cancelled, it deletes the resource with all races and predictions that were created meanwhile.
func (a *App) deleteResource(ctx context.Context, noun, key string,
	deleteRow func(t *store.Tx, ctx context.Context, account, key string) ([]string, error),
) (*api.None, error) {
	account := callerFromContext(ctx).Account
	checked := false
	check := func(t *store.Tx) (bool, error) {
		if checked { // predictions were deleted
			return true, nil
		}
		err := a.checkNotNeeded(ctx, t, noun, account, key)
		checked = err == nil
		return checked, err
	}
	record := func(t *store.Tx) error { return a.RecordAuditEvent(ctx, t, noun+".delete", key) }
	begun, err := a.deletePredictionBatches(ctx, noun, account, key, check, record)
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	var blobs []string
	err = a.store.Write(ctx, func(t *store.Tx) (err error) {
		if !begun {
			if err := a.checkNotNeeded(ctx, t, noun, account, key); err != nil {
				return err
			}
			if err := record(t); err != nil {
				return err
			}
		}
		blobs, err = deleteRow(t, ctx, account, key)
		return err
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
// interrupted. begun reports whether predictions were deleted.
func (a *App) deletePredictionBatches(ctx context.Context, root, account, key string, check func(*store.Tx) (bool, error), record func(*store.Tx) error) (begun bool, err error) {
	if root == "prediction" {
		return false, nil
	}
	for {
		var ok bool
		err := a.store.Read(ctx, func(t *store.Tx) (err error) { // not in the Write below, for which other writers wait
			if ok, err = t.HasPredictionBatch(ctx, root, account, key, predictionBatchSize); ok {
				ok, err = check(t)
			}
			return err
		})
		if err != nil || !ok {
			return begun, err
		}
		var blobs []string
		err = a.store.Write(ctx, func(t *store.Tx) (err error) {
			blobs, err = t.DeletePredictionBatch(ctx, root, account, key, predictionBatchSize)
			if err == nil && blobs != nil && !begun {
				err = record(t)
			}
			return err
		})
		if err != nil || blobs == nil {
			return begun, err
		}
		begun = true
		a.files.Delete(ctx, blobs...)
	}
}

// checkNotNeeded returns a problem if a race that has not ended, or a prediction that is being
// computed, needs a resource. But if no process runs the race, and none will resume it, the race can
// be deleted with the resource. noun, account and key identify the resource; see
// [store.Tx.ListActiveJobs].
func (a *App) checkNotNeeded(ctx context.Context, t *store.Tx, noun, account, key string) error {
	jobs, err := t.ListActiveJobs(ctx, noun, account, key)
	if err != nil {
		return err
	}
	for _, active := range jobs {
		s, err := a.queue.Status(ctx, t, active.Key)
		if err != nil {
			return err
		}
		active.Status = s.ReportedStatus(active.Status)
		if s.Running || !s.Interrupted && active.Resource == resourceNames["training"] {
			return deletionConflictProblem(resourceNames[noun], key, active)
		}
	}
	return nil
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

// resourceNames maps each kind of resource that [store.Tx.ListActiveJobs] accepts to its
// name in messages.
var resourceNames = map[string]string{
	"dataset": "dataset", "training": "training job", "model": "model", "prediction": "prediction",
}

// deletePredictionsOfAccount deletes the ended predictions of an account that is about to be
// deleted, except the last, incomplete batch; see deletePredictionBatches.
func (a *App) deletePredictionsOfAccount(ctx context.Context, key string, record func(*store.Tx) error) error {
	check := func(*store.Tx) (bool, error) { return true, nil } // the jobs of an account are deleted with it
	_, err := a.deletePredictionBatches(ctx, "account", key, key, check, record)
	return err
}

// cleanUpDeletedAccount stops the jobs of a deleted account and deletes its blobs.
func (a *App) cleanUpDeletedAccount(ctx context.Context, key string, blobs []string) {
	a.queue.StopJobsOfDeleted(key)
	a.files.Delete(ctx, blobs...)
}
