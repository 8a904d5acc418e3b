package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"foretell/internal/repeat"
	"foretell/internal/store"
)

// Retention configures how long unused data is kept. In each field, 0 means forever. The champion of
// each series is always kept, with its race and its dataset.
type Retention struct {
	// Predictions is how long a prediction is kept after it ended.
	Predictions time.Duration
	// Trainings is how long a training job and its model are kept after the job ended or the model
	// was last used, whichever is later.
	Trainings time.Duration
	// Datasets is how long a dataset is kept after the last change of the dataset or of one of
	// its races or predictions.
	Datasets time.Duration
	// AuditEvents is how long audit events are kept.
	AuditEvents time.Duration
}

const (
	// retentionInterval is how often expired rows are deleted.
	retentionInterval = time.Hour
	// retentionBatchSize is the maximum number of rows that are listed at a time.
	retentionBatchSize = 100
)

// EnforceRetention deletes all data that has expired, and old requests for access, immediately and
// then every hour until ctx is done. Several processes may call it at the same time.
func (a *App) EnforceRetention(ctx context.Context, r Retention) {
	a.deleteExpired(ctx, r)
	defer repeat.Every(ctx, retentionInterval, func() { a.deleteExpired(ctx, r) })()
	<-ctx.Done()
}

// deleteExpired deletes all data that has expired, and logs errors.
func (a *App) deleteExpired(ctx context.Context, r Retention) {
	errs := []error{a.DeleteOldAccessRequests(ctx)}
	now := a.now()
	if shared := a.store.ToSharedTime(now); shared.Before(now) {
		now = shared // the clock of this machine may be wrong, and deleted data is lost
	}
	for _, kind := range []struct {
		name string
		keep time.Duration
	}{{"prediction", r.Predictions}, {"training", r.Trainings}, {"dataset", r.Datasets}} {
		if kind.keep > 0 {
			errs = append(errs, a.deleteExpiredRows(ctx, kind.name, now.Add(-kind.keep)))
		}
	}
	if r.AuditEvents > 0 {
		errs = append(errs, a.DeleteAuditEventsBefore(ctx, now.Add(-r.AuditEvents)))
	}
	if err := errors.Join(errs...); err != nil && ctx.Err() == nil {
		a.log.WarnContext(ctx, "cannot delete all expired data; trying again in an hour", "error", err)
	}
}

// deleteExpiredRows deletes the rows of a kind that were last used before the given time,
// with their files, and records each deletion in the audit log. If a row cannot be deleted, it goes on
// with the others and returns an error in the end.
func (a *App) deleteExpiredRows(ctx context.Context, kind string, before time.Time) error {
	kept := map[string]bool{} // rows that cannot be deleted or are in use again, by key
	failed, firstErr := 0, error(nil)
	for {
		limit := retentionBatchSize + len(kept) // with a fixed limit, the rows to keep could hide all others
		var keys []string
		err := a.store.Read(ctx, func(t *store.Tx) (err error) {
			keys, err = t.ListExpired(ctx, kind, before, int64(limit))
			return err
		})
		if err != nil {
			return errors.Join(firstErr, err)
		}
		deleted := 0
		for _, key := range keys {
			if kept[key] {
				continue
			}
			switch err := a.deleteExpiredRow(ctx, kind, key, before); {
			case err == nil:
				deleted++
			case errors.Is(err, store.ErrWrongState) || errors.Is(err, store.ErrNotFound):
				kept[key] = true // the row is in use again, or another process has deleted it
			case ctx.Err() != nil || errors.Is(err, store.ErrUnavailable):
				return errors.Join(firstErr, err)
			default:
				kept[key] = true
				if failed++; failed == 1 {
					firstErr = fmt.Errorf("%s %s: %w", kind, key, err)
				}
			}
		}
		if deleted > 0 {
			a.log.InfoContext(ctx, "deleted expired data", "kind", kind, "number", deleted)
		}
		if len(keys) < limit {
			if failed > 1 {
				return fmt.Errorf("%w; %d more cannot be deleted either", firstErr, failed-1)
			}
			return firstErr
		}
	}
}

// deleteExpiredRow deletes a row with its files, and records the deletion in the audit log. It returns
// the errors of [store.Tx.DeleteExpired].
func (a *App) deleteExpiredRow(ctx context.Context, kind, key string, before time.Time) error {
	var blobs []string
	err := a.store.Write(ctx, func(t *store.Tx) (err error) {
		if blobs, err = t.DeleteExpired(ctx, kind, key, before); err != nil {
			return err
		}
		return a.RecordServiceEvent(ctx, t, kind+".expire", key)
	})
	if err != nil {
		return err
	}
	a.queue.StopJobsOfDeleted(key)
	a.files.Delete(ctx, blobs...)
	return nil
}
