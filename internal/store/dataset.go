package store

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"foretell/internal/api"
	"foretell/internal/store/database"
)

// Dataset is an uploaded CSV and the results of its preparation.
type Dataset struct {
	Key, Account string
	Name         string
	// Series is the name of the series that the dataset belongs to: versions of the same data over
	// time. It defaults to Name.
	Series      string
	Description *string
	Status      string
	Buckets     int
	// File is the CSV. It is the zero File before the upload, and if the dataset FAILED because of
	// a defect in the CSV. If the dataset FAILED because the stored file was damaged, File is kept.
	File
	// FileName is the name of the uploaded file, or "" if it is unknown.
	FileName string
	// FailureReason is empty unless the dataset FAILED.
	FailureReason string
	Rows          int64
	Columns       []api.Column
	Classes       []api.Class
	// Schema is the result of frame.Schema.EncodeStored. It is empty unless the dataset is COMPLETED.
	Schema           []byte
	Created, Updated time.Time
}

const (
	datasetColumns = datasetBaseColumns + ", d.columns, d.classes, d.schema"
	// datasetListColumns has empty values instead of three columns. Lists do not show these
	// columns, which may be a megabyte of JSON in each row.
	datasetListColumns = datasetBaseColumns + ", '', '', ''"
	datasetBaseColumns = `d.key, d.account, d.name, d.series, d.description, d.status, d.buckets, d.blob, d.bytes, coalesce(d.sha256, ''),
	d.file_name, d.reason, d.row_count, d.created, d.updated`
)

func scanDataset(row rowScanner) (*Dataset, error) {
	var d Dataset
	var columns, classes []byte
	var created, updated int64
	err := row.Scan(&d.Key, &d.Account, &d.Name, &d.Series, &d.Description, &d.Status, &d.Buckets, &d.Blob, &d.Bytes, &d.SHA256,
		&d.FileName, &d.FailureReason, &d.Rows, &created, &updated, &columns, &classes, &d.Schema)
	if err != nil {
		return nil, err
	}
	d.Created, d.Updated = fromMicros(created), fromMicros(updated)
	if len(columns) == 0 {
		return &d, nil
	}
	if err := json.Unmarshal(columns, &d.Columns); err != nil {
		return nil, err
	}
	return &d, json.Unmarshal(classes, &d.Classes)
}

