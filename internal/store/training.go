package store

import (
	"context"
	"encoding/json"
	"time"
)

// Training is a race, or one algorithm's part in it.
type Training struct {
	Key, Account, Dataset string
	// Parent is the race; empty for a race itself.
	Parent string
	// Position is 0 for a race and counts its children from 1.
	Position int
	// Algorithm is a child's own, and of a race read as that of its model.
	Algorithm string
	Status    string
	// Cancelling is set from a cancel until the run has ended.
	Cancelling    bool
	ScalingFactor int
	// Threshold is nil for a race without one.
	Threshold *float64
	Metric    string
	Seconds   int
	Seed      int64
	// The performances are nil until known. Achieved is on validation rows: while
	// a child runs that of the step it keeps so far. LogLoss is in nats, of the
	// same step on the same rows.
	Achieved, LogLoss, Training, Test *float64
	// Curve holds a child's validation scores in order.
	Curve                      []float64
	Reason                     string
	Created, Started, Finished time.Time
	// Deadline is when the race has to have ended, its time in the queue
	// included; zero for no such time.
	Deadline time.Time
	// DatasetName, Model, the key of the model that came of it, and
	// ParentStatus, that of a child's race, are read and not written.
	DatasetName, Model, ParentStatus string
}

// Race is the key of the race that the training job is or belongs to.
func (r *Training) Race() string {
	if r.Parent != "" {
		return r.Parent
	}
	return r.Key
}

const (
	trainingColumns      = trainingEntry + ", t.curve"
	trainingEntryColumns = trainingEntry + ", '[]'" // lists do not show curves
	trainingEntry        = `t.key, t.account, t.dataset, coalesce(t.parent, ''), t.position,
	coalesce(nullif(t.algorithm, ''), m.algorithm, ''), t.status, t.cancelling,
	t.scaling, t.threshold, t.metric, t.seconds, t.seed, t.achieved, t.log_loss, t.training, t.test, t.reason,
	t.created, t.started, t.finished, t.deadline, d.name, coalesce(m.key, ''), coalesce(r.status, '')`
	// A child has the race's model if its algorithm made it.
	trainingFrom = `training t JOIN dataset d ON d.key = t.dataset LEFT JOIN training r ON r.key = t.parent
	LEFT JOIN model m ON m.training = coalesce(t.parent, t.key) AND (t.parent IS NULL OR m.algorithm = t.algorithm)`
)

func scanTraining(row scanner) (*Training, error) {
	var t Training
	var curve []byte
	var created, started, finished, deadline int64
	err := row.Scan(&t.Key, &t.Account, &t.Dataset, &t.Parent, &t.Position, &t.Algorithm, &t.Status, &t.Cancelling,
		&t.ScalingFactor, &t.Threshold, &t.Metric, &t.Seconds, &t.Seed, &t.Achieved, &t.LogLoss, &t.Training, &t.Test, &t.Reason,
		&created, &started, &finished, &deadline, &t.DatasetName, &t.Model, &t.ParentStatus, &curve)
	if err != nil {
		return nil, err
	}
	t.Created, t.Started, t.Finished = fromMicros(created), fromMicros(started), fromMicros(finished)
	t.Deadline = fromMicros(deadline)
	return &t, json.Unmarshal(curve, &t.Curve)
}

