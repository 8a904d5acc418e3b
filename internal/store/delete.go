package store

import (
	"context"
	"strings"

	"foretell/internal/api"
)

// cascades describes, for each kind of row that can be deleted, which other rows are deleted with
// it. The database itself deletes these dependent rows, because of their foreign keys. The
// conditions serve to find the blobs and queued jobs of the rows beforehand.
//
// table is the table of the row. Each other field is named after a table, and is the SQL condition
// of the dependent rows in that table. An empty condition means that there are no such rows.
var cascades = map[string]struct{ table, datasets, trainings, models, predictions string }{
	"account":    {"account", "account = ?", "account = ?", "account = ?", "account = ?"},
	"dataset":    {"dataset", "key = ?", "dataset = ?", "dataset = ?", "dataset = ?"},
	"training":   {"training", "", "key = ? OR parent = ?", "training = ?", "model IN (SELECT key FROM model WHERE training = ?)"},
	"model":      {"model", "", "", "key = ?", "model = ?"},
	"prediction": {"prediction", "", "", "", "key = ?"},
}

// repeatKeyArgs returns the arguments of a query in which every placeholder stands for key.
func repeatKeyArgs(query, key string) []any {
	args := make([]any, strings.Count(query, "?"))
	for i := range args {
		args[i] = key
	}
	return args
}

// listCascadeBlobs returns the keys of the blobs of a row and of all rows that are deleted with it.
// root is the kind of the row, such as "dataset"; see cascades.
func (t *Tx) listCascadeBlobs(ctx context.Context, root, key string) (blobKeys []string, err error) {
	conditions := cascades[root]
	var parts []string
	for _, p := range []struct{ query, where string }{
		{"SELECT blob FROM dataset WHERE ", conditions.datasets},
		{"SELECT blob FROM model WHERE ", conditions.models},
		{"SELECT blind FROM prediction WHERE ", conditions.predictions},
		{"SELECT result FROM prediction WHERE ", conditions.predictions},
	} {
		if p.where != "" {
			parts = append(parts, p.query+p.where)
		}
	}
	if conditions.trainings != "" {
		parts = append(parts, "SELECT blob FROM part WHERE training IN (SELECT key FROM training WHERE "+conditions.trainings+")")
	}
	query := strings.Join(parts, " UNION ALL ")
	return t.queryNonEmptyStrings(ctx, query, repeatKeyArgs(query, key)...)
}

// ActiveJob is a race or prediction that may prevent the deletion of a row. Resource is "training" or
// "prediction". Status is the stored status.
type ActiveJob struct{ Resource, Key, Status string }

// ListActiveJobs returns the jobs that need the row with this key: the races that are PENDING or
// RUNNING, and the RUNNING predictions that a process has leased. root is the kind of the row:
// "dataset", "training", "model" or "prediction". account is the key of the account that owns it.
func (t *Tx) ListActiveJobs(ctx context.Context, root, account, key string) ([]*ActiveJob, error) {
	query, args := activeJobsQuery(root, account, key)
	rows, err := t.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, func(row rowScanner) (*ActiveJob, error) {
		var a ActiveJob
		return &a, row.Scan(&a.Resource, &a.Key, &a.Status)
	})
}

// activeJobsQuery returns the SQL query of [Tx.ListActiveJobs], and its arguments. It reads the
// leases instead of all predictions of the row, which may be hundreds of thousands. For SQLite, the
// CROSS JOIN has this effect; see largeRacesSQL.
func activeJobsQuery(root, account, key string) (query string, args []any) {
	conditions := cascades[root]
	query = "SELECT 'prediction', prediction.key, prediction.status FROM (SELECT subject FROM job WHERE owner <> '') AS leased CROSS JOIN prediction" +
		" WHERE prediction.key = leased.subject AND status = '" + api.PredictionRunning + "' AND (" + conditions.predictions + ") AND account = ?"
	args = append(repeatKeyArgs(conditions.predictions, key), account)
	if conditions.trainings != "" {
		query += " UNION ALL SELECT 'training', key, status FROM training WHERE parent IS NULL AND " + activeTraining + " AND (" + conditions.trainings + ") AND account = ?"
		args = append(append(args, repeatKeyArgs(conditions.trainings, key)...), account)
	}
	return query, args
}

