package app

import (
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/jobqueue"
	"foretell/internal/quota"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/table/frame"
)

const (
	// contentLengthRangeHeader is the header that a client should send with an upload. It has
	// the minimum and the maximum size in bytes, in the format of the service's published
	// documentation. Responses list the header in the member extraHeaders.
	contentLengthRangeHeader = "X-Foretell-Content-Length-Range:10,534773760"
)

// CreateDataset creates an empty dataset in state PENDING.
func (a *App) CreateDataset(ctx context.Context, in *api.CreateDatasetInput) (*api.CreatedDataset, error) {
	body, err := normalizeNewDataset(in.Body)
	if err != nil {
		return nil, err
	}
	key, err := a.newUUID()
	if err != nil {
		return nil, err
	}
	now := a.sharedNow()
	d := &store.Dataset{
		Key: key, Account: callerFromContext(ctx).Account, Name: body.DatasetName, Description: body.Description,
		Status: api.DatasetPending, Buckets: api.DefaultBuckets, FileName: normalizeFileName(body.FileName), Created: now, Updated: now,
	}
	if body.Series != nil {
		d.Series = *body.Series
	}
	if body.NumberOfBuckets != nil {
		d.Buckets = *body.NumberOfBuckets
	}
	added := store.Usage{Datasets: 1}
	if a.sendsUploadURLs { // the service does not see the request that uploads the file, so it checks the quota now
		added.Bytes = api.MinUploadBytes
	}
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if err := quota.Check(ctx, t, d.Account, added); err != nil {
			return err
		}
		return t.InsertDataset(ctx, d)
	})
	if errors.Is(err, store.ErrExists) {
		return nil, api.NewProblem(api.CodeNameTaken, "a dataset named %q already exists: choose another name, or delete that dataset", d.Name).WithCause(err)
	}
	if err != nil {
		return nil, a.convertAccountError(err)
	}
	info, err := a.signUpload(ctx, d)
	if err != nil {
		return nil, err
	}
	return &api.CreatedDataset{
		DatasetKey: key, NumberOfBuckets: d.Buckets, Status: d.Status,
		DatasetCreationProgressURL: absoluteURL(ctx, api.PathOf(api.GetDataset.Operation, key)),
		DatasetUploadInfo:          info,
	}, nil
}

// normalizeNewDataset validates a request to create a dataset, and returns it with normalized
// names. The problem of an invalid request names the invalid member.
func normalizeNewDataset(d api.NewDataset) (api.NewDataset, error) {
	var err error
	if d.DatasetName, err = normalizeName("datasetName", d.DatasetName); err != nil {
		return d, err
	}
	if d.Series != nil {
		series, err := normalizeName("series", *d.Series)
		if err != nil {
			return d, err
		}
		d.Series = &series
	}
	if d.Description != nil {
		if n := utf8.RuneCountInString(*d.Description); n < api.MinDescriptionLength || n > api.MaxDescriptionLength {
			return d, api.NewFieldProblem("description", "must have %d to %d characters or be null, got %d", api.MinDescriptionLength, api.MaxDescriptionLength, n)
		}
		if err := api.CheckText("description", *d.Description, "\t\r\n"); err != nil {
			return d, err
		}
	}
	if b := d.NumberOfBuckets; b != nil && (*b < api.MinBuckets || *b > api.MaxBuckets) {
		return d, api.NewFieldProblem("numberOfBuckets", "%d: must be between %d and %d", *b, api.MinBuckets, api.MaxBuckets)
	}
	return d, nil
}

// newerSchemaRetrySeconds is the Retry-After, in seconds, if a newer version of the service has
// prepared a dataset. After this time, this service may be upgraded, or a proxy may choose a newer
// one.
const newerSchemaRetrySeconds = 30

// decodeSchema returns the schema of a prepared dataset. If a newer version of the service has
// prepared the dataset, it returns a *api.Problem with CodeNotReady.
func decodeSchema(d *store.Dataset) (*frame.Schema, error) {
	schema, err := frame.DecodeStored(d.Schema)
	if errors.Is(err, frame.ErrNewerSchema) {
		p := api.NewProblem(api.CodeNotReady, "dataset %s was prepared by a newer version of foretell: this service must be upgraded", d.Key).WithCause(err)
		p.RetryAfter = newerSchemaRetrySeconds
		return nil, p
	}
	return schema, err
}

