package store

import "context"

// A prediction is a use of its race and of its dataset, and a race is a use of its dataset; see
// expiries. When such a row is deleted, the time of the use would be lost. The functions in this
// file copy it to the column used: from predictions to the race of their model, and from a race to
// its dataset.

// recordPredictionTimes copies the time of the last change of predictions to their races. It must be
// called before the predictions are deleted. condition selects them, and args are its arguments.
func (t *Tx) recordPredictionTimes(ctx context.Context, condition string, args ...any) error {
	return t.exec(ctx, `UPDATE training SET used = uses.at
		FROM (SELECT (SELECT m.training FROM model m WHERE m.key = prediction.model) AS race, max(updated) AS at FROM prediction WHERE `+condition+` GROUP BY model) AS uses
		WHERE training.key = uses.race AND training.used < uses.at`, args...)
}

// recordRaceTime copies the time at which a race was created, ended or last used, whichever is
// latest, to its dataset. It must be called before the race is deleted.
func (t *Tx) recordRaceTime(ctx context.Context, race string) error {
	return t.exec(ctx, `UPDATE dataset SET used = uses.at
		FROM (SELECT dataset, max(CASE WHEN used > created AND used > finished THEN used WHEN finished > created THEN finished ELSE created END) AS at
			FROM training WHERE key = ? GROUP BY dataset) AS uses
		WHERE dataset.key = uses.dataset AND dataset.used < uses.at`, race)
}
