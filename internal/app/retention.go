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
// each series is always kept, with its race and its dataset. So is the newest model of the series if
// it decides which model is the champion.
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
	// retentionBatchSize is the maximum number of rows that are deleted in one transaction. Other
	// writers wait for it, and a row may have thousands of rows that depend on it.
	retentionBatchSize = 25
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
	deleted, failed, firstErr := 0, 0, error(nil)
	defer func() {
		if deleted > 0 {
			a.log.InfoContext(ctx, "deleted expired data", "kind", kind, "number", deleted)
		}
	}()
	for q := (store.ExpiredQuery{Kind: kind, Before: before, Limit: retentionBatchSize}); ; {
		var keys []string
		var next *store.ExpiredPosition
		err := a.store.Read(ctx, func(t *store.Tx) (err error) {
			keys, next, err = t.ListExpired(ctx, q)
			return err
		})
		if err != nil {
			return errors.Join(firstErr, err)
		}
		n, err := a.deleteExpiredBatch(ctx, q, keys)
		deleted += n
		for i := 0; err != nil && i < len(keys); i++ { // one row may have failed, so each gets a transaction of its own
			n, rowErr := a.deleteExpiredBatch(ctx, q, keys[i:i+1])
			deleted += n
			switch {
			case rowErr == nil:
			case ctx.Err() != nil || errors.Is(rowErr, store.ErrUnavailable):
				return errors.Join(firstErr, rowErr)
			default:
				if failed++; failed == 1 {
					firstErr = fmt.Errorf("%s %s: %w", kind, keys[i], rowErr)
				}
			}
		}
		if q.After = next; next == nil {
			break
		}
	}
	if failed > 1 {
		return fmt.Errorf("%w; %d more cannot be deleted either", firstErr, failed-1)
	}
	return firstErr
}

// deleteExpiredBatch deletes rows that [store.Tx.ListExpired] has returned for q, with their files, in
// one transaction, and records the deletions in the audit log. It keeps rows that are in use again. It
// returns the number of deleted rows.
func (a *App) deleteExpiredBatch(ctx context.Context, q store.ExpiredQuery, keys []string) (int, error) {
	if len(keys) == 0 {
		return 0, nil
	}
	for _, key := range keys {
		check := func(t *store.Tx) (bool, error) { return t.IsExpired(ctx, q, key) }
		record := func(t *store.Tx) error { return a.RecordServiceEvent(ctx, t, q.Kind+".expire", key) }
		if err := a.deletePredictionBatches(ctx, q.Kind, "", key, check, record); err != nil {
			return 0, err
		}
	}
	var deleted, blobs []string
	err := a.store.Write(ctx, func(t *store.Tx) (err error) {
		if deleted, blobs, err = t.DeleteExpired(ctx, q, keys); err != nil {
			return err
		}
		for _, key := range deleted {
			if err := a.RecordServiceEvent(ctx, t, q.Kind+".expire", key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, key := range deleted {
		a.queue.StopJobsOfDeleted(key)
	}
	a.files.Delete(ctx, blobs...)
	return len(deleted), nil
}