// GetDataset returns a dataset of the caller with its columns and classes. A PENDING dataset also
// has a newly signed upload URL.
func (a *App) GetDataset(ctx context.Context, in *api.DatasetInput) (*api.Dataset, error) {
	var d *store.Dataset
	s, err := a.queue.ReadWithStatus(ctx, func(t *store.Tx) (subject string, err error) {
		if d, err = t.GetDataset(ctx, callerFromContext(ctx).Account, in.DatasetKey); err != nil || d.Status != api.DatasetProcessing {
			return "", err
		}
		return d.Key, nil
	})
	if err != nil {
		return nil, a.problems.ConvertLookupError(err, "dataset", in.DatasetKey)
	}
	out := &api.Dataset{
		DatasetEntry: toDatasetEntry(ctx, d, s), UpdatedOn: api.FormatTime(d.Updated), FailureReason: d.FailureReason, FileName: d.FileName,
		Rows: d.Rows, Columns: d.Columns, Classes: d.Classes,
	}
	if len(d.Schema) > 0 {
		schema, err := decodeSchema(d)
		if err != nil {
			return nil, err
		}
		out.IDName, out.LabelName = schema.ID, schema.Label
	}
	if d.Status == api.DatasetPending {
		info, err := a.signUpload(ctx, d)
		if err != nil {
			return nil, err
		}
		out.DatasetUploadInfo = &info
	}
	return out, nil
}

// signUpload returns the signed URL to which a client uploads the CSV of a PENDING dataset, and
// the headers to send. With direct transfers, it is a URL of the S3 store.
func (a *App) signUpload(ctx context.Context, d *store.Dataset) (api.UploadInfo, error) {
	if a.sendsUploadURLs {
		return a.signDirectUpload(ctx, d.Account, d.Key)
	}
	return api.UploadInfo{UploadURL: a.signURL(ctx, api.PathOf(api.UploadData.Operation, d.Key)), ExtraHeaders: contentLengthRangeHeader}, nil
}

// findDataset returns the dataset of the caller with the given key, or a problem if it does not exist.
func (a *App) findDataset(ctx context.Context, key string) (d *store.Dataset, err error) {
	err = a.store.ReadOneStatement(ctx, func(t *store.Tx) error {
		d, err = t.GetDataset(ctx, callerFromContext(ctx).Account, key)
		return err
	})
	return d, a.problems.ConvertLookupError(err, "dataset", key)
}

// checkDatasetExists returns a problem if the caller has no dataset with this key. Unlike
// findDataset, it does not read the description of the columns, which may be a megabyte of JSON.
func (a *App) checkDatasetExists(ctx context.Context, key string) error {
	err := a.store.ReadOneStatement(ctx, func(t *store.Tx) error {
		found, err := t.HasDataset(ctx, callerFromContext(ctx).Account, key)
		if err == nil && !found {
			err = store.ErrNotFound
		}
		return err
	})
	return a.problems.ConvertLookupError(err, "dataset", key)
}

func toDatasetEntry(ctx context.Context, d *store.Dataset, s jobqueue.Status) api.DatasetEntry {
	return api.DatasetEntry{
		Interrupted: s.Interrupted, WaitingFor: s.WaitingFor,
		DatasetKey: d.Key, DatasetName: d.Name, Series: d.Series, Description: d.Description, Status: d.Status, NumberOfBuckets: d.Buckets,
		DatasetCreationProgressURL: absoluteURL(ctx, api.PathOf(api.GetDataset.Operation, d.Key)), CreatedOn: api.FormatTime(d.Created), CreatedMicros: d.Created.UnixMicro(), Bytes: d.Bytes, SHA256: d.SHA256,
	}
}

// ListDatasets returns a page of the caller's datasets, newest first.
func (a *App) ListDatasets(ctx context.Context, in *api.ListDatasetsInput) (*api.DatasetPage, error) {
	w, err := parsePage(in.PageInput)
	if err != nil {
		return nil, err
	}
	switch in.State {
	case "", api.DatasetPending, api.DatasetProcessing, api.DatasetCompleted, api.DatasetFailed:
	default:
		return nil, api.NewFieldProblem("state", "%q: must be PENDING, PROCESSING, COMPLETED or FAILED", in.State)
	}
	query := store.DatasetQuery{Account: callerFromContext(ctx).Account, State: in.State, WithModel: in.WithModelOnly, WithPrediction: in.WithPredictionOnly, Page: w}
	var datasets []*store.Dataset
	var total int64
	statuses, err := a.queue.ReadWithStatuses(ctx, callerFromContext(ctx).Account, func(t *store.Tx) (subjects []string, err error) {
		datasets, total, err = t.ListDatasets(ctx, query)
		return keysWithJob(datasets, func(d *store.Dataset) bool { return d.Status == api.DatasetProcessing }, func(d *store.Dataset) string { return d.Key }), err
	})
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	out := &api.DatasetPage{Datasets: api.DatasetEntries{Quoted: true}, Page: toPage(w, total)}
	out.Datasets.Items = make([]api.DatasetEntry, len(datasets))
	for i, d := range datasets {
		out.Datasets.Items[i] = toDatasetEntry(ctx, d, statuses[d.Key])
	}
	return out, nil
}

