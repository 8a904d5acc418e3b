package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"foretell/internal/api"
	"foretell/internal/store/database"
)

// Training is a training job: a race, or the run of one algorithm in a race.
type Training struct {
	Key, Account, Dataset string
	// Parent is the key of the race that a run belongs to. It is empty for a race.
	Parent string
	// Position is the position of a run in its race, from 1. It is 0 for a race.
	Position int
	// Algorithm is the algorithm of a run. For a race it is the algorithm of the
	// model.
	Algorithm string
	Status    string
	// Cancelling is true if a client has requested to cancel the race.
	Cancelling    bool
	ScalingFactor int
	// Threshold is nil if the race has none.
	Threshold        *float64
	Metric           string
	TimeLimitSeconds int
	Seed             int64
	// GroupColumn is the column that divides the rows into groups. Either all rows of a group are
	// training rows, or no row of the group is. TimeColumn is the column with the times of the
	// rows. Validation and test rows are later than the training rows. A name is empty if the race
	// has no such column.
	GroupColumn, TimeColumn string
	// Effort is the effort of the race, such as api.EffortFast. It is empty for the default.
	Effort string
	// ClassWeights is zero for equal weights.
	ClassWeights api.ClassWeights
	// Monotone is empty if there are no monotone columns.
	Monotone api.Monotone
	// AchievedPerformance and LogLoss (in nats) are the scores of the best step so far, on the
	// validation rows. TrainingPerformance and TestPerformance are the scores of the model on the
	// training rows and on the test rows. A score is nil until it is known.
	AchievedPerformance, LogLoss, TrainingPerformance, TestPerformance *float64
	// Curve holds the scores of a run on the validation rows, one for each step, oldest first.
	Curve                      []float64
	FailureReason              string
	Created, Started, Finished time.Time
	// Deadline is when the race must end, even if it is still queued. It is zero if the race has no
	// deadline. It is a time of the clock that all processes share; see [Store.ToSharedTime]. For a
	// run that another worker trains, it is the deadline or the end of the time limit of the race,
	// whichever is earlier.
	Deadline time.Time
	// DatasetName, Model (the key of the resulting model) and ParentStatus (the
	// status of a run's race) are read-only.
	DatasetName, Model, ParentStatus string
	// DecodeError wraps ErrCorrupt if ClassWeights, Monotone or Curve cannot be decoded. The field is
	// then zero. The row can still be listed, ended and deleted, but the race must not be run.
	// DecodeError is read-only.
	DecodeError error
}

// RaceKey returns the key of the race: Parent for a run, and Key for a race.
func (t *Training) RaceKey() string {
	if t.Parent != "" {
		return t.Parent
	}
	return t.Key
}

const (
	trainingColumns     = trainingBaseColumns + ", t.curve"
	trainingListColumns = trainingBaseColumns + ", '[]'" // lists do not show curves
	trainingBaseColumns = `t.key, t.account, t.dataset, coalesce(t.parent, ''), t.position,
	coalesce(nullif(t.algorithm, ''), m.algorithm, ''), t.status, t.cancelling,
	t.scaling, t.threshold, t.metric, t.seconds, t.seed, t.group_column, t.time_column, t.effort, t.class_weights, t.monotone, t.achieved, t.log_loss, t.training, t.test, t.reason,
	t.created, t.started, t.finished, t.deadline, d.name, coalesce(m.key, ''), coalesce(r.status, '')`
	// This joins the model to its race and to the run of the winning algorithm, but to no other run.
	trainingFrom = `training t JOIN dataset d ON d.key = t.dataset LEFT JOIN training r ON r.key = t.parent
	LEFT JOIN model m ON m.training = coalesce(t.parent, t.key) AND (t.parent IS NULL OR m.algorithm = t.algorithm)`
)

func scanTraining(row rowScanner) (*Training, error) {
	var t Training
	var curve, classWeights, monotone []byte
	var created, started, finished, deadline int64
	err := row.Scan(&t.Key, &t.Account, &t.Dataset, &t.Parent, &t.Position, &t.Algorithm, &t.Status, &t.Cancelling,
		&t.ScalingFactor, &t.Threshold, &t.Metric, &t.TimeLimitSeconds, &t.Seed, &t.GroupColumn, &t.TimeColumn, &t.Effort, &classWeights, &monotone, &t.AchievedPerformance, &t.LogLoss, &t.TrainingPerformance, &t.TestPerformance, &t.FailureReason,
		&created, &started, &finished, &deadline, &t.DatasetName, &t.Model, &t.ParentStatus, &curve)
	if err != nil {
		return nil, err
	}
	t.Created, t.Started, t.Finished = fromMicros(created), fromMicros(started), fromMicros(finished)
	t.Deadline = fromMicros(deadline)
	t.DecodeError = errors.Join(
		decodeOptional(classWeights, &t.ClassWeights, "class_weights", "training job", t.Key),
		decodeOptional(monotone, &t.Monotone, "monotone", "training job", t.Key),
		decodeOptional(curve, &t.Curve, "curve", "training job", t.Key),
	)
	return &t, nil
}

