package store

import (
	"context"
	"time"
)

// Model is what a race has learnt.
type Model struct {
	Key, Account, Dataset, Training string
	// Version counts up within the dataset; InsertModel sets it.
	Version   int
	Algorithm string
	Achieved  float64
	Blob      string
	// Report is an api.ModelReport as JSON.
	Report  []byte
	Created time.Time
	// Champion tells whether it is the best of its dataset: the first to have
	// reached the highest performance. It is read and not written.
	Champion bool
	// Threshold is that of the race. It is read and not written.
	Threshold float64
}

const (
	modelColumns = `m.key, m.account, m.dataset, m.training, m.version, m.algorithm, m.achieved, m.blob, m.report, m.created,
	m.key = (SELECT b.key FROM model b WHERE b.dataset = m.dataset ORDER BY b.achieved DESC, b.version LIMIT 1),
	t.threshold`
	modelFrom = "model m JOIN training t ON t.key = m.training"
)

func scanModel(row scanner) (*Model, error) {
	var m Model
	var created int64
	err := row.Scan(&m.Key, &m.Account, &m.Dataset, &m.Training, &m.Version, &m.Algorithm, &m.Achieved, &m.Blob, &m.Report, &created,
		&m.Champion, &m.Threshold)
	m.Created = fromMicros(created)
	return &m, err
}

// InsertModel adds a model under the next version of its dataset, which it
// writes into m.
func (t *Tx) InsertModel(ctx context.Context, m *Model) error {
	row := t.tx.QueryRowContext(ctx, "UPDATE dataset SET versions = versions + 1 WHERE key = ? RETURNING versions", m.Dataset)
	if err := row.Scan(&m.Version); err != nil {
		return fault(err)
	}
	return fault(t.exec(ctx, `INSERT INTO model (key, account, dataset, training, version, algorithm, achieved, blob, report, created)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.Key, m.Account, m.Dataset, m.Training, m.Version, m.Algorithm, m.Achieved, m.Blob, string(m.Report), micros(m.Created)))
}

// GetModel reads a model of the account.
func (t *Tx) GetModel(ctx context.Context, account, key string) (*Model, error) {
	m, err := scanModel(t.tx.QueryRowContext(ctx,
		"SELECT "+modelColumns+" FROM "+modelFrom+" WHERE m.key = ? AND m.account = ?", key, account))
	return m, fault(err)
}

// ListModels reads a page of a dataset's models, newest first, and how many
// there are in all.
func (t *Tx) ListModels(ctx context.Context, dataset string, w Window) ([]*Model, int64, error) {
	s := selection{columns: modelColumns, from: modelFrom, order: "m.version DESC"}
	s.and("m.dataset = ?", dataset)
	return list(ctx, t, s, w, scanModel)
}

// DeleteModel deletes a model with its predictions, and gives the blobs that
// nothing refers to any more; ErrState while a prediction is made with it.
func (t *Tx) DeleteModel(ctx context.Context, account, key string) ([]string, error) {
	m, err := t.GetModel(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return t.deleteTree(ctx, "model", m.Key)
}
