package store

import (
	"context"
	"time"

	"foretell/internal/store/database"
)

// Prediction is a CSV to predict, called the blind CSV, and the result of predicting it with a
// model.
type Prediction struct {
	Key, Account, Dataset, Model string
	Status                       string
	// Blind is the CSV to predict. It is zero once the prediction has ended. Result is zero until
	// the prediction is COMPLETED.
	Blind, Result File
	// Input describes the uploaded CSV to predict. Unlike Blind, it is kept after the prediction
	// has ended. It is zero for predictions of earlier versions.
	Input InputFile
	// Rows is the number of rows predicted so far.
	Rows          int64
	FailureReason string
	// Reasons is the number of reasons that the result has for each predicted row. Each reason
	// is a column of the result.
	Reasons          int64
	Created, Updated time.Time
	// Threshold is the threshold of the race, or nil if the race had none. AchievedPerformance is
	// the performance of the model on validation rows, or nil if there were none. Both fields are
	// read-only.
	Threshold, AchievedPerformance *float64
}

// InputFile describes an uploaded file. Name is "" if it is unknown. SHA256 is in hex.
type InputFile struct {
	Name   string
	Bytes  int64
	SHA256 string
}

const (
	predictionColumns = `p.key, p.account, p.dataset, p.model, p.status,
	p.blind, coalesce(p.blind_bytes, 0), coalesce(p.blind_sha256, ''),
	p.result, coalesce(p.result_bytes, 0), coalesce(p.result_sha256, ''), p.row_count, p.reason, p.reasons,
	p.input_name, p.input_bytes, p.input_sha256,
	p.created, p.updated, t.threshold, m.achieved`
	predictionFrom = "prediction p JOIN model m ON m.key = p.model JOIN training t ON t.key = m.training"
)

func scanPrediction(row rowScanner) (*Prediction, error) {
	var p Prediction
	var created, updated int64
	err := row.Scan(&p.Key, &p.Account, &p.Dataset, &p.Model, &p.Status, &p.Blind.Blob, &p.Blind.Bytes, &p.Blind.SHA256,
		&p.Result.Blob, &p.Result.Bytes, &p.Result.SHA256, &p.Rows, &p.FailureReason, &p.Reasons,
		&p.Input.Name, &p.Input.Bytes, &p.Input.SHA256,
		&created, &updated, &p.Threshold, &p.AchievedPerformance)
	p.Created, p.Updated = fromMicros(created), fromMicros(updated)
	return &p, err
}

// InsertPrediction adds a prediction. It returns ErrNotFound if its model does
// not exist.
func (t *Tx) InsertPrediction(ctx context.Context, p *Prediction) error {
	return database.TranslateError(t.exec(ctx, `INSERT INTO prediction (key, account, dataset, model, status, blind, blind_bytes, blind_sha256, reasons, input_name, input_bytes, input_sha256, created, updated)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.Key, p.Account, p.Dataset, p.Model, p.Status, p.Blind.Blob, p.Blind.Bytes, p.Blind.SHA256, p.Reasons,
		p.Input.Name, p.Input.Bytes, p.Input.SHA256, toMicros(p.Created), toMicros(p.Updated)))
}

// GetPrediction returns a prediction of the account. It returns ErrNotFound if the account has no
// such prediction.
func (t *Tx) GetPrediction(ctx context.Context, account, key string) (*Prediction, error) {
	p, err := scanPrediction(t.tx.QueryRowContext(ctx,
		"SELECT "+predictionColumns+" FROM "+predictionFrom+" WHERE p.key = ? AND p.account = ?", key, account))
	return p, database.TranslateError(err)
}

// GetPredictionOfAnyAccount returns a prediction. It returns ErrNotFound if there is no such
// prediction. The caller must have checked that access is allowed, for example by a signed URL.
func (t *Tx) GetPredictionOfAnyAccount(ctx context.Context, key string) (*Prediction, error) {
	p, err := scanPrediction(t.tx.QueryRowContext(ctx, "SELECT "+predictionColumns+" FROM "+predictionFrom+" WHERE p.key = ?", key))
	return p, database.TranslateError(err)
}

// PredictionQuery selects the predictions made with a model, or with any model
// of a dataset. Exactly one of Model and Dataset must be set.
type PredictionQuery struct {
	Model, Dataset string
	Page
}

// ListPredictions returns a page of predictions, newest first, and the number of
// predictions on all pages.
func (t *Tx) ListPredictions(ctx context.Context, q PredictionQuery) (predictions []*Prediction, total int64, err error) {
	list := listQuery{columns: predictionColumns, from: predictionFrom, table: "prediction p", key: "p.key", order: "p.created DESC, p.key DESC"}
	if q.Model != "" {
		list.addCondition("p.model = ?", q.Model)
	}
	if q.Dataset != "" {
		list.addCondition("p.dataset = ?", q.Dataset)
	}
	return listPage(ctx, t, list, q.Page, scanPrediction)
}

// UpdatePrediction writes the mutable columns of a prediction. It returns
// ErrWrongState if the stored status is not fromState or the prediction does not
// exist.
func (t *Tx) UpdatePrediction(ctx context.Context, p *Prediction, fromState string) error {
	return t.execRequired(ctx, ErrWrongState, `UPDATE prediction SET status = ?, blind = ?, blind_bytes = ?, blind_sha256 = nullif(?, ''), result = ?,
		result_bytes = ?, result_sha256 = nullif(?, ''), row_count = ?, reason = ?, updated = ?
		WHERE key = ? AND status = ?`,
		p.Status, p.Blind.Blob, p.Blind.Bytes, p.Blind.SHA256, p.Result.Blob, p.Result.Bytes, p.Result.SHA256, p.Rows, p.FailureReason, toMicros(p.Updated), p.Key, fromState)
}

// GetPredictionDrift returns the report that [Tx.SetPredictionDrift] stored for a prediction of the
// account, or nil if none was stored. It returns ErrNotFound if the account has no such prediction.
func (t *Tx) GetPredictionDrift(ctx context.Context, account, key string) (drift []byte, err error) {
	err = t.tx.QueryRowContext(ctx, "SELECT drift FROM prediction WHERE key = ? AND account = ?", key, account).Scan(&drift)
	return drift, database.TranslateError(err)
}

// SetPredictionDrift stores a report that compares the predicted CSV with the training CSV. drift
// is an api.DriftReport in JSON.
func (t *Tx) SetPredictionDrift(ctx context.Context, key string, drift []byte) error {
	return t.exec(ctx, "UPDATE prediction SET drift = ? WHERE key = ?", string(drift), key)
}

// DeletePrediction deletes a prediction and its job. It returns the keys of its blobs. See also
// [Tx.ListActiveJobs].
func (t *Tx) DeletePrediction(ctx context.Context, account, key string) (blobKeys []string, err error) {
	p, err := t.GetPrediction(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return t.deleteCascade(ctx, "prediction", p.Key)
}