// decodeOptional decodes text, the JSON of an optional column, into value. If text is empty, value
// remains zero. If text cannot be decoded, value becomes zero, and the error wraps ErrCorrupt.
// column, noun and key are for the message of the error, such as "class_weights", "training job"
// and the key of the row.
func decodeOptional[T any](text []byte, value *T, column, noun, key string) error {
	if len(text) == 0 {
		return nil
	}
	err := json.Unmarshal(text, value)
	if err == nil {
		return nil
	}
	*value = *new(T) // a part may have been decoded
	return fmt.Errorf("%w: the column %s of %s %s cannot be decoded: %w", ErrCorrupt, column, noun, key, err)
}

// encodeOptional returns value as JSON, or "" if isZero is true.
func encodeOptional(value any, isZero bool) (string, error) {
	if isZero {
		return "", nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// InsertTraining adds a training job. A race must be inserted before its runs.
func (t *Tx) InsertTraining(ctx context.Context, r *Training) error {
	var parent any
	if r.Parent != "" {
		parent = r.Parent
	}
	classWeights, err := encodeOptional(r.ClassWeights, r.ClassWeights.IsZero())
	if err != nil {
		return err
	}
	monotone, err := encodeOptional(r.Monotone, len(r.Monotone) == 0)
	if err != nil {
		return err
	}
	return database.TranslateError(t.exec(ctx, `INSERT INTO training (key, account, dataset, parent, position, algorithm, status,
		scaling, threshold, metric, seconds, seed, group_column, time_column, effort, class_weights, monotone, created, deadline) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Key, r.Account, r.Dataset, parent, r.Position, r.Algorithm, r.Status,
		r.ScalingFactor, r.Threshold, r.Metric, r.TimeLimitSeconds, r.Seed, r.GroupColumn, r.TimeColumn, r.Effort, classWeights, monotone, toMicros(r.Created), toMicros(r.Deadline)))
}

// GetTraining returns a training job of the account. It returns ErrNotFound if
// the account has no such job.
func (t *Tx) GetTraining(ctx context.Context, account, key string) (*Training, error) {
	r, err := scanTraining(t.tx.QueryRowContext(ctx,
		"SELECT "+trainingColumns+" FROM "+trainingFrom+" WHERE t.key = ? AND t.account = ?", key, account))
	return r, database.TranslateError(err)
}

// ListRuns returns the runs of a race in the order of its algorithms.
func (t *Tx) ListRuns(ctx context.Context, race string) ([]*Training, error) {
	rows, err := t.tx.QueryContext(ctx,
		"SELECT "+trainingColumns+" FROM "+trainingFrom+" WHERE t.parent = ? ORDER BY t.position", race)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, scanTraining)
}

// TrainingQuery filters the training jobs of an account.
type TrainingQuery struct {
	Account string
	// Dataset selects the training jobs of this dataset. If it is empty, the jobs of all
	// datasets are selected.
	Dataset string
	// ParentOnly selects only races, without their runs. ActiveOnly selects only jobs that are
	// PENDING or RUNNING.
	ParentOnly, ActiveOnly bool
	Page
}

// ListTrainings returns a page of training jobs, and the number of training jobs on all
// pages. The newest race is first, and each race precedes its runs. ListTrainings
// leaves Curve empty.
func (t *Tx) ListTrainings(ctx context.Context, q TrainingQuery) (trainings []*Training, total int64, err error) {
	return listPage(ctx, t, q.toListQuery(), q.Page, scanTraining)
}

// toListQuery returns the SQL query of all training jobs that q selects, regardless of q.Page.
func (q TrainingQuery) toListQuery() listQuery {
	list := listQuery{
		columns: trainingListColumns, from: trainingFrom, table: "training t", key: "t.key",
		order: "t.created DESC, coalesce(t.parent, t.key) DESC, t.position",
	}
	list.addCondition("t.account = ?", q.Account)
	if q.Dataset != "" {
		list.addCondition("t.dataset = ?", q.Dataset)
	}
	if q.ParentOnly {
		list.addCondition("t.parent IS NULL")
		list.order = "t.created DESC, t.key DESC" // for races, this is the same order, and an index has it
	}
	if q.ActiveOnly {
		list.addCondition("t." + activeTraining) // an index has the same condition
	}
	return list
}

// SQLite does not reorder the tables of a CROSS JOIN. In racesWithDeadlineSQL, this makes SQLite
// read training in the order of an index. In largeRacesSQL, it makes SQLite read job first.
// Otherwise SQLite would read all races ever run to find the few with a job.
const (
	racesWithDeadlineSQL = "SELECT " + trainingListColumns + " FROM " + trainingFrom + ` CROSS JOIN job j
		WHERE j.subject = t.key AND j.owner = '' AND j.attempt = 0 AND t.deadline > 0 AND t.finished = 0 AND t.parent IS NULL
		ORDER BY t.deadline LIMIT ?`
	largeRacesSQL = `SELECT t.key, t.account, j.memory, j.process FROM job j CROSS JOIN training t
		WHERE j.kind = ? AND j.owner = '' AND j.memory > ? AND t.key = j.subject AND t.parent IS NULL`
)

// ListRacesWithDeadline returns the queued races that have a deadline, the earliest deadline first. No
// worker has claimed these races, or the worker has released them. limit is the largest number of races.
func (t *Tx) ListRacesWithDeadline(ctx context.Context, limit int64) ([]*Training, error) {
	rows, err := t.tx.QueryContext(ctx, racesWithDeadlineSQL, limit)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, scanTraining)
}

// LargeRace is a queued race in the result of [Tx.ListLargeRaces].
type LargeRace struct {
	Key, Account string
	// Memory is the estimated peak memory of the race in bytes.
	Memory int64
	// Process is the process that runs the race unless a worker claims it first, or empty; see
	// [Job].
	Process string
}

// ListLargeRaces returns the queued races that need more memory than the given number of bytes. kind
// is the kind of the jobs of races.
func (t *Tx) ListLargeRaces(ctx context.Context, kind string, memory int64) ([]*LargeRace, error) {
	rows, err := t.tx.QueryContext(ctx, largeRacesSQL, kind, memory)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, func(row rowScanner) (*LargeRace, error) {
		var r LargeRace
		return &r, row.Scan(&r.Key, &r.Account, &r.Memory, &r.Process)
	})
}

// UpdateTraining writes the mutable columns of a training job. It returns
// ErrWrongState if the stored status is not fromState or the job does not exist.
func (t *Tx) UpdateTraining(ctx context.Context, r *Training, fromState string) error {
	curve, err := json.Marshal(emptyInsteadOfNil(r.Curve))
	if err != nil {
		return err
	}
	return t.execRequired(ctx, ErrWrongState, `UPDATE training SET status = ?, cancelling = ?, achieved = ?, log_loss = ?, training = ?, test = ?,
		curve = ?, reason = ?, started = ?, finished = ?, deadline = ? WHERE key = ? AND status = ?`,
		r.Status, boolToInt(r.Cancelling), r.AchievedPerformance, r.LogLoss, r.TrainingPerformance, r.TestPerformance,
		string(curve), r.FailureReason, toMicros(r.Started), toMicros(r.Finished), toMicros(r.Deadline), r.Key, fromState)
}

// RequestCancel stores a request to cancel a RUNNING race. It returns ErrWrongState if
// the race is in another state.
func (t *Tx) RequestCancel(ctx context.Context, key string) error {
	err := t.execRequired(ctx, ErrWrongState, "UPDATE training SET cancelling = 1 WHERE key = ? AND status = ?", key, api.TrainingRunning)
	if err != nil {
		return err
	}
	return t.exec(ctx, "UPDATE job SET cancelled = 1 WHERE subject = ?", key)
}

// Ending describes the end of a race without a model.
type Ending struct {
	// Status is the final status of the race, and Reason the reason of a failure.
	Status, Reason string
	Time           time.Time
}

// EndRace ends a race without a model, with the runs of its algorithms, and deletes the jobs of its
// parts. The caller must first delete the job of the race, so that no process runs it.
func (t *Tx) EndRace(ctx context.Context, race *Training, end Ending) error {
	runs, err := t.ListRuns(ctx, race.Key)
	if err != nil {
		return err
	}
	if err := t.DeletePartJobs(ctx, race.Key); err != nil {
		return err
	}
	for _, r := range append(runs, race) {
		ended := *r // the transaction may be run again
		ended.Status, ended.FailureReason, ended.Finished, ended.Cancelling = end.Status, end.Reason, end.Time, false
		if err := t.UpdateTraining(ctx, &ended, r.Status); err != nil {
			return err
		}
	}
	return nil
}

// DeleteTraining deletes a race with its runs, model, predictions and jobs. It returns the keys of
// the blobs that are no longer referenced. See also [Tx.ListActiveJobs].
func (t *Tx) DeleteTraining(ctx context.Context, account, key string) (blobKeys []string, err error) {
	r, err := t.GetTraining(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return t.deleteCascade(ctx, "training", r.Key)
}
