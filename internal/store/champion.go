package store

import (
	"context"
	"database/sql"
	"errors"

	"foretell/internal/api"
)

// datasetContent is an SQL expression that identifies the rows of a dataset d. Datasets with the
// same file and the same number of buckets have the same value, because their models are trained
// and tested on the same rows.
const datasetContent = "CASE coalesce(d.sha256, '') WHEN '' THEN d.key ELSE d.sha256 || ' ' || d.buckets END"

// scoreKind is an SQL expression with the metric and the class weights of a race t. Scores can be
// compared only if both are the same. The weights matter, because they change the predicted classes.
const scoreKind = "t.metric || ' ' || t.class_weights"

// championSQL is the SQL query of the champion of a series. A prediction that names only the series
// uses its champion; see Model.Champion. The subquery newest returns the promoted model or, if no
// model was promoted, the newest complete model. The query compares this model only with models that
// have the same data, metric, class weights, group column and time column. The index model_champion
// has the columns of m that the query uses.
const championSQL = `WITH newest AS (
		SELECT d.account, d.series, m.dataset, m.training, ` + datasetContent + ` AS content, ` + scoreKind + ` AS score_kind, t.group_column, t.time_column
		FROM ` + modelFrom + `
		WHERE d.account = ? AND d.series = ? AND m.state <> '` + api.ModelRejected + `'
		ORDER BY m.state <> '` + api.ModelPromoted + `', t.status = '` + api.TrainingCancelled + `', m.series_version DESC
		LIMIT 1
	)
	SELECT m.key, m.training, m.dataset, newest.training, newest.dataset, newest.content, newest.score_kind, newest.group_column, newest.time_column, m.state, t.status
	FROM newest CROSS JOIN ` + modelFrom + `
	WHERE d.account = newest.account AND d.series = newest.series AND m.state <> '` + api.ModelRejected + `'
		AND ` + datasetContent + ` = newest.content AND ` + scoreKind + ` = newest.score_kind
		AND t.group_column = newest.group_column AND t.time_column = newest.time_column
	ORDER BY m.state <> '` + api.ModelPromoted + `', t.status = '` + api.TrainingCancelled + `',
		CASE WHEN m.state = '` + api.ModelAccepted + `' THEN m.series_version ELSE 0 END DESC, m.achieved IS NULL, m.achieved DESC, m.series_version
	LIMIT 1`

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

// champion is the champion of a series; see Model.Champion. It is zero if the series has no
// champion.
type champion struct {
	key, training, dataset string
	// newestTraining and newestDataset are the race and the dataset of the model in the subquery
	// newest of championSQL. That model may be the champion itself.
	newestTraining, newestDataset string
	// content and scoreKind are the values of the expressions datasetContent and scoreKind for that
	// model.
	content, scoreKind      string
	groupColumn, timeColumn string
	state, raceStatus       string
}

// findChampion returns the champion of a series; see Model.Champion.
func (t *Tx) findChampion(ctx context.Context, account, series string) (champion, error) {
	var c champion
	err := t.tx.QueryRowContext(ctx, championSQL, account, series).
		Scan(&c.key, &c.training, &c.dataset, &c.newestTraining, &c.newestDataset, &c.content, &c.scoreKind, &c.groupColumn, &c.timeColumn, &c.state, &c.raceStatus)
	if errors.Is(err, sql.ErrNoRows) {
		return champion{}, nil
	}
	return c, err
}

// dependsOn reports whether another model could become the champion if a race or dataset with this key
// were deleted.
func (c champion) dependsOn(key string) bool {
	return key == c.training || key == c.dataset || key == c.newestTraining || key == c.newestDataset
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
	case m.scoreKind != c.scoreKind:
		return api.ReasonOtherMetric
	case m.GroupColumn != c.groupColumn || m.TimeColumn != c.timeColumn:
		return api.ReasonOtherDivision
	}
	return api.ReasonNotBest
}
