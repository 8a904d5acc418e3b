package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"foretell/internal/api"
)

// expiredConditions maps each kind of row that a service deletes because of its age to an SQL
// condition. The condition selects the rows that were last used before a time, which is the
// argument of all placeholders. A prediction counts as a use of its race and of its dataset,
// and a race as a use of its dataset. A row with a queued or running job has not expired.
var expiredConditions = map[string]string{
	"prediction": "updated < ? AND NOT " + activePrediction,
	"training": "parent IS NULL AND created < ? AND finished < ? AND NOT " + activeTraining + `
		AND NOT EXISTS (SELECT 1 FROM model m JOIN prediction p ON p.model = m.key WHERE m.training = training.key AND (p.updated >= ? OR p.` + activePrediction + "))",
	"dataset": "updated < ? AND status <> '" + api.DatasetProcessing + `'
		AND NOT EXISTS (SELECT 1 FROM training r WHERE r.dataset = dataset.key AND (r.created >= ? OR r.finished >= ? OR r.` + activeTraining + `))
		AND NOT EXISTS (SELECT 1 FROM prediction p WHERE p.dataset = dataset.key AND (p.updated >= ? OR p.` + activePrediction + "))",
}

// activeTraining and activePrediction are the SQL conditions for a queued or running training
// job or prediction. They begin with the name of a column, so that a table name and a dot can
// precede them.
const (
	activeTraining   = "status IN ('" + api.TrainingPending + "', '" + api.TrainingRunning + "')"
	activePrediction = "status IN ('" + api.PredictionPending + "', '" + api.PredictionRunning + "')"
)

// ListExpired returns the keys of at most limit rows that were last used before the given time.
// kind is "prediction", "training" or "dataset".
func (t *Tx) ListExpired(ctx context.Context, kind string, before time.Time, limit int64) ([]string, error) {
	condition, ok := expiredConditions[kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind of row %q", kind)
	}
	return t.queryNonEmptyStrings(ctx, "SELECT key FROM "+kind+" WHERE "+condition+" LIMIT ?", append(repeatTimeArgs(condition, before), limit)...)
}

// DeleteExpired deletes a row that [Tx.ListExpired] has returned, with the rows that depend on it,
// and returns the keys of their blobs. It returns ErrWrongState if the row was used since it was
// listed.
func (t *Tx) DeleteExpired(ctx context.Context, kind, key string, before time.Time) (blobKeys []string, err error) {
	condition, ok := expiredConditions[kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind of row %q", kind)
	}
	var expired bool
	query := "SELECT EXISTS (SELECT 1 FROM " + kind + " WHERE key = ? AND " + condition + ")"
	if err := t.tx.QueryRowContext(ctx, query, append([]any{key}, repeatTimeArgs(condition, before)...)...).Scan(&expired); err != nil {
		return nil, err
	}
	if !expired {
		return nil, ErrWrongState
	}
	return t.deleteCascade(ctx, kind, key)
}

// repeatTimeArgs returns the arguments of a condition in which every placeholder stands for the
// time at.
func repeatTimeArgs(condition string, at time.Time) []any {
	args := make([]any, strings.Count(condition, "?"))
	for i := range args {
		args[i] = toMicros(at)
	}
	return args
}

// CountAuditEventsBefore returns the number of events before a time. It stops counting at
// limit.
func (t *Tx) CountAuditEventsBefore(ctx context.Context, before time.Time, limit int64) (n int64, err error) {
	err = t.tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM audit_event WHERE time < ? LIMIT ?) AS expired", toMicros(before), limit).Scan(&n)
	return n, err
}

// DeleteAuditEventsBefore deletes the oldest events before a time, but at most limit events. It
// returns an error unless an event allows this; see AuditEvent.ExpiresBefore.
func (t *Tx) DeleteAuditEventsBefore(ctx context.Context, before time.Time, limit int64) error {
	return t.exec(ctx, "DELETE FROM audit_event WHERE key IN (SELECT key FROM audit_event WHERE time < ? ORDER BY time LIMIT ?)", toMicros(before), limit)
}
