package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"foretell/internal/api"
)

// expiries describes, by table, the rows that a service deletes when they were not used for long. A
// prediction counts as a use of its race and of its dataset, and a race as a use of its dataset.
// This also holds after the prediction or the race was deleted: the column used of races and
// datasets has the time of the last such use. A row with a queued or running job has not expired.
//
// The champion of a series is the model that programs use by the name of the series. The races and
// datasets on which a champion depends do not expire.
var expiries = map[string]struct {
	// series is the SQL expression of the series whose champion may depend on a row. Its value is
	// an empty text if no champion depends on the row.
	series string
	// changed is the column with the time of the last change of a row. order holds the columns by
	// which the rows are sorted: first the columns of an index, up to this column, and then the key.
	changed, order string
	// condition selects the rows that were last used before a time, which is the argument of all
	// placeholders. It does not exclude the rows on which a champion depends, nor those that
	// predictions use. predictions is the condition of the predictions p that use a row, or empty.
	condition, predictions string
}{
	"prediction": {
		series: "''", changed: "updated", order: "updated, key",
		condition: "updated < ? AND NOT " + activePrediction,
	},
	"training": {
		series: "(SELECT d.series FROM dataset d WHERE d.key = training.dataset)", changed: "finished", order: "parent, finished, key",
		condition:   "parent IS NULL AND created < ? AND finished < ? AND used < ? AND NOT " + activeTraining,
		predictions: "p.model = (SELECT m.key FROM model m WHERE m.training = training.key)",
	},
	"dataset": {
		series: "series", changed: "updated", order: "updated, key",
		condition: "updated < ? AND used < ? AND status <> '" + api.DatasetProcessing + `'
			AND NOT EXISTS (SELECT 1 FROM training r WHERE r.dataset = dataset.key AND (r.created >= ? OR r.finished >= ? OR r.used >= ? OR r.` + activeTraining + `))`,
		predictions: "p.dataset = dataset.key",
	},
}

// activeTraining and activePrediction are the SQL conditions for a queued or running training
// job or prediction. They begin with the name of a column, so that a table name and a dot can
// precede them.
const (
	activeTraining   = "status IN ('" + api.TrainingPending + "', '" + api.TrainingRunning + "')"
	activePrediction = "status IN ('" + api.PredictionPending + "', '" + api.PredictionRunning + "')"
)

// ExpiredQuery selects the rows of a kind that were last used before a time.
type ExpiredQuery struct {
	Kind   string // "prediction", "training" or "dataset"
	Before time.Time
	// After is the position after which rows are read, in the order of their last change. nil means
	// from the start.
	After *ExpiredPosition
	// Limit is the maximum number of rows that are read.
	Limit int
	// newestPrediction makes the query ignore all predictions that use a row, except the newest.
	newestPrediction bool
}

// ExpiredPosition is the position of a row among the rows of an [ExpiredQuery].
type ExpiredPosition struct {
	changed int64 // microseconds
	key     string
}

// sql returns the SQL query of the rows of q, and its arguments. Its columns are the fields of
// expiredRow. It does not exclude the rows on which a champion depends. If key is not empty, the
// query returns only the row with this key.
func (q ExpiredQuery) sql(key string) (query string, args []any, err error) {
	e, ok := expiries[q.Kind]
	if !ok {
		return "", nil, fmt.Errorf("unknown kind of row %q", q.Kind)
	}
	condition := e.condition
	switch {
	case e.predictions != "" && q.newestPrediction:
		condition += " AND NOT EXISTS (SELECT 1 FROM (SELECT p.updated, p.status FROM prediction p WHERE " + e.predictions +
			" ORDER BY p.created DESC, p.key DESC LIMIT 1) AS newest WHERE newest.updated >= ? OR newest." + activePrediction + ")"
	case e.predictions != "":
		condition += " AND NOT EXISTS (SELECT 1 FROM prediction p WHERE " + e.predictions + " AND (p.updated >= ? OR p." + activePrediction + "))"
	}
	query = "SELECT key, account, " + e.series + ", " + e.changed + " FROM " + q.Kind + " WHERE " + condition
	for range strings.Count(condition, "?") {
		args = append(args, toMicros(q.Before))
	}
	if key != "" {
		return query + " AND key = ?", append(args, key), nil
	}
	if q.After != nil {
		query += " AND " + e.changed + " >= ? AND (" + e.changed + " > ? OR key > ?)"
		args = append(args, q.After.changed, q.After.changed, q.After.key)
	}
	return query + " ORDER BY " + e.order + " LIMIT cast(? AS bigint)", append(args, q.Limit), nil
}

