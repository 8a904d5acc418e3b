package app

import (
	"context"
	"io"

	"foretell/internal/api"
	"foretell/internal/jobqueue"
	"foretell/internal/quota"
	"foretell/internal/store"
	"foretell/internal/storedfile"
)

func resultFileName(key string) string { return "prediction-" + key + ".csv" }

// CreatePrediction stores a CSV to predict, of at most [api.MaxUploadBytes], and queues its
// prediction. Reading body may set in.ModelKey, because the key may follow the file in a form.
func (a *App) CreatePrediction(ctx context.Context, in *api.NewPrediction, body io.Reader) (*api.CreatedPrediction, error) {
	if in.ModelKey != "" { // an unknown key is rejected before the upload
		if _, err := a.findModel(ctx, in.ModelKey); err != nil {
			return nil, err
		}
	}
	key, err := a.newUUID()
	if err != nil {
		return nil, err
	}
	info, err := a.storeUpload(ctx, upload{body: body, size: -1, max: api.MaxUploadBytes})
	if err != nil {
		return nil, err
	}
	m, err := a.findModel(ctx, in.ModelKey)
	if err != nil {
		a.files.Delete(ctx, info.Key)
		return nil, err
	}
	now := a.sharedNow()
	p := &store.Prediction{
		Key: key, Account: m.Account, Dataset: m.Dataset, Model: m.Key,
		Status: api.PredictionPending, Blind: storedfile.FromInfo(info), Reasons: in.Reasons,
		Input: store.InputFile{Name: normalizeFileName(in.FileName), Bytes: info.Size, SHA256: info.SHA256}, Created: now, Updated: now,
	}
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if err := quota.Check(ctx, t, p.Account, store.Usage{Bytes: info.Size}); err != nil {
			return err
		}
		if err := t.InsertPrediction(ctx, p); err != nil {
			return err
		}
		return a.queue.Insert(ctx, t, &store.Job{Kind: jobqueue.Predict, Account: p.Account, Subject: p.Key})
	})
	if err != nil {
		a.files.DeleteUncommitted(ctx, err, info.Key)
		return nil, a.problems.ConvertLookupError(err, "model", m.Key) // deleted during the upload
	}
	a.queue.Notify(jobqueue.Predict)
	return &api.CreatedPrediction{
		PredictionKey: key, Status: p.Status,
		PredictionCreationProgressURL: absoluteURL(ctx, api.PathOf(api.GetPredictionProgress.Operation, key)),
	}, nil
}

// GetPrediction returns a prediction. The URL of its result is newly signed.
func (a *App) GetPrediction(ctx context.Context, in *api.PredictionInput) (*api.Prediction, error) {
	p, s, err := a.findPredictionWithStatus(ctx, in.PredictionKey)
	if err != nil {
		return nil, err
	}
	out := a.toPrediction(ctx, p, s)
	return &out, nil
}

// findPredictionOfAnyAccount returns a prediction. The caller must have checked that access is
// allowed.
func (a *App) findPredictionOfAnyAccount(ctx context.Context, key string) (p *store.Prediction, err error) {
	err = a.store.ReadOneStatement(ctx, func(t *store.Tx) error {
		p, err = t.GetPredictionOfAnyAccount(ctx, key)
		return err
	})
	return p, a.problems.ConvertLookupError(err, "prediction", key)
}

// findPredictionWithStatus returns a prediction of the caller and the status of its job.
func (a *App) findPredictionWithStatus(ctx context.Context, key string) (p *store.Prediction, s jobqueue.Status, err error) {
	s, err = a.queue.ReadWithStatus(ctx, func(t *store.Tx) (subject string, err error) {
		p, err = t.GetPrediction(ctx, callerFromContext(ctx).Account, key)
		if err != nil || !predictionHasJob(p) {
			return "", err
		}
		return key, nil
	})
	return p, s, a.problems.ConvertLookupError(err, "prediction", key)
}

func (a *App) toPrediction(ctx context.Context, p *store.Prediction, s jobqueue.Status) api.Prediction {
	out := api.Prediction{
		PredictionKey: p.Key, ModelKey: p.Model, DatasetKey: p.Dataset, Status: s.ReportedStatus(p.Status), Interrupted: s.Interrupted, WaitingFor: s.WaitingFor,
		TargetPerformance: p.Threshold, AchievedPerformance: p.AchievedPerformance,
		CreatedOn: api.FormatTime(p.Created), CreatedMicros: p.Created.UnixMicro(), FailureReason: p.FailureReason, Rows: p.Rows,
		Bytes: p.Blind.Bytes + p.Result.Bytes, Reasons: p.Reasons,
	}
	if p.Input.SHA256 != "" {
		out.Blind = &api.InputFile{FileName: p.Input.Name, Bytes: p.Input.Bytes, SHA256: p.Input.SHA256}
	}
	if p.Status == api.PredictionCompleted {
		out.PredictionResultURL = a.resultURL(ctx, p)
	}
	return out
}

