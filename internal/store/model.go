package store

import (
	"context"
	"errors"
	"time"

	"foretell/internal/api"
	"foretell/internal/store/database"
)

// Model is the model that a race trained.
type Model struct {
	Key, Account, Dataset, Training string
	// Version is the number of the model in its dataset, and SeriesVersion its number in its
	// series, both from 1. InsertModel sets both fields.
	Version, SeriesVersion int
	Algorithm              string
	AchievedPerformance    *float64 // performance on validation rows; nil if there were none
	File
	// Report is an api.ModelReport as JSON, and Summary is the same report without its long parts.
	// InsertModel writes both. Other queries leave them nil, because a report may be a megabyte;
	// see GetModelReport.
	Report, Summary []byte
	Created         time.Time
	// State decides whether the model can be the champion of its series; see Champion. It is
	// api.ModelPromoted, api.ModelAccepted, api.ModelRejected or, if none of them was set, "". Only
	// SetModelState changes it.
	State string
	// Cancelled is true if the race of the model was cancelled, so the model is incomplete. It is
	// read-only.
	Cancelled bool
	// Champion is true if the model is the champion of its series: the model that predictions with
	// the name of the series use. The champion is the first of these:
	//
	//  1. the promoted model
	//  2. the newest accepted model
	//  3. the model with the highest AchievedPerformance, the oldest in a tie
	//
	// For 2 and 3, only models with the data, the metric, the class weights, the group column and
	// the time column of the newest model are considered. Datasets with the same file and the same
	// number of buckets have the same data. Cancelled models are considered only if all models of
	// the series are cancelled. Rejected models are never the champion.
	//
	// ChampionReason says why the model is the champion, or why it is not; see
	// [api.ModelExtensions]. Both fields are read-only.
	Champion       bool
	ChampionReason string
	// Series is the name of the dataset's series. Metric and Threshold are parameters of the race,
	// and TestPerformance is the performance of the model on test rows. Threshold is nil if the
	// race had none. TestPerformance is nil if it was not measured. These fields are read-only.
	Series, Metric             string
	Threshold, TestPerformance *float64
	// ClassWeights are the class weights of the model's race; zero for equal weights. The field is
	// read-only.
	ClassWeights api.ClassWeights
	// GroupColumn and TimeColumn are the columns of the model's race; see Training. The fields are
	// read-only.
	GroupColumn, TimeColumn string
	// ValidationInterval and TestInterval are the 95 % confidence intervals of
	// AchievedPerformance and TestPerformance. An interval is nil if it is unknown.
	ValidationInterval, TestInterval *api.Interval
	// content and scoreKind are the values of the SQL expressions datasetContent and scoreKind.
	content, scoreKind string
	// DecodeError wraps ErrCorrupt if an interval or ClassWeights cannot be decoded. The field is then zero.
	// DecodeError is read-only.
	DecodeError error
}

const (
	modelColumns = `m.key, m.account, m.dataset, m.training, m.version, m.series_version, m.algorithm, m.achieved,
	m.blob, coalesce(m.bytes, 0), coalesce(m.sha256, ''), m.created,
	d.series, t.metric, t.threshold, t.test, t.status, m.state, m.validation_interval, m.test_interval, t.class_weights, t.group_column, t.time_column, ` + datasetContent + `, ` + scoreKind
	modelFrom = "model m JOIN training t ON t.key = m.training JOIN dataset d ON d.key = m.dataset"
)

func scanModel(row rowScanner) (*Model, error) {
	var m Model
	var created int64
	var status string
	var validationInterval, testInterval, classWeights []byte
	err := row.Scan(&m.Key, &m.Account, &m.Dataset, &m.Training, &m.Version, &m.SeriesVersion, &m.Algorithm, &m.AchievedPerformance,
		&m.Blob, &m.Bytes, &m.SHA256, &created, &m.Series, &m.Metric, &m.Threshold, &m.TestPerformance, &status, &m.State,
		&validationInterval, &testInterval, &classWeights, &m.GroupColumn, &m.TimeColumn, &m.content, &m.scoreKind)
	if err != nil {
		return nil, err
	}
	m.Created, m.Cancelled = fromMicros(created), status == api.TrainingCancelled
	m.DecodeError = errors.Join(
		decodeOptional(validationInterval, &m.ValidationInterval, "validation_interval", "model", m.Key),
		decodeOptional(testInterval, &m.TestInterval, "test_interval", "model", m.Key),
		decodeOptional(classWeights, &m.ClassWeights, "class_weights", "training job", m.Training),
	)
	return &m, nil
}

