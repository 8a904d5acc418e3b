package store

import (
	"context"
	"database/sql"
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
	// InsertModel writes them. Only GetModelReport reads them, because a report may be a megabyte
	// of JSON.
	Report, Summary []byte
	Created         time.Time
	// Champion is true if the model has the highest AchievedPerformance of its series. Models whose
	// metric or table schema (see [api.TableSchema]) differs from that of the newest model are
	// ignored. If several models have the highest performance, the oldest is the champion. Champion
	// is read-only.
	Champion bool
	// Series is the name of the dataset's series. Metric and Threshold are parameters of the race,
	// and TestPerformance is the performance of the model on test rows. Threshold is nil if the
	// race had none. TestPerformance is nil if it was not measured. These fields are read-only.
	Series, Metric             string
	Threshold, TestPerformance *float64
	// ValidationInterval and TestInterval are the 95 % confidence intervals of
	// AchievedPerformance and TestPerformance. An interval is nil if it is unknown.
	ValidationInterval, TestInterval *api.Interval
	// DecodeError wraps ErrCorrupt if an interval cannot be decoded. The interval is then nil.
	// DecodeError is read-only.
	DecodeError error
}

const (
	modelColumns = `m.key, m.account, m.dataset, m.training, m.version, m.series_version, m.algorithm, m.achieved,
	m.blob, coalesce(m.bytes, 0), coalesce(m.sha256, ''), m.created,
	d.series, t.metric, t.threshold, t.test, m.validation_interval, m.test_interval`
	modelFrom = "model m JOIN training t ON t.key = m.training JOIN dataset d ON d.key = m.dataset"
)

func scanModel(row rowScanner) (*Model, error) {
	var m Model
	var created int64
	var validationInterval, testInterval []byte
	err := row.Scan(&m.Key, &m.Account, &m.Dataset, &m.Training, &m.Version, &m.SeriesVersion, &m.Algorithm, &m.AchievedPerformance,
		&m.Blob, &m.Bytes, &m.SHA256, &created, &m.Series, &m.Metric, &m.Threshold, &m.TestPerformance,
		&validationInterval, &testInterval)
	if err != nil {
		return nil, err
	}
	m.Created = fromMicros(created)
	m.DecodeError = errors.Join(
		decodeOptional(validationInterval, &m.ValidationInterval, "validation_interval", "model", m.Key),
		decodeOptional(testInterval, &m.TestInterval, "test_interval", "model", m.Key),
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
// returns the summary instead, unless an earlier version stored the model without a summary. It
// returns ErrNotFound if the account has no such model.
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

// setChampionFields sets the field Champion of each model. The models must belong to the
// same series.
func (t *Tx) setChampionFields(ctx context.Context, models ...*Model) error {
	if len(models) == 0 {
		return nil
	}
	champion, err := t.findChampion(ctx, models[0].Account, models[0].Series)
	for _, m := range models {
		m.Champion = err == nil && m.Key == champion
	}
	return err
}

// findChampion returns the key of the champion of a series (see Model.Champion), or "" if the series
// has no model. It reads the columns of datasets only if the best model and the newest model have
// different datasets.
func (t *Tx) findChampion(ctx context.Context, account, series string) (champion string, err error) {
	const ofSeries = " FROM " + modelFrom + " WHERE d.account = ? AND d.series = ?"
	var newest, metric string
	err = t.tx.QueryRowContext(ctx, "SELECT m.dataset, t.metric"+ofSeries+" ORDER BY m.series_version DESC LIMIT 1", account, series).Scan(&newest, &metric)
	best, args := "SELECT m.key, m.dataset"+ofSeries+" AND t.metric = ?", []any{account, series, metric}
	for err == nil {
		var dataset string
		err = t.tx.QueryRowContext(ctx, best+" ORDER BY m.achieved IS NULL, m.achieved DESC, m.series_version LIMIT 1", args...).Scan(&champion, &dataset)
		if err != nil || dataset == newest {
			break
		}
		same, err := t.haveSameSchema(ctx, dataset, newest)
		if err != nil || same {
			return champion, err
		}
		best, args = best+" AND m.dataset <> ?", append(args, dataset)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return champion, err
}

// haveSameSchema reports whether two datasets have the same label, columns and classes.
func (t *Tx) haveSameSchema(ctx context.Context, a, b string) (bool, error) {
	first, err := t.getTableSchema(ctx, a)
	if err != nil {
		return false, err
	}
	second, err := t.getTableSchema(ctx, b)
	return first.Matches(second), err
}

// DeleteModel deletes a model with its predictions. It returns the keys of the
// blobs that are no longer referenced, or ErrWrongState while one of the
// predictions is RUNNING.
func (t *Tx) DeleteModel(ctx context.Context, account, key string) (blobKeys []string, err error) {
	m, err := t.GetModel(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return t.deleteCascade(ctx, "model", m.Key)
}
