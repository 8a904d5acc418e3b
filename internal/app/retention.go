package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"foretell/internal/repeat"
	"foretell/internal/store"
)

// Retention configures how long unused data is kept. In each field, 0 means forever. The champion
// of each series is always kept, with its race and its dataset. The newest model of a series is
// also kept if the champion depends on it; see [store.Model].
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
	// retentionPageSize is the maximum number of rows that are listed at a time. Large pages are
	// faster, because the query of each page may also read rows of other pages; see
	// BenchmarkListKept in package store.
	retentionPageSize = 1000
	// retentionBatchSize is the maximum number of rows that are deleted in one transaction. A
	// transaction deletes fewer rows if many other rows depend on them; see
	// [store.Tx.DeleteExpired].
	retentionBatchSize = 25
	// retentionAttempts is the number of consecutive rows after which the deletion gives up,
	// because the database did not respond for any of them. One row is not enough: its transaction
	// may have failed only because of conflicts with other transactions.
	retentionAttempts = 3
)

// EnforceRetention deletes all data that has expired, and old requests for access, immediately and
// then every hour until ctx is done. Several processes may call it at the same time.
func (a *App) EnforceRetention(ctx context.Context, r Retention) {
	a.deleteExpired(ctx, r)
	repeat.Until(ctx, retentionInterval, func() { a.deleteExpired(ctx, r) })
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

// deleteExpiredRows deletes the rows of a kind that were last used before the given time, with
// their files, and records each deletion in the audit log. If a row cannot be deleted, it continues
// with the next rows and returns an error in the end. If the database does not respond, it gives
// up; see retentionAttempts.
func (a *App) deleteExpiredRows(ctx context.Context, kind string, before time.Time) error {
	d := expiryDeletion{App: a, query: store.ExpiredQuery{Kind: kind, Before: before, Limit: retentionPageSize}}
	defer func() {
		if d.deleted > 0 {
			a.log.InfoContext(ctx, "deleted expired data", "kind", kind, "number", d.deleted)
		}
	}()
	for {
		var keys []string
		var next *store.ExpiredPosition
		err := a.store.Read(ctx, func(t *store.Tx) (err error) {
			keys, next, err = t.ListExpired(ctx, d.query)
			return err
		})
		if err != nil {
			return errors.Join(d.error(), err)
		}
		for batch := range slices.Chunk(keys, retentionBatchSize) {
			if goOn := d.delete(ctx, batch); !goOn {
				return d.error()
			}
		}
		if d.query.After = next; next == nil {
			return d.error()
		}
	}
}

// expiryDeletion is the deletion of the expired rows of a kind.
type expiryDeletion struct {
	*App
	query store.ExpiredQuery
	// deleted is the number of deleted rows, and failed the number of rows that could not be
	// deleted. unavailable counts the rows for which the database did not respond. A deletion that
	// succeeds resets it to 0.
	deleted, failed, unavailable int
	firstErr                     error
}

// delete deletes the rows with the given keys together. If this fails, it deletes each row in a
// transaction of its own. It returns false if no more rows should be deleted.
func (d *expiryDeletion) delete(ctx context.Context, keys []string) (goOn bool) {
	n, err := d.deleteExpiredBatch(ctx, d.query, keys)
	d.deleted += n
	if err == nil {
		d.unavailable = 0
		return true
	}
	if len(keys) > 1 && ctx.Err() == nil {
		for key := range slices.Chunk(keys, 1) {
			if !d.delete(ctx, key) {
				return false
			}
		}
		return true
	}
	if d.failed++; d.failed == 1 {
		d.firstErr = fmt.Errorf("%s %s: %w", d.query.Kind, keys[0], err)
	}
	if !errors.Is(err, store.ErrUnavailable) {
		return ctx.Err() == nil
	}
	d.unavailable++
	return ctx.Err() == nil && d.unavailable < retentionAttempts
}

// error returns an error if rows could not be deleted.
func (d *expiryDeletion) error() error {
	if d.failed > 1 {
		return fmt.Errorf("%w; %d more cannot be deleted either", d.firstErr, d.failed-1)
	}
	return d.firstErr
}

// deleteExpiredBatch deletes rows that [store.Tx.ListExpired] has returned for q, with their files,
// and records the deletions in the audit log. It keeps rows that were used since. It returns the
// number of deleted rows, even if it also returns an error.
func (a *App) deleteExpiredBatch(ctx context.Context, q store.ExpiredQuery, keys []string) (number int, err error) {
	for _, key := range keys {
		if _, err := a.deletePredictionBatches(ctx, a.expiredPredictions(ctx, q, key)); err != nil {
			return 0, err
		}
	}
	for len(keys) > 0 {
		var deleted, blobs, rest []string
		err := a.store.Write(ctx, func(t *store.Tx) (err error) {
			if deleted, blobs, rest, err = t.DeleteExpired(ctx, q, keys); err != nil {
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
			return number, err
		}
		for _, key := range deleted {
			a.queue.StopJobsOfDeleted(key)
		}
		a.files.Delete(ctx, blobs...)
		number, keys = number+len(deleted), rest
	}
	return number, nil
}

// expiredPredictions returns the deletion of the predictions of a row that [store.Tx.ListExpired] has
// returned for q.
func (a *App) expiredPredictions(ctx context.Context, q store.ExpiredQuery, key string) predictionDeletion {
	return predictionDeletion{
		root: q.Kind, key: key,
		check:   func(t *store.Tx, _ bool) (bool, error) { return t.IsExpired(ctx, q, key) },
		recheck: func(t *store.Tx, _ bool) (bool, error) { return t.IsStillExpired(ctx, q, key) },
		record:  func(t *store.Tx) error { return a.RecordServiceEvent(ctx, t, q.Kind+".expire", key) },
	}
}