// InsertModel adds a model and sets its Version, SeriesVersion and Series.
func (t *Tx) InsertModel(ctx context.Context, m *Model) error {
	validationInterval, err := encodeOptional(m.ValidationInterval, m.ValidationInterval == nil)
	if err != nil {
		return err
	}
	testInterval, err := encodeOptional(m.TestInterval, m.TestInterval == nil)
	if err != nil {
		return err
	}
	row := t.tx.QueryRowContext(ctx, "UPDATE dataset SET versions = versions + 1 WHERE key = ? RETURNING versions, account, series", m.Dataset)
	var account string
	if err := row.Scan(&m.Version, &account, &m.Series); err != nil {
		return database.TranslateError(err)
	}
	row = t.tx.QueryRowContext(ctx, `INSERT INTO series (account, name, versions) VALUES (?, ?, 1)
		ON CONFLICT (account, name) DO UPDATE SET versions = series.versions + 1 RETURNING versions`, account, m.Series)
	if err := row.Scan(&m.SeriesVersion); err != nil {
		return database.TranslateError(err)
	}
	return database.TranslateError(t.exec(ctx, `INSERT INTO model (key, account, dataset, training, version, series_version, algorithm, achieved, blob, bytes, sha256, report, summary, validation_interval, test_interval, created)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.Key, m.Account, m.Dataset, m.Training, m.Version, m.SeriesVersion, m.Algorithm, m.AchievedPerformance,
		m.Blob, m.Bytes, m.SHA256, string(m.Report), string(m.Summary), validationInterval, testInterval, toMicros(m.Created)))
}

// GetModel returns a model of the account. It returns ErrNotFound if the account
// has no such model.
func (t *Tx) GetModel(ctx context.Context, account, key string) (*Model, error) {
	m, err := scanModel(t.tx.QueryRowContext(ctx,
		"SELECT "+modelColumns+" FROM "+modelFrom+" WHERE m.key = ? AND m.account = ?", key, account))
	if err != nil {
		return nil, database.TranslateError(err)
	}
	return m, t.setChampionFields(ctx, m)
}

// GetModelReport returns the report of a model of the account as JSON. If summary is true, it
// returns the report without its long parts, except for a model of an early version, which has no
// summary. It returns ErrNotFound if the account has no such model.
func (t *Tx) GetModelReport(ctx context.Context, account, key string, summary bool) (report []byte, err error) {
	column := "report"
	if summary {
		column = "CASE WHEN summary = '' THEN report ELSE summary END"
	}
	err = t.tx.QueryRowContext(ctx, "SELECT "+column+" FROM model WHERE key = ? AND account = ?", key, account).Scan(&report)
	return report, database.TranslateError(err)
}

// ListModels returns a page of the models of a dataset, newest first, and the number of
// models on all pages.
func (t *Tx) ListModels(ctx context.Context, dataset string, page Page) (models []*Model, total int64, err error) {
	q := listQuery{columns: modelColumns, from: modelFrom, table: "model m", key: "m.key", order: "m.version DESC"}
	q.addCondition("m.dataset = ?", dataset)
	models, total, err = listPage(ctx, t, q, page, scanModel)
	if err != nil {
		return nil, 0, err
	}
	return models, total, t.setChampionFields(ctx, models...)
}

// SetModelState sets the State of m. If a model is promoted, no other model of its series remains
// promoted. A model that was ever rejected can only be promoted: for any other state, SetModelState
// sets api.ModelRejected.
func (t *Tx) SetModelState(ctx context.Context, m *Model, state string) error {
	switch state {
	case api.ModelPromoted:
		err := t.exec(ctx, `UPDATE model SET state = CASE rejected WHEN 1 THEN ? ELSE '' END
			WHERE state = ? AND dataset IN (SELECT key FROM dataset WHERE account = ? AND series = ?)`,
			api.ModelRejected, api.ModelPromoted, m.Account, m.Series)
		if err != nil {
			return err
		}
		// A service of an earlier version sets only the state.
		return t.execRequired(ctx, ErrNotFound, "UPDATE model SET rejected = CASE state WHEN ? THEN 1 ELSE rejected END, state = ? WHERE key = ?",
			api.ModelRejected, state, m.Key)
	case api.ModelRejected:
		return t.execRequired(ctx, ErrNotFound, "UPDATE model SET state = ?, rejected = 1 WHERE key = ?", state, m.Key)
	}
	return t.execRequired(ctx, ErrNotFound, "UPDATE model SET state = CASE rejected WHEN 1 THEN ? ELSE ? END WHERE key = ?",
		api.ModelRejected, state, m.Key)
}

// DeleteModel deletes a model with its predictions and their jobs. It returns the keys of the blobs
// that are no longer referenced. See also [Tx.ListActiveJobs].
func (t *Tx) DeleteModel(ctx context.Context, account, key string) (blobKeys []string, err error) {
	m, err := t.GetModel(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return t.deleteCascade(ctx, "model", m.Key)
}