// InsertTraining adds a training job. A parent comes before its children.
func (t *Tx) InsertTraining(ctx context.Context, r *Training) error {
	var parent any
	if r.Parent != "" {
		parent = r.Parent
	}
	return fault(t.exec(ctx, `INSERT INTO training (key, account, dataset, parent, position, algorithm, status,
		scaling, threshold, metric, seconds, seed, created, deadline) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Key, r.Account, r.Dataset, parent, r.Position, r.Algorithm, r.Status,
		r.ScalingFactor, r.Threshold, r.Metric, r.Seconds, r.Seed, micros(r.Created), micros(r.Deadline)))
}

// GetTraining reads a training job of the account.
func (t *Tx) GetTraining(ctx context.Context, account, key string) (*Training, error) {
	r, err := scanTraining(t.tx.QueryRowContext(ctx,
		"SELECT "+trainingColumns+" FROM "+trainingFrom+" WHERE t.key = ? AND t.account = ?", key, account))
	return r, fault(err)
}

// GetChildren reads the runs of a race in the order of its algorithms.
func (t *Tx) GetChildren(ctx context.Context, parent string) ([]*Training, error) {
	rows, err := t.tx.QueryContext(ctx,
		"SELECT "+trainingColumns+" FROM "+trainingFrom+" WHERE t.parent = ? ORDER BY t.position", parent)
	if err != nil {
		return nil, err
	}
	return collect(rows, scanTraining)
}

// TrainingQuery chooses training jobs of an account.
type TrainingQuery struct {
	Account string
	// Dataset keeps those of one dataset; empty keeps all.
	Dataset string
	// ParentOnly leaves the runs of single algorithms out.
	ParentOnly bool
	Window
}

// ListTrainings reads a page of training jobs, newest first, a race before its
// runs, and how many there are in all. Their Curve is left empty.
func (t *Tx) ListTrainings(ctx context.Context, q TrainingQuery) ([]*Training, int64, error) {
	s := selection{
		columns: trainingEntryColumns, from: trainingFrom,
		order: "t.created DESC, coalesce(t.parent, t.key) DESC, t.position",
	}
	s.and("t.account = ?", q.Account)
	if q.Dataset != "" {
		s.and("t.dataset = ?", q.Dataset)
	}
	if q.ParentOnly {
		s.and("t.parent IS NULL")
	}
	return list(ctx, t, s, q.Window, scanTraining)
}

// Overdue reads the races whose deadline is over by now and that wait for a
// worker: those that no worker has begun and no process does itself.
func (t *Tx) Overdue(ctx context.Context, now time.Time) ([]*Training, error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT "+trainingEntryColumns+" FROM "+trainingFrom+` JOIN job j ON j.subject = t.key
		WHERE j.owner = '' AND j.process = '' AND j.attempt = 0 AND t.deadline > 0 AND t.deadline <= ?`, micros(now))
	if err != nil {
		return nil, err
	}
	return collect(rows, scanTraining)
}

// UpdateTraining writes what changes in a training job's life, if it is in
// state from; else ErrState.
func (t *Tx) UpdateTraining(ctx context.Context, r *Training, from string) error {
	curve, err := json.Marshal(notNil(r.Curve))
	if err != nil {
		return err
	}
	return t.change(ctx, ErrState, `UPDATE training SET status = ?, cancelling = ?, achieved = ?, log_loss = ?, training = ?, test = ?,
		curve = ?, reason = ?, started = ?, finished = ? WHERE key = ? AND status = ?`,
		r.Status, boolInt(r.Cancelling), r.Achieved, r.LogLoss, r.Training, r.Test,
		string(curve), r.Reason, micros(r.Started), micros(r.Finished), r.Key, from)
}

// CancelTraining asks the run of a RUNNING race to stop; else ErrState.
func (t *Tx) CancelTraining(ctx context.Context, key, running string) error {
	err := t.change(ctx, ErrState, "UPDATE training SET cancelling = 1 WHERE key = ? AND status = ?", key, running)
	if err != nil {
		return err
	}
	return t.exec(ctx, "UPDATE job SET cancelled = 1 WHERE subject = ?", key)
}

// DeleteTraining deletes a race with its runs, model and predictions, and
// returns the blobs that nothing refers to any more; ErrState while it is at work.
func (t *Tx) DeleteTraining(ctx context.Context, account, key string) ([]string, error) {
	r, err := t.GetTraining(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return t.deleteTree(ctx, "training", r.Key)
}
