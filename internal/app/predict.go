package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/learn"
	"foretell/internal/repeat"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/table/csvfile"
)

// predictionTimeLimit is the time after which a prediction ends with TIMEOUT.
const predictionTimeLimit = time.Hour

var errPredictionTimeLimit = fmt.Errorf("the prediction took longer than %s", predictionTimeLimit)

// predict runs the job of a prediction: it reads the blind CSV row by row, and writes the rows with
// the predictions of the model to the result.
func (a *App) predict(ctx context.Context, r *job.RunningJob) error {
	p, err := a.beginPrediction(ctx, r)
	if err != nil {
		return err
	}
	if err := a.files.ScanForMalware(ctx, storedfile.Blind(p)); err != nil {
		return err
	}
	limited, done := context.WithTimeoutCause(ctx, predictionTimeLimit, errPredictionTimeLimit)
	defer done()
	err = a.predictAndStoreResult(limited, r, p)
	var defect *csvfile.Defect
	switch {
	case err == nil:
		return a.endPredictionAndDeleteBlind(ctx, &r.Job, p, api.PredictionCompleted)
	case ctx.Err() == nil && errors.Is(context.Cause(limited), errPredictionTimeLimit):
		p.FailureReason = errPredictionTimeLimit.Error()
		return a.endPredictionAndDeleteBlind(ctx, &r.Job, p, api.PredictionTimeout)
	case errors.Is(err, learn.ErrNoBackground):
		p.FailureReason = "cannot compute the reasons, because the model was trained by an earlier version and has no background rows: train a new model"
		return a.endPredictionAndDeleteBlind(ctx, &r.Job, p, api.PredictionFailed)
	case errors.As(err, &defect):
		p.FailureReason = defect.Error()
		return a.endPredictionAndDeleteBlind(ctx, &r.Job, p, api.PredictionFailed)
	}
	return err
}

// beginPrediction makes a prediction RUNNING and returns it. If the process of an earlier attempt
// died, the prediction is already RUNNING.
func (a *App) beginPrediction(ctx context.Context, r *job.RunningJob) (p *store.Prediction, err error) {
	err = a.queue.Write(ctx, &r.Job, func(t *store.Tx) error {
		if p, err = t.GetPrediction(ctx, r.Account, r.Subject); err != nil {
			return err
		}
		from := p.Status
		p.Status, p.Rows, p.Updated = api.PredictionRunning, 0, a.now()
		return t.UpdatePrediction(ctx, p, from)
	})
	return p, err
}

// predictAndStoreResult predicts the blind CSV, stores the result, and sets Result and Rows of p.
func (a *App) predictAndStoreResult(ctx context.Context, r *job.RunningJob, p *store.Prediction) error {
	m, err := a.loadModel(ctx, p)
	if err != nil {
		return err
	}
	result, err := a.files.Create(ctx)
	if err != nil {
		return err
	}
	defer result.Abort()

	var rows atomic.Int64
	written := *p // a copy, because p changes below while progress may still be written
	stopRecording := repeat.Every(ctx, progressInterval, func() { a.writePredictionProgress(ctx, &r.Job, written, rows.Load()) })
	err = a.files.Read(ctx, storedfile.Blind(p), func(blind io.Reader, _ int64) (err error) {
		p.Rows, err = m.Predict(ctx, blind, result, learn.PredictOptions{Progress: rows.Store, Reasons: int(p.Reasons)})
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

// writePredictionProgress stores the number of rows predicted so far in the row of p.
func (a *App) writePredictionProgress(ctx context.Context, j *job.Job, p store.Prediction, rows int64) {
	p.Rows, p.Updated = rows, a.now()
	err := a.queue.Write(ctx, j, func(t *store.Tx) error { return t.UpdatePrediction(ctx, &p, api.PredictionRunning) })
	if err != nil && ctx.Err() == nil {
		a.log.WarnContext(ctx, "cannot store the progress of a prediction", "subject", j.Subject, "error", err)
	}
}

// endPredictionAndDeleteBlind ends a prediction with the given status: it stores p, ends
// the job, and deletes the blind CSV.
func (a *App) endPredictionAndDeleteBlind(ctx context.Context, j *job.Job, p *store.Prediction, status string) error {
	blind := p.Blind.Blob
	p.Status, p.Blind, p.Updated = status, store.File{}, a.now()
	err := a.queue.Finish(ctx, j, status, func(t *store.Tx) error { return t.UpdatePrediction(ctx, p, api.PredictionRunning) })
	if err == nil {
		a.files.Delete(ctx, blind)
	} else if p.Result.Blob != "" {
		a.files.DeleteUncommitted(ctx, err, p.Result.Blob)
	}
	return err
}

// failPrediction makes the prediction of a failed job FAILED because of cause.
func (a *App) failPrediction(ctx context.Context, j *job.Job, cause error) error {
	var blind string
	err := a.queue.Finish(ctx, j, api.PredictionFailed, func(t *store.Tx) error {
		p, err := t.GetPrediction(ctx, j.Account, j.Subject)
		if err != nil {
			return err
		}
		from := p.Status
		blind, p.Blind = p.Blind.Blob, store.File{}
		p.Status, p.FailureReason, p.Updated = api.PredictionFailed, a.problems.FailureReason(cause), a.now()
		if errors.Is(cause, storedfile.ErrMalware) {
			if err := a.RecordRefusedFile(ctx, t, j.Account, "prediction.malware", j.Subject); err != nil {
				return err
			}
		}
		return t.UpdatePrediction(ctx, p, from)
	})
	if err == nil {
		a.files.Delete(ctx, blind)
	}
	return err
}

// loadModel returns the model of a prediction, from the cache if it is there.
func (a *App) loadModel(ctx context.Context, p *store.Prediction) (*learn.Model, error) {
	if m := a.models.get(p.Model); m != nil {
		return m, nil
	}
	var row *store.Model
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		row, err = t.GetModel(ctx, p.Account, p.Model)
		return err
	})
	if err != nil {
		return nil, err
	}
	var m *learn.Model
	f := storedfile.Model(row)
	err = a.files.Read(ctx, f, func(file io.Reader, size int64) (err error) {
		if m, err = learn.ReadModel(file, size); err != nil {
			return storedfile.NewUnreadableProblem(f, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.models.put(p.Model, m)
	return m, nil
}

// modelCacheSize is the maximum number of models kept in memory.
const modelCacheSize = 4

// modelCache holds the most recently used models, beginning with the last one used. Models never
// change, so a cached model is never outdated.
type modelCache struct {
	mu      sync.Mutex
	entries []cachedModel
}

type cachedModel struct {
	key   string
	model *learn.Model
}

func newModelCache() *modelCache { return &modelCache{} }

func (c *modelCache) get(key string) *learn.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.entries {
		if e.key == key {
			copy(c.entries[1:], c.entries[:i])
			c.entries[0] = e
			return e.model
		}
	}
	return nil
}

func (c *modelCache) put(key string, m *learn.Model) {
	c.mu.Lock()
	defer c.mu.Unlock()
	same := func(e cachedModel) bool { return e.key == key } // two jobs may have loaded it concurrently
	c.entries = slices.Insert(slices.DeleteFunc(c.entries, same), 0, cachedModel{key, m})
	if len(c.entries) > modelCacheSize {
		c.entries = slices.Delete(c.entries, modelCacheSize, len(c.entries))
	}
}