// AddData stores body, a CSV of at most 32 MB, as the data of a PENDING dataset. It makes the
// dataset PROCESSING and queues its preparation.
func (a *App) AddData(ctx context.Context, in *api.DatasetInput, body io.Reader) (*api.DatasetEntry, error) {
	d, err := a.findPendingDataset(ctx, in.DatasetKey)
	if err != nil {
		return nil, err
	}
	return a.storeAndQueuePreparation(ctx, d, upload{body: body, size: -1, max: api.MaxAddDataBytes})
}

// UploadData is like AddData, but accepts a CSV of up to [api.MaxUploadBytes]. in contains the
// query parameters of the signed URL that [App.CreateDataset] returned. size is the Content-Length
// of the body, or -1 if it is unknown.
func (a *App) UploadData(ctx context.Context, in *api.UploadInput, body io.Reader, size int64) (*api.DatasetEntry, error) {
	if err := a.verifySignature(ctx, api.PathOf(api.UploadData.Operation, in.DatasetKey), in.Expires, in.Signature); err != nil {
		return nil, err
	}
	d, err := a.findPendingDataset(ctx, in.DatasetKey)
	if err != nil {
		return nil, err
	}
	return a.storeAndQueuePreparation(ctx, d, upload{body: body, size: size, min: api.MinUploadBytes, max: api.MaxUploadBytes})
}

// findPendingDataset returns a dataset of the caller, or a problem if the dataset is not PENDING.
// The state can change during the upload, so setFileAndQueuePreparation checks it again.
func (a *App) findPendingDataset(ctx context.Context, key string) (*store.Dataset, error) {
	d, err := a.findDataset(ctx, key)
	if err != nil {
		return nil, err
	}
	if d.Status != api.DatasetPending {
		return nil, notPendingProblem(d)
	}
	return d, nil
}

func notPendingProblem(d *store.Dataset) error {
	return api.NewProblem(api.CodeWrongState, "dataset %s is %s, but data can be added only to a PENDING dataset: create another dataset", d.Key, d.Status)
}

// storeAndQueuePreparation stores the body of u as the CSV of d. In one transaction, it then makes
// the dataset PROCESSING and queues its preparation. If two uploads are concurrent, the upload that
// ends first succeeds.
func (a *App) storeAndQueuePreparation(ctx context.Context, d *store.Dataset, u upload) (*api.DatasetEntry, error) {
	info, err := a.storeUpload(ctx, u)
	if err != nil {
		return nil, err
	}
	if body, hasName := u.body.(namedBody); hasName && d.FileName == "" {
		d.FileName = normalizeFileName(body.FileName())
	}
	err = a.setFileAndQueuePreparation(ctx, d, info)
	if errors.Is(err, store.ErrWrongState) {
		current, err := a.findDataset(ctx, d.Key)
		if err != nil {
			return nil, err
		}
		return nil, notPendingProblem(current)
	}
	if err != nil {
		return nil, a.problems.ConvertLookupError(err, "dataset", d.Key) // deleted during the upload
	}
	entry := toDatasetEntry(ctx, d, jobqueue.Status{})
	return &entry, nil
}

// setFileAndQueuePreparation makes a PENDING dataset PROCESSING, with a stored file as its CSV, and
// queues the preparation. If this fails, it deletes the file.
func (a *App) setFileAndQueuePreparation(ctx context.Context, d *store.Dataset, info blob.Info) error {
	d.Status, d.File, d.Updated = api.DatasetProcessing, storedfile.FromInfo(info), a.sharedNow()
	err := a.store.Write(ctx, func(t *store.Tx) error {
		// Check the state before the quota. If an earlier upload has already stored a CSV for this
		// dataset, the error must be about the state, even if that CSV has used up the quota.
		current, err := t.GetDataset(ctx, d.Account, d.Key)
		if err != nil {
			return err
		}
		if current.Status != api.DatasetPending {
			return store.ErrWrongState
		}
		if err := quota.Check(ctx, t, d.Account, store.Usage{Bytes: info.Size}); err != nil {
			return err
		}
		if err := t.UpdateDataset(ctx, d, api.DatasetPending); err != nil {
			return err
		}
		return a.queue.Insert(ctx, t, &store.Job{Kind: jobqueue.Prepare, Account: d.Account, Subject: d.Key})
	})
	if err != nil {
		a.files.DeleteUncommitted(ctx, err, info.Key)
		return err
	}
	a.queue.Notify(jobqueue.Prepare)
	return nil
}

// DeleteDataset deletes a dataset with its training jobs, models and predictions. It also stops the
// preparation of the dataset.
func (a *App) DeleteDataset(ctx context.Context, in *api.DatasetInput) (*api.None, error) {
	return a.deleteResource(ctx, "dataset", in.DatasetKey, (*store.Tx).DeleteDataset)
}