// InsertDataset adds a dataset. It returns ErrExists if the account already has a
// dataset of this name.
func (t *Tx) InsertDataset(ctx context.Context, d *Dataset) error {
	d.Series = cmp.Or(d.Series, d.Name)
	err := t.exec(ctx, `INSERT INTO dataset (key, account, name, series, description, status, buckets, file_name, created, updated)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		d.Key, d.Account, d.Name, d.Series, d.Description, d.Status, d.Buckets, d.FileName, toMicros(d.Created), toMicros(d.Updated))
	if err != nil {
		return database.TranslateError(err)
	}
	return t.exec(ctx, "UPDATE account SET datasets = datasets + 1 WHERE key = ?", d.Account)
}

// GetDataset returns a dataset of the account. It returns ErrNotFound if the
// account has no such dataset.
func (t *Tx) GetDataset(ctx context.Context, account, key string) (*Dataset, error) {
	d, err := scanDataset(t.tx.QueryRowContext(ctx,
		"SELECT "+datasetColumns+" FROM dataset d WHERE d.key = ? AND d.account = ?", key, account))
	return d, database.TranslateError(err)
}

// HasDataset reports whether the account has a dataset with this key.
func (t *Tx) HasDataset(ctx context.Context, account, key string) (exists bool, err error) {
	err = t.tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM dataset WHERE key = ? AND account = ?)", key, account).Scan(&exists)
	return exists, err
}

// recountBatchSize is the number of accounts whose datasets RecountDatasets counts in one
// transaction. It is a variable so that tests can change it.
var recountBatchSize = 1000

// RecountDatasets corrects the stored number of datasets of each account. The number may be wrong,
// because processes of earlier versions create and delete datasets without updating it.
// RecountDatasets locks only the accounts whose number is wrong.
func (s *Store) RecountDatasets(ctx context.Context) error {
	const counted = "(SELECT count(*) FROM dataset WHERE dataset.account = account.key)"
	for last := ""; ; {
		first, wrong := last, []string(nil)
		err := s.Read(ctx, func(t *Tx) (err error) {
			row := t.tx.QueryRowContext(ctx, "SELECT coalesce(max(key), '') FROM (SELECT key FROM account WHERE key > ? ORDER BY key LIMIT ?) AS batch", first, recountBatchSize)
			if err := row.Scan(&last); err != nil {
				return err
			}
			wrong, err = t.queryNonEmptyStrings(ctx, "SELECT key FROM account WHERE key > ? AND key <= ? AND datasets <> "+counted, first, last)
			return err
		})
		if err != nil || last == "" {
			return err
		}
		for _, key := range wrong {
			err := s.Write(ctx, func(t *Tx) error { return t.exec(ctx, "UPDATE account SET datasets = "+counted+" WHERE key = ?", key) })
			if err != nil {
				return err
			}
		}
	}
}

// DatasetQuery filters the datasets of an account.
type DatasetQuery struct {
	Account string
	// State selects the datasets in this state. If it is empty, datasets in all states are
	// selected.
	State string
	// WithModel selects datasets that have a model, and WithPrediction datasets that have a prediction.
	WithModel, WithPrediction bool
	Page
}

// ListDatasets returns a page of datasets, newest first, and the number of datasets on
// all pages. It leaves Columns, Classes and Schema empty.
func (t *Tx) ListDatasets(ctx context.Context, q DatasetQuery) (datasets []*Dataset, total int64, err error) {
	list := listQuery{columns: datasetListColumns, from: "dataset d", table: "dataset d", key: "d.key", order: "d.created DESC, d.key DESC"}
	list.addCondition("d.account = ?", q.Account)
	if q.State == "" && !q.WithModel && !q.WithPrediction {
		list.total, list.totalArgs = "SELECT datasets FROM account WHERE key = ?", []any{q.Account}
	}
	if q.State != "" {
		list.addCondition("d.status = ?", q.State)
	}
	if q.WithModel {
		list.addCondition("d.key IN (SELECT m.dataset FROM model m WHERE m.account = ?)", q.Account)
	}
	if q.WithPrediction {
		list.addCondition("EXISTS (SELECT 1 FROM prediction p WHERE p.dataset = d.key)")
	}
	return listPage(ctx, t, list, q.Page, scanDataset)
}

// UpdateDataset writes the mutable columns of a dataset. It returns ErrWrongState if the
// stored status is not fromState, or if the dataset does not exist.
func (t *Tx) UpdateDataset(ctx context.Context, d *Dataset, fromState string) error {
	columns, err := json.Marshal(emptyInsteadOfNil(d.Columns))
	if err != nil {
		return err
	}
	classes, err := json.Marshal(emptyInsteadOfNil(d.Classes))
	if err != nil {
		return err
	}
	return t.execRequired(ctx, ErrWrongState, `UPDATE dataset SET status = ?, blob = ?, bytes = ?, sha256 = nullif(?, ''), reason = ?, row_count = ?,
		file_name = ?, columns = ?, classes = ?, schema = ?, updated = ? WHERE key = ? AND status = ?`,
		d.Status, d.Blob, d.Bytes, d.SHA256, d.FailureReason, d.Rows, d.FileName, string(columns), string(classes), string(d.Schema),
		toMicros(d.Updated), d.Key, fromState)
}

// DeleteDataset deletes a dataset with its training jobs, models, predictions
// and jobs. It returns the keys of the blobs that are no longer referenced. See also
// [Tx.ListActiveJobs].
func (t *Tx) DeleteDataset(ctx context.Context, account, key string) (blobKeys []string, err error) {
	d, err := t.GetDataset(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return t.deleteCascade(ctx, "dataset", d.Key)
}

// emptyInsteadOfNil returns list or, if list is nil, an empty slice. In JSON, a nil slice would
// be null.
func emptyInsteadOfNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