// GetPredictionProgress returns how many rows have been predicted.
func (a *App) GetPredictionProgress(ctx context.Context, in *api.PredictionInput) (*api.PredictionProgress, error) {
	p, s, err := a.findPredictionWithStatus(ctx, in.PredictionKey)
	if err != nil {
		return nil, err
	}
	return &api.PredictionProgress{PredictionKey: p.Key, Status: s.ReportedStatus(p.Status), Rows: p.Rows, FailureReason: p.FailureReason}, nil
}

// ListPredictionsOfModel returns a page of the predictions made with a model,
// newest first.
func (a *App) ListPredictionsOfModel(ctx context.Context, in *api.ModelPageInput) (*api.PredictionPage, error) {
	if _, err := a.findModel(ctx, in.ModelKey); err != nil {
		return nil, err
	}
	return a.listPredictions(ctx, in.PageInput, store.PredictionQuery{Model: in.ModelKey})
}

// ListPredictionsOfDataset returns a page of the predictions made with the models of a dataset,
// newest first.
func (a *App) ListPredictionsOfDataset(ctx context.Context, in *api.DatasetPageInput) (*api.PredictionPage, error) {
	if err := a.checkDatasetExists(ctx, in.DatasetKey); err != nil {
		return nil, err
	}
	return a.listPredictions(ctx, in.PageInput, store.PredictionQuery{Dataset: in.DatasetKey})
}

func (a *App) listPredictions(ctx context.Context, in api.PageInput, q store.PredictionQuery) (*api.PredictionPage, error) {
	w, err := parsePage(in)
	if err != nil {
		return nil, err
	}
	q.Page = w
	var predictions []*store.Prediction
	var total int64
	statuses, err := a.queue.ReadWithStatuses(ctx, callerFromContext(ctx).Account, func(t *store.Tx) (subjects []string, err error) {
		predictions, total, err = t.ListPredictions(ctx, q)
		return keysWithJob(predictions, predictionHasJob, func(p *store.Prediction) string { return p.Key }), err
	})
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	out := &api.PredictionPage{Predictions: []api.Prediction{}, Page: toPage(w, total)}
	for _, p := range predictions {
		out.Predictions = append(out.Predictions, a.toPrediction(ctx, p, statuses[p.Key]))
	}
	return out, nil
}

// predictionHasJob reports whether a prediction has a queued or running job.
func predictionHasJob(p *store.Prediction) bool {
	return p.Status == api.PredictionPending || p.Status == api.PredictionRunning
}

// DownloadResult opens the result of a COMPLETED prediction for a download. It checks the
// signature of the URL instead of the caller's account.
func (a *App) DownloadResult(ctx context.Context, in *api.ResultInput) (*File, error) {
	if err := a.verifySignature(ctx, api.PathOf(api.DownloadResult.Operation, in.PredictionKey), in.Expires, in.Signature); err != nil {
		return nil, err
	}
	p, err := a.findCompletedPrediction(ctx, in.PredictionKey)
	if err != nil {
		return nil, err
	}
	if err := a.CheckDownload(ctx, p.Account); err != nil {
		return nil, err
	}
	return a.openResult(ctx, p)
}

// OpenResult opens the result of a COMPLETED prediction of any account. The caller must have
// checked that access is allowed. OpenResult records no download in the audit log.
func (a *App) OpenResult(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	p, err := a.findCompletedPrediction(ctx, key)
	if err != nil {
		return nil, err
	}
	if err := a.files.Verify(ctx, storedfile.Result(p), p.Account); err != nil {
		return nil, a.problems.Convert(err)
	}
	return a.openResult(ctx, p)
}

// ReadResultHead returns at most size bytes from the beginning of the result of a COMPLETED
// prediction of any account. The caller must have checked that access is allowed. ReadResultHead
// does not verify the checksum, because this needs the whole file. It records no download in the
// audit log.
func (a *App) ReadResultHead(ctx context.Context, key string, size int64) ([]byte, error) {
	p, err := a.findCompletedPrediction(ctx, key)
	if err != nil {
		return nil, err
	}
	r, err := a.files.Open(ctx, storedfile.Result(p))
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	defer func() { _ = r.Close() }() // the file was only read
	head, err := io.ReadAll(io.LimitReader(r, size))
	return head, a.problems.Convert(err)
}

// findCompletedPrediction returns a COMPLETED prediction of any account.
func (a *App) findCompletedPrediction(ctx context.Context, key string) (*store.Prediction, error) {
	p, err := a.findPredictionOfAnyAccount(ctx, key)
	if err == nil && p.Status != api.PredictionCompleted {
		err = api.NewProblem(api.CodeWrongState, "prediction %s is %s, but only a COMPLETED prediction has a result", p.Key, p.Status)
	}
	return p, err
}

func (a *App) openResult(ctx context.Context, p *store.Prediction) (*File, error) {
	return a.openDownload(ctx, storedfile.Result(p), File{Name: resultFileName(p.Key), ModTime: p.Updated, ETag: p.Key}, p.Account)
}

// DeletePrediction deletes a prediction and its files.
func (a *App) DeletePrediction(ctx context.Context, in *api.PredictionInput) (*api.None, error) {
	return a.deleteResource(ctx, "prediction", in.PredictionKey, (*store.Tx).DeletePrediction)
}
