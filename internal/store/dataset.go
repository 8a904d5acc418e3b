package store

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"foretell/internal/api"
)

// Dataset is an uploaded CSV and the results of its preparation.
type Dataset struct {
	Key, Account string
	Name         string
	// Series is the name that the dataset shares with others. InsertDataset
	// defaults it to Name.
	Series      string
	Description *string
	Status      string
	Buckets     int
	// File is the CSV once uploaded. It is zero if the dataset FAILED because of
	// its content, but not if it FAILED because the file was damaged.
	File
	// Reason is why it FAILED.
	Reason  string
	Rows    int64
	Columns []api.Column
	Classes []api.Class
	// Schema is a frame.Schema as JSON, once COMPLETED.
	Schema           []byte
	Created, Updated time.Time
}

const (
	datasetColumns = datasetEntry + ", d.columns, d.classes, d.schema"
	// datasetEntryColumns omit what lists do not show, which may be a megabyte of
	// JSON per row.
	datasetEntryColumns = datasetEntry + ", '[]', '[]', ''"
	datasetEntry        = `d.key, d.account, d.name, d.series, d.description, d.status, d.buckets, d.blob, d.bytes, coalesce(d.sha256, ''),
	d.reason, d.row_count, d.created, d.updated`
)

func scanDataset(row scanner) (*Dataset, error) {
	var d Dataset
	var columns, classes []byte
	var created, updated int64
	err := row.Scan(&d.Key, &d.Account, &d.Name, &d.Series, &d.Description, &d.Status, &d.Buckets, &d.Blob, &d.Bytes, &d.SHA256,
		&d.Reason, &d.Rows, &created, &updated, &columns, &classes, &d.Schema)
	if err != nil {
		return nil, err
	}
	d.Created, d.Updated = fromMicros(created), fromMicros(updated)
	if err := json.Unmarshal(columns, &d.Columns); err != nil {
		return nil, err
	}
	return &d, json.Unmarshal(classes, &d.Classes)
}

// InsertDataset adds a dataset. It returns ErrTaken if the account has one of
// that name.
func (t *Tx) InsertDataset(ctx context.Context, d *Dataset) error {
	d.Series = cmp.Or(d.Series, d.Name)
	return translateError(t.exec(ctx, `INSERT INTO dataset (key, account, name, series, description, status, buckets, created, updated)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		d.Key, d.Account, d.Name, d.Series, d.Description, d.Status, d.Buckets, micros(d.Created), micros(d.Updated)))
}

// GetDataset returns a dataset of the account.
func (t *Tx) GetDataset(ctx context.Context, account, key string) (*Dataset, error) {
	d, err := scanDataset(t.tx.QueryRowContext(ctx,
		"SELECT "+datasetColumns+" FROM dataset d WHERE d.key = ? AND d.account = ?", key, account))
	return d, translateError(err)
}

// DatasetQuery filters the datasets of an account.
type DatasetQuery struct {
	Account string
	// State selects datasets in that state; empty selects all.
	State string
	// WithModel selects datasets that have a model.
	WithModel bool
	Page
}

// ListDatasets returns a page of datasets, newest first, and their total
// number. Columns, Classes and Schema are left empty.
func (t *Tx) ListDatasets(ctx context.Context, q DatasetQuery) ([]*Dataset, int64, error) {
	s := listQuery{columns: datasetEntryColumns, from: "dataset d", order: "d.created DESC, d.key DESC"}
	s.and("d.account = ?", q.Account)
	if q.State != "" {
		s.and("d.status = ?", q.State)
	}
	if q.WithModel {
		s.and("EXISTS (SELECT 1 FROM model m WHERE m.dataset = d.key)")
	}
	return listPage(ctx, t, s, q.Page, scanDataset)
}

// UpdateDataset writes the mutable columns of a dataset if it is in state from.
// It returns ErrState if it is in another state or does not exist.
func (t *Tx) UpdateDataset(ctx context.Context, d *Dataset, from string) error {
	columns, err := json.Marshal(nonNil(d.Columns))
	if err != nil {
		return err
	}
	classes, err := json.Marshal(nonNil(d.Classes))
	if err != nil {
		return err
	}
	return t.execRequired(ctx, ErrState, `UPDATE dataset SET status = ?, blob = ?, bytes = ?, sha256 = nullif(?, ''), reason = ?, row_count = ?,
		columns = ?, classes = ?, schema = ?, updated = ? WHERE key = ? AND status = ?`,
		d.Status, d.Blob, d.Bytes, d.SHA256, d.Reason, d.Rows, string(columns), string(classes), string(d.Schema),
		micros(d.Updated), d.Key, from)
}

// DeleteDataset deletes a dataset with its training jobs, models, predictions
// and queued jobs, and returns the blobs that are no longer referenced. It
// returns ErrState while a job on any of them is active; see [Tx.ActiveJob].
func (t *Tx) DeleteDataset(ctx context.Context, account, key string) ([]string, error) {
	d, err := t.GetDataset(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return t.deleteCascade(ctx, "dataset", d.Key)
}

// nonNil returns an empty list for a nil one, because JSON distinguishes them.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
