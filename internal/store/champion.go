package store

import (
	"context"
	"database/sql"
	"errors"

	"foretell/internal/api"
)

// datasetContent is the SQL expression of a text that is equal for datasets d with the same file and
// the same number of buckets. Their models are trained and tested on the same rows.
const datasetContent = "CASE coalesce(d.sha256, '') WHEN '' THEN d.key ELSE d.sha256 || ' ' || d.buckets END"

// championSQL returns the SQL query of columns of the champion of a series; see Model.Champion. account
// and series are SQL expressions. newest is the promoted model or, if there is none, the newest complete
// model.
func championSQL(columns, account, series string) string {
	return `SELECT ` + columns + ` FROM (
		SELECT m.key, m.dataset, m.training, m.state, m.achieved, m.series_version, t.status, t.metric, ` + datasetContent + ` AS content,
			FIRST_VALUE(` + datasetContent + `) OVER newest AS newest_content, FIRST_VALUE(t.metric) OVER newest AS newest_metric
		FROM ` + modelFrom + `
		WHERE d.account = ` + account + ` AND d.series = ` + series + ` AND m.state <> '` + api.ModelRejected + `'
		WINDOW newest AS (ORDER BY m.state <> '` + api.ModelPromoted + `', t.status = '` + api.TrainingCancelled + `', m.series_version DESC)
	) c
	ORDER BY c.state <> '` + api.ModelPromoted + `', c.content <> c.newest_content, c.metric <> c.newest_metric, c.status = '` + api.TrainingCancelled + `',
		CASE WHEN c.state = '` + api.ModelAccepted + `' THEN c.series_version ELSE 0 END DESC, c.achieved IS NULL, c.achieved DESC, c.series_version
	LIMIT 1`
}

// setChampionFields sets the fields Champion and ChampionReason of each model. The models must
// belong to the same series.
func (t *Tx) setChampionFields(ctx context.Context, models ...*Model) error {
	if len(models) == 0 {
		return nil
	}
	c, err := t.findChampion(ctx, models[0].Account, models[0].Series)
	if err != nil {
		return err
	}
	for _, m := range models {
		m.Champion, m.ChampionReason = m.Key == c.key, c.reason(m)
	}
	return nil
}

// champion is the champion of a series. It is zero if the series has no champion.
type champion struct {
	key, content, metric, state, raceStatus string
}

// findChampion returns the champion of a series; see Model.Champion.
func (t *Tx) findChampion(ctx context.Context, account, series string) (champion, error) {
	var c champion
	err := t.tx.QueryRowContext(ctx, championSQL("c.key, c.content, c.metric, c.state, c.status", "?", "?"), account, series).
		Scan(&c.key, &c.content, &c.metric, &c.state, &c.raceStatus)
	if errors.Is(err, sql.ErrNoRows) {
		return champion{}, nil
	}
	return c, err
}

// reason returns the ChampionReason of a model of the series whose champion is c.
func (c champion) reason(m *Model) string {
	switch {
	case m.Key == c.key && m.State != "":
		return m.State
	case m.Key == c.key:
		return api.ReasonBest
	case m.State == api.ModelRejected:
		return api.ModelRejected
	case c.state == api.ModelPromoted:
		return api.ReasonAnotherPromoted
	case m.Cancelled && c.raceStatus != api.TrainingCancelled:
		return api.ReasonCancelled
	case m.content != c.content:
		return api.ReasonOtherDataset
	case m.Metric != c.metric:
		return api.ReasonOtherMetric
	}
	return api.ReasonNotBest
}
