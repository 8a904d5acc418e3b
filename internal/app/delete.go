package app

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/store"
)

// deleteResource deletes a resource of the caller's account, with its blobs. The function deleteRow
// must delete the row of the resource, and return the keys of its blobs. noun is the kind of the
// resource, such as "dataset"; see resourceNoun.
//
// If the resource is still needed, deleteResource returns a problem and deletes nothing; see
// checkNotNeeded. Once it has deleted some predictions, it does not check this again: unless ctx is
// cancelled, it deletes the resource with all races and predictions that were created meanwhile.
func (a *App) deleteResource(ctx context.Context, noun, key string,
	deleteRow func(t *store.Tx, ctx context.Context, account, key string) ([]string, error),
) (*api.None, error) {
	account := callerFromContext(ctx).Account
	check := func(t *store.Tx, begun bool) (bool, error) {
		if begun {
			return true, nil
		}
		err := a.checkNotNeeded(ctx, t, noun, account, key)
		return err == nil, err
	}
	record := func(t *store.Tx) error { return a.RecordAuditEvent(ctx, t, noun+".delete", key) }
	begun, err := a.deletePredictionBatches(ctx, predictionDeletion{root: noun, account: account, key: key, check: check, record: record})
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
		return nil, a.problems.ConvertLookupError(err, resourceNoun(noun), key)
	}
	a.queue.StopJobsOfDeleted(key)
	a.files.Delete(ctx, blobs...)
	return &api.None{}, nil
}

// predictionBatchSize is the number of predictions that are deleted in one transaction. Deleting a
// queued prediction with its job takes up to half a millisecond.
const predictionBatchSize = 200

// predictionDeletion describes the deletion of the predictions of a row that is about to be deleted.
type predictionDeletion struct {
	// root is the kind of the row. account is the key of the account that owns it, or "" if the
	// owner is unknown.
	root, account, key string
	// check is called before each transaction, and recheck in it. While recheck runs, other writers
	// wait. If recheck is nil, check is called in its place. If one of them returns false, the row must
	// not be deleted, and the deletion stops. The argument begun reports whether predictions were
	// deleted.
	check, recheck func(t *store.Tx, begun bool) (bool, error)
	// record records the deletion in the audit log. It is called in the first transaction, because
	// the deletion may be interrupted.
	record func(*store.Tx) error
}

// deletePredictionBatches deletes the predictions of a row, and their jobs, in batches of
// predictionBatchSize. The last, incomplete batch is deleted together with the row, and so are
// predictions that a process has leased. There are several transactions, because a row may have
// hundreds of thousands of predictions, and other writers of an SQLite database must wait until a
// transaction ends. begun reports whether predictions were deleted.
func (a *App) deletePredictionBatches(ctx context.Context, d predictionDeletion) (begun bool, err error) {
	if d.root == "prediction" {
		return false, nil
	}
	if d.recheck == nil {
		d.recheck = d.check
	}
	for {
		var ok bool
		err := a.store.Read(ctx, func(t *store.Tx) (err error) {
			if ok, err = t.HasPredictionBatch(ctx, d.root, d.account, d.key, predictionBatchSize); ok {
				ok, err = d.check(t, begun)
			}
			return err
		})
		if err != nil || !ok {
			return begun, err
		}
		var blobs []string
		err = a.store.Write(ctx, func(t *store.Tx) (err error) {
			blobs = nil
			if ok, err := d.recheck(t, begun); err != nil || !ok {
				return err
			}
			blobs, err = t.DeletePredictionBatch(ctx, d.root, d.account, d.key, predictionBatchSize)
			if err == nil && blobs != nil && !begun {
				err = d.record(t)
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
		if s.Running || !s.Interrupted && active.Resource == "training" {
			return deletionConflictProblem(resourceNoun(noun), key, active)
		}
	}
	return nil
}

// deletionConflictProblem returns the problem of a request to delete a resource that is still
// needed by active, a race or prediction. noun and key identify the resource.
func deletionConflictProblem(noun, key string, active *store.ActiveJob) error {
	what := resourceNoun(active.Resource) + " " + active.Key
	if active.Key == key {
		what = "it"
	}
	remedy := "wait until it ends"
	if active.Resource == "training" {
		remedy = "cancel the training job, or wait until it ends"
	}
	return api.NewProblem(api.CodeWrongState, "%s %s cannot be deleted while %s is %s: %s, then try again",
		noun, key, what, active.Status, remedy)
}

// resourceNoun returns the word in messages for a kind of resource that [store.Tx.ListActiveJobs]
// accepts.
func resourceNoun(kind string) string {
	if kind == "training" {
		return "training job"
	}
	return kind
}

// deletePredictionsOfAccount deletes the predictions of an account that is about to be deleted,
// except the last, incomplete batch; see deletePredictionBatches.
func (a *App) deletePredictionsOfAccount(ctx context.Context, key string, record func(*store.Tx) error) error {
	check := func(*store.Tx, bool) (bool, error) { return true, nil } // the jobs of an account are deleted with it
	_, err := a.deletePredictionBatches(ctx, predictionDeletion{root: "account", account: key, key: key, check: check, record: record})
	return err
}

// cleanUpDeletedAccount stops the jobs of a deleted account and deletes its blobs.
func (a *App) cleanUpDeletedAccount(ctx context.Context, key string, blobs []string) {
	a.queue.StopJobsOfDeleted(key)
	a.files.Delete(ctx, blobs...)
}