// expiredRow is a row that was last used before the time of an ExpiredQuery. series is empty if no
// champion depends on the row.
type expiredRow struct {
	key, account, series string
	changed              int64
}

// queryExpired returns the rows of q or, if key is not empty, only the row with this key. It does
// not exclude the rows on which a champion depends.
func (t *Tx) queryExpired(ctx context.Context, q ExpiredQuery, key string) ([]*expiredRow, error) {
	query, args, err := q.sql(key)
	if err != nil {
		return nil, err
	}
	rows, err := t.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, func(row rowScanner) (*expiredRow, error) {
		var r expiredRow
		return &r, row.Scan(&r.key, &r.account, &r.series, &r.changed)
	})
}

// ListExpired reads the first q.Limit rows of q and returns the keys of those that have expired:
// all except the rows on which a champion depends. next is the position of the last row that it
// has read, or nil if there are no more rows.
func (t *Tx) ListExpired(ctx context.Context, q ExpiredQuery) (keys []string, next *ExpiredPosition, err error) {
	rows, err := t.queryExpired(ctx, q, "")
	if err != nil {
		return nil, nil, err
	}
	champions := seriesChampions{}
	for _, r := range rows {
		kept, err := champions.dependOn(ctx, t, r)
		if err != nil {
			return nil, nil, err
		}
		if !kept {
			keys = append(keys, r.key)
		}
	}
	if len(rows) > 0 && len(rows) == q.Limit {
		last := rows[len(rows)-1]
		next = &ExpiredPosition{last.changed, last.key}
	}
	return keys, next, nil
}

// IsExpired reports whether a row that [Tx.ListExpired] has returned for q is still expired. It
// returns false if the row was used since.
func (t *Tx) IsExpired(ctx context.Context, q ExpiredQuery, key string) (bool, error) {
	rows, err := t.queryExpired(ctx, q, key)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	kept, err := seriesChampions{}.dependOn(ctx, t, rows[0])
	return !kept, err
}

// IsStillExpired is like IsExpired, but reads only the newest of the predictions that use the row.
// It is fast even if there are hundreds of thousands of them. It must be called soon after IsExpired
// has returned true: a prediction that has ended never changes, so only newer ones can be a use.
func (t *Tx) IsStillExpired(ctx context.Context, q ExpiredQuery, key string) (bool, error) {
	q.newestPrediction = true
	return t.IsExpired(ctx, q, key)
}

// maxExpiredBlobs is the number of deleted blobs after which [Tx.DeleteExpired] deletes no more
// rows. It limits how long other writers wait.
const maxExpiredBlobs = 50

// DeleteExpired deletes rows that [Tx.ListExpired] has returned for q, and the rows that depend on
// them. It keeps the rows that were used since. deleted are the keys of the deleted rows of the
// kind q.Kind. blobKeys are the keys of the blobs of all deleted rows. If there are many blobs,
// DeleteExpired stops early: rest are the keys that remain for another transaction.
func (t *Tx) DeleteExpired(ctx context.Context, q ExpiredQuery, keys []string) (deleted, blobKeys, rest []string, err error) {
	champions := seriesChampions{} // they stay the same, because no row on which they depend is deleted
	for i, key := range keys {
		if len(blobKeys) >= maxExpiredBlobs {
			return deleted, blobKeys, keys[i:], nil
		}
		rows, err := t.queryExpired(ctx, q, key)
		if err != nil {
			return nil, nil, nil, err
		}
		for _, r := range rows { // one, or none if it was used or deleted
			if kept, err := champions.dependOn(ctx, t, r); err != nil {
				return nil, nil, nil, err
			} else if kept {
				continue
			}
			blobs, err := t.deleteCascade(ctx, q.Kind, key)
			if err != nil {
				return nil, nil, nil, err
			}
			deleted, blobKeys = append(deleted, key), append(blobKeys, blobs...)
		}
	}
	return deleted, blobKeys, nil, nil
}

// seriesChampions caches the champions of series, by account and series.
type seriesChampions map[[2]string]champion

// dependOn reports whether the champion of the series of r depends on r.
func (s seriesChampions) dependOn(ctx context.Context, t *Tx, r *expiredRow) (bool, error) {
	if r.series == "" {
		return false, nil
	}
	name := [2]string{r.account, r.series}
	c, ok := s[name]
	if !ok {
		var err error
		if c, err = t.findChampion(ctx, r.account, r.series); err != nil {
			return false, err
		}
		s[name] = c
	}
	return c.dependsOn(r.key), nil
}
