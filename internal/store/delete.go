package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"foretell/internal/api"
)

// cascade holds, for each kind of root, the conditions that select the rows that
// are deleted with it. Foreign keys cascade the deletion to other tables; blobs
// and queued jobs have no foreign keys and are selected by these conditions.
var cascade = map[string]struct{ table, datasets, trainings, models, predictions string }{
	"account":    {"account", "account = ?", "account = ?", "account = ?", "account = ?"},
	"dataset":    {"dataset", "key = ?", "dataset = ?", "dataset = ?", "dataset = ?"},
	"training":   {"training", "", "key = ? OR parent = ?", "training = ?", "model IN (SELECT key FROM model WHERE training = ?)"},
	"model":      {"model", "", "", "key = ?", "model = ?"},
	"prediction": {"prediction", "", "", "", "key = ?"},
}

// repeatKey returns the key once per placeholder of the query.
func repeatKey(query, key string) []any {
	args := make([]any, strings.Count(query, "?"))
	for i := range args {
		args[i] = key
	}
	return args
}

// blobsWhere returns the blobs of a root and its dependents.
func (t *Tx) blobsWhere(ctx context.Context, root, key string) ([]string, error) {
	tree := cascade[root]
	var parts []string
	for _, p := range []struct{ query, where string }{
		{"SELECT blob FROM dataset WHERE ", tree.datasets},
		{"SELECT blob FROM model WHERE ", tree.models},
		{"SELECT blind FROM prediction WHERE ", tree.predictions},
		{"SELECT result FROM prediction WHERE ", tree.predictions},
	} {
		if p.where != "" {
			parts = append(parts, p.query+p.where)
		}
	}
	query := strings.Join(parts, " UNION ALL ")
	return t.queryStrings(ctx, query, repeatKey(query, key)...)
}

// ActiveJob is an active job: on a "training job" or "prediction".
type ActiveJob struct{ Noun, Key, Status string }

// ActiveJob returns an active job that must end before the root can be deleted; nil
// if there is none. The preparation of a dataset does not prevent its deletion.
// The root is "dataset", "training", "model" or "prediction".
func (t *Tx) ActiveJob(ctx context.Context, root, key string) (*ActiveJob, error) {
	tree := cascade[root]
	var parts []string
	for _, p := range []struct{ query, where string }{
		{"SELECT 'training job', key, status FROM training WHERE parent IS NULL AND status IN ('" +
			api.TrainingPending + "', '" + api.TrainingRunning + "') AND ", tree.trainings},
		{"SELECT 'prediction', key, status FROM prediction WHERE status = '" + api.PredictionRunning + "' AND ", tree.predictions},
	} {
		if p.where != "" {
			parts = append(parts, p.query+"("+p.where+")")
		}
	}
	query := strings.Join(parts, " UNION ALL ") + " LIMIT 1"
	var a ActiveJob
	err := t.tx.QueryRowContext(ctx, query, repeatKey(query, key)...).Scan(&a.Noun, &a.Key, &a.Status)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &a, err
}

// deleteCascade deletes a root, its dependents and their queued jobs.
func (t *Tx) deleteCascade(ctx context.Context, root, key string) ([]string, error) {
	busy, err := t.ActiveJob(ctx, root, key)
	if err != nil {
		return nil, err
	}
	if busy != nil {
		return nil, ErrState
	}
	blobs, err := t.blobsWhere(ctx, root, key)
	if err != nil {
		return nil, err
	}
	tree := cascade[root]
	jobs := "DELETE FROM job WHERE subject = ? OR subject IN (SELECT key FROM prediction WHERE " + tree.predictions + ")"
	if err := t.exec(ctx, jobs, repeatKey(jobs, key)...); err != nil {
		return nil, err
	}
	return blobs, t.execRequired(ctx, ErrNotFound, "DELETE FROM "+tree.table+" WHERE key = ?", key)
}

// ListBlobs returns every blob that a row references.
func (t *Tx) ListBlobs(ctx context.Context) ([]string, error) {
	return t.queryStrings(ctx, `SELECT blob FROM dataset UNION ALL SELECT blob FROM model
		UNION ALL SELECT blind FROM prediction UNION ALL SELECT result FROM prediction`)
}
