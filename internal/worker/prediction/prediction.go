// Package prediction runs the jobs of predictions. Such a job predicts the rows of a blind CSV,
// which has no labels, with a model.
package prediction

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/learn/model"
	"foretell/internal/problem"
	"foretell/internal/quota"
	"foretell/internal/repeat"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/table/csvfile"
)

// timeLimit is the time after which a prediction ends with TIMEOUT.
const timeLimit = time.Hour

var errTimeLimit = fmt.Errorf("the prediction took longer than %s", timeLimit)

// Config configures a Predictor. All fields are required.
type Config struct {
	Store    *store.Store
	Files    *storedfile.Files
	Queue    *jobqueue.Queue
	Problems *problem.Converter
	Now      func() time.Time
	Log      *slog.Logger
	// RecordRefusedFile appends an event to the audit log: a file of this account contains malware.
	// t is the transaction that removes the file. subject is the key of the prediction.
	RecordRefusedFile func(ctx context.Context, t *store.Tx, account, action, subject string) error
}

// Predictor runs the jobs of the kind [jobqueue.Predict]. It is safe for concurrent use.
type Predictor struct {
	store             *store.Store
	files             *storedfile.Files
	queue             *jobqueue.Queue
	problems          *problem.Converter
	now               func() time.Time
	log               *slog.Logger
	recordRefusedFile func(ctx context.Context, t *store.Tx, account, action, subject string) error
	models            *modelCache
}

// sharedNow returns the current time on the clock that all processes share.
func (pr *Predictor) sharedNow() time.Time { return pr.store.ToSharedTime(pr.now()) }

// New returns a Predictor.
func New(c Config) *Predictor {
	return &Predictor{
		store: c.Store, files: c.Files, queue: c.Queue, problems: c.Problems, now: c.Now, log: c.Log,
		recordRefusedFile: c.RecordRefusedFile, models: newModelCache(),
	}
}

// Predict runs the job of a prediction: it reads the CSV to predict row by row, and writes the rows
// with the predictions of the model to the result.
func (pr *Predictor) Predict(ctx context.Context, r *job.RunningJob) error {
	p, err := pr.begin(ctx, r)
	if err != nil {
		return err
	}
	if err := pr.files.ScanForMalware(ctx, storedfile.Blind(p)); err != nil {
		return err
	}
	limited, done := context.WithTimeoutCause(ctx, timeLimit, errTimeLimit)
	defer done()
	err = pr.predictAndStoreResult(limited, r, p)
	var defect *csvfile.Defect
	switch {
	case err == nil:
		return pr.endAndDeleteBlind(ctx, &r.Job, p, api.PredictionCompleted)
	case ctx.Err() == nil && errors.Is(context.Cause(limited), errTimeLimit):
		p.FailureReason = errTimeLimit.Error()
		return pr.endAndDeleteBlind(ctx, &r.Job, p, api.PredictionTimeout)
	case errors.Is(err, model.ErrNoBackground):
		p.FailureReason = "cannot compute the reasons, because the model was trained by an earlier version and has no background rows: train a new model"
		return pr.endAndDeleteBlind(ctx, &r.Job, p, api.PredictionFailed)
	case errors.Is(err, quota.ErrResultTooLarge):
		p.FailureReason = quota.ErrResultTooLarge.Error()
		return pr.endAndDeleteBlind(ctx, &r.Job, p, api.PredictionFailed)
	case errors.As(err, &defect):
		p.FailureReason = defect.Error()
		return pr.endAndDeleteBlind(ctx, &r.Job, p, api.PredictionFailed)
	}
	return err
}

// begin makes a prediction RUNNING and returns it. If the process of an earlier attempt
// died, the prediction is already RUNNING.
func (pr *Predictor) begin(ctx context.Context, r *job.RunningJob) (p *store.Prediction, err error) {
	err = pr.queue.WriteWithLease(ctx, &r.Job, func(t *store.Tx) error {
		if p, err = t.GetPrediction(ctx, r.Account, r.Subject); err != nil {
			return err
		}
		from := p.Status
		p.Status, p.Rows, p.Updated = api.PredictionRunning, 0, pr.sharedNow()
		return t.UpdatePrediction(ctx, p, from)
	})
	return p, err
}