// deleteCascade deletes a row, the rows that depend on it and their jobs, even if a process runs
// one of these jobs. It returns the keys of their blobs. The times at which the deleted rows used
// other rows remain; see recordPredictionTimes.
func (t *Tx) deleteCascade(ctx context.Context, root, key string) (blobKeys []string, err error) {
	conditions := cascades[root]
	switch root {
	case "prediction", "model", "training":
		if err := t.recordPredictionTimes(ctx, conditions.predictions, repeatKeyArgs(conditions.predictions, key)...); err != nil {
			return nil, err
		}
	}
	if root == "training" {
		if err := t.recordRaceTime(ctx, key); err != nil {
			return nil, err
		}
	}
	blobKeys, err = t.listCascadeBlobs(ctx, root, key)
	if err != nil {
		return nil, err
	}
	jobs := "DELETE FROM job WHERE subject = ? OR subject IN (SELECT key FROM prediction WHERE " + conditions.predictions + ")"
	if conditions.trainings != "" {
		jobs += " OR subject IN (SELECT key FROM training WHERE " + conditions.trainings + ")"
	}
	if err := t.exec(ctx, jobs, repeatKeyArgs(jobs, key)...); err != nil {
		return nil, err
	}
	if root == "dataset" {
		if err := t.exec(ctx, "UPDATE account SET datasets = datasets - 1 WHERE key = (SELECT account FROM dataset WHERE key = ?)", key); err != nil {
			return nil, err
		}
	}
	return blobKeys, t.execRequired(ctx, ErrNotFound, "DELETE FROM "+conditions.table+" WHERE key = ?", key)
}

// HasPredictionBatch reports whether [Tx.DeletePredictionBatch] would delete predictions if it were
// called with the same arguments.
func (t *Tx) HasPredictionBatch(ctx context.Context, root, account, key string, limit int) (bool, error) {
	keys, err := t.listPredictionBatch(ctx, root, account, key, limit)
	return len(keys) == limit, err
}

// listPredictionBatch returns the keys of the predictions for [Tx.DeletePredictionBatch]. limit is
// the largest number of keys.
func (t *Tx) listPredictionBatch(ctx context.Context, root, account, key string, limit int) ([]string, error) {
	query := "SELECT key FROM prediction WHERE (" + cascades[root].predictions + ") AND key NOT IN (SELECT subject FROM job WHERE owner <> '')"
	args := repeatKeyArgs(query, key)
	if account != "" {
		query, args = query+" AND account = ?", append(args, account)
	}
	return t.queryNonEmptyStrings(ctx, query+" LIMIT cast(? AS bigint)", append(args, limit)...)
}

// DeletePredictionBatch deletes predictions of a row and their jobs, and returns the keys of their
// blobs. limit is the number of predictions that it deletes. It is called repeatedly before a row
// with many predictions is deleted, so that each transaction is short. It deletes only predictions
// that have ended or are queued, and no predictions that a process has leased. If there are fewer
// such predictions than limit, it deletes none and returns nil, because they are deleted together
// with the row. root is the kind of the row: "account", "dataset", "training"
// or "model". If account is not empty, only predictions of this account are deleted.
func (t *Tx) DeletePredictionBatch(ctx context.Context, root, account, key string, limit int) (blobKeys []string, err error) {
	keys, err := t.listPredictionBatch(ctx, root, account, key, limit)
	if err != nil || len(keys) < limit {
		return nil, err
	}
	list := " IN " + placeholderList(len(keys))
	where := " FROM prediction WHERE key" + list
	args := make([]any, 0, 2*limit)
	for _, key := range keys {
		args = append(args, key)
	}
	if err := t.recordPredictionTimes(ctx, "key"+list, args...); err != nil {
		return nil, err
	}
	blobKeys, err = t.queryNonEmptyStrings(ctx, "SELECT blind"+where+" UNION ALL SELECT result"+where, append(args, args...)...)
	if err != nil {
		return nil, err
	}
	if err := t.exec(ctx, "DELETE FROM job WHERE subject"+list, args...); err != nil {
		return nil, err
	}
	return append([]string{}, blobKeys...), t.exec(ctx, "DELETE"+where, args...)
}

const referencedBlobs = `SELECT blob FROM dataset UNION ALL SELECT blob FROM model
	UNION ALL SELECT blind FROM prediction UNION ALL SELECT result FROM prediction UNION ALL SELECT blob FROM part`

// ListBlobKeys returns the keys of all blobs that rows reference.
func (t *Tx) ListBlobKeys(ctx context.Context) ([]string, error) {
	return t.queryNonEmptyStrings(ctx, referencedBlobs)
}

// GetAnyBlobKey returns the key of one blob that a row references. It returns "" if no row
// references a blob.
func (t *Tx) GetAnyBlobKey(ctx context.Context) (string, error) {
	keys, err := t.queryNonEmptyStrings(ctx, "SELECT blob FROM ("+referencedBlobs+") AS referenced WHERE blob <> '' LIMIT 1")
	if len(keys) == 0 {
		return "", err
	}
	return keys[0], err
}

// ListBlobKeysBetween returns the keys between first and last, both inclusive, of the blobs that
// rows reference. Keys are compared by their bytes.
func (t *Tx) ListBlobKeysBetween(ctx context.Context, first, last string) ([]string, error) {
	name := "blob" + t.dialect.byteOrderCollation
	return t.queryNonEmptyStrings(ctx, "SELECT blob FROM ("+referencedBlobs+") AS referenced WHERE "+name+" >= ? AND "+name+" <= ?", first, last)
}