// predictAndStoreResult predicts the CSV of p, stores the result, and sets Result and Rows of p.
func (pr *Predictor) predictAndStoreResult(ctx context.Context, r *job.RunningJob, p *store.Prediction) error {
	m, err := pr.loadModel(ctx, p)
	if err != nil {
		return err
	}
	limit := int64(0)
	err = pr.store.Read(ctx, func(t *store.Tx) (err error) {
		limit, err = quota.MaxResultBytes(ctx, t, p.Account, p.Blind.Bytes)
		return err
	})
	if err != nil {
		return err
	}
	result, err := pr.files.Create(ctx)
	if err != nil {
		return err
	}
	defer result.Abort()

	var rows atomic.Int64
	written := *p // a copy, because p changes below while progress may still be written
	stopRecording := repeat.Every(ctx, jobqueue.ProgressInterval, func() { pr.writeProgress(ctx, &r.Job, written, rows.Load()) })
	err = pr.files.Read(ctx, storedfile.Blind(p), func(blind io.Reader, _ int64) (err error) {
		p.Rows, err = m.Predict(ctx, blind, quota.NewResultWriter(result, limit), model.PredictOptions{Progress: rows.Store, Reasons: int(p.Reasons)})
		return err
	})
	stopRecording()
	if err != nil {
		return err
	}
	info, err := result.Commit()
	p.Result = storedfile.FromInfo(info)
	return err
}

// writeProgress stores in the database how many rows have been predicted so far.
func (pr *Predictor) writeProgress(ctx context.Context, j *job.Job, p store.Prediction, rows int64) {
	p.Rows, p.Updated = rows, pr.sharedNow()
	err := pr.queue.WriteWithLease(ctx, j, func(t *store.Tx) error { return t.UpdatePrediction(ctx, &p, api.PredictionRunning) })
	if err != nil && ctx.Err() == nil {
		pr.log.WarnContext(ctx, "cannot store the progress of a prediction", "subject", j.Subject, "error", err)
	}
}

// endAndDeleteBlind ends a prediction with the given status: it stores p, ends the job, and deletes
// the CSV that was to be predicted.
func (pr *Predictor) endAndDeleteBlind(ctx context.Context, j *job.Job, p *store.Prediction, status string) error {
	blind := p.Blind.Blob
	p.Status, p.Blind, p.Updated = status, store.File{}, pr.sharedNow()
	err := pr.queue.Finish(ctx, j, status, func(t *store.Tx) error { return t.UpdatePrediction(ctx, p, api.PredictionRunning) })
	if err == nil {
		pr.files.Delete(ctx, blind)
	} else if p.Result.Blob != "" {
		pr.files.DeleteUncommitted(ctx, err, p.Result.Blob)
	}
	return err
}

// Fail makes the prediction of a failed job FAILED because of cause.
func (pr *Predictor) Fail(ctx context.Context, j *job.Job, cause error) error {
	var blind string
	err := pr.queue.Finish(ctx, j, api.PredictionFailed, func(t *store.Tx) error {
		p, err := t.GetPrediction(ctx, j.Account, j.Subject)
		if err != nil {
			return err
		}
		from := p.Status
		blind, p.Blind = p.Blind.Blob, store.File{}
		p.Status, p.FailureReason, p.Updated = api.PredictionFailed, pr.problems.FailureReason(cause), pr.sharedNow()
		if errors.Is(cause, storedfile.ErrMalware) {
			if err := pr.recordRefusedFile(ctx, t, j.Account, "prediction.malware", j.Subject); err != nil {
				return err
			}
		}
		return t.UpdatePrediction(ctx, p, from)
	})
	if err == nil {
		pr.files.Delete(ctx, blind)
	}
	return err
}

// loadModel returns the model of a prediction, from the cache if it is there.
func (pr *Predictor) loadModel(ctx context.Context, p *store.Prediction) (*model.Model, error) {
	if m := pr.models.get(p.Model); m != nil {
		return m, nil
	}
	var row *store.Model
	err := pr.store.Read(ctx, func(t *store.Tx) (err error) {
		row, err = t.GetModel(ctx, p.Account, p.Model)
		return err
	})
	if err != nil {
		return nil, err
	}
	var m *model.Model
	f := storedfile.Model(row)
	err = pr.files.Read(ctx, f, func(file io.Reader, size int64) (err error) {
		if m, err = model.Read(file, size); err != nil {
			return storedfile.NewUnreadableProblem(f, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	pr.models.put(p.Model, m)
	return m, nil
}
