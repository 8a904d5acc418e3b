package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"foretell/internal/api"
)

// minExpectContinueBytes is the minimum size, in bytes, of a body that is sent with the header
// Expect: 100-continue. The service can then reject the request before the body is sent.
const minExpectContinueBytes = 1 << 20

// Upload sends src to a dataset that was just created. It sends a file of at most 32 MB with
// [Client.AddData], and a larger file to the upload URL of the dataset. progress, which may be nil,
// is called with the number of bytes sent so far. A retry restarts at 0.
//
// After a lost connection, Upload retries only if the dataset is still PENDING. Therefore the file
// is never added twice.
func (c *Client) Upload(ctx context.Context, created *api.CreatedDataset, src Source, progress func(sent int64)) (*api.DatasetEntry, error) {
	info := created.DatasetUploadInfo
	if (src.Size >= 0 && src.Size <= api.MaxAddDataBytes) || info.UploadURL == "" {
		return c.AddData(ctx, created.DatasetKey, src, progress)
	}
	return c.uploadToURL(ctx, created, src, progress)
}

// CreateDataset creates a dataset. After a lost connection, it repeats the request. If an earlier
// attempt has created the dataset, it returns this dataset.
//
// The field fileName of the request is an extension. If the service rejects the request because of
// this field, or without naming a field, CreateDataset omits the field.
func (c *Client) CreateDataset(ctx context.Context, in *api.CreateDatasetInput) (*api.CreatedDataset, error) {
	created, err := c.createDataset(ctx, in)
	var problem *api.Problem
	if in.Body.FileName == "" || !errors.As(err, &problem) || problem.Status != http.StatusBadRequest && problem.Status != http.StatusUnprocessableEntity {
		return created, err
	}
	if len(problem.Errors) > 0 && !slices.ContainsFunc(problem.Errors, func(e api.FieldError) bool { return e.Field == "fileName" }) {
		return created, err
	}
	nameless := *in
	nameless.Body.FileName = ""
	return c.createDataset(ctx, &nameless)
}

// createDataset implements [Client.CreateDataset], except for the field fileName. The request may
// be repeated, because an account cannot have two datasets with the same name.
func (c *Client) createDataset(ctx context.Context, in *api.CreateDatasetInput) (*api.CreatedDataset, error) {
	req, err := c.newRequest(api.CreateDataset.Operation, in)
	if err != nil {
		return nil, err
	}
	req.idempotent = true
	created := new(api.CreatedDataset)
	err = c.doJSON(ctx, req, created)
	if err == nil {
		return created, nil
	}
	if code := api.CodeFromError(err); req.attempts > 1 && (code == api.CodeNameTaken || code == api.CodeWrongState) {
		if found, failure := c.findDatasetOfEarlierAttempt(ctx, &in.Body); failure == nil && found != nil {
			return found, nil
		}
	}
	return nil, err
}

// maxAgeFromEarlierAttempt is the maximum age of a dataset that findDatasetOfEarlierAttempt
// returns. It is longer than all attempts of a request together, because the clocks of the client
// and of the service may differ.
const maxAgeFromEarlierAttempt = 10 * time.Minute

// findDatasetOfEarlierAttempt returns the dataset that an earlier attempt of the same request has
// created, or nil. Such a dataset is PENDING and not older than maxAgeFromEarlierAttempt. It has
// the same name as want, which is the body of the request, and no other file name or number of
// buckets.
func (c *Client) findDatasetOfEarlierAttempt(ctx context.Context, want *api.NewDataset) (*api.CreatedDataset, error) {
	name := storedName(want.DatasetName)
	for entry, err := range AllDatasets(ctx, c, api.ListDatasetsInput{State: api.DatasetPending}) {
		if err != nil {
			return nil, err
		}
		if entry.DatasetName != name {
			continue
		}
		d, err := Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: entry.DatasetKey})
		if err != nil {
			return nil, err
		}
		created, err := time.Parse(api.TimeLayout, d.CreatedOn)
		isRecent := err == nil && (c.opts.Now == nil || c.now().Sub(created).Abs() < maxAgeFromEarlierAttempt)
		isSame := (d.FileName == "" || d.FileName == want.FileName) && (want.NumberOfBuckets == nil || d.NumberOfBuckets == *want.NumberOfBuckets)
		if !isRecent || !isSame || d.Status != api.DatasetPending {
			return nil, nil
		}
		out := &api.CreatedDataset{DatasetKey: d.DatasetKey, NumberOfBuckets: d.NumberOfBuckets, Status: d.Status, DatasetCreationProgressURL: d.DatasetCreationProgressURL}
		if d.DatasetUploadInfo != nil {
			out.DatasetUploadInfo = *d.DatasetUploadInfo
		}
		return out, nil
	}
	return nil, nil
}

// AddData adds a CSV of at most 32 MB to a PENDING dataset. For progress, see [Client.Upload].
func (c *Client) AddData(ctx context.Context, key string, src Source, progress func(sent int64)) (*api.DatasetEntry, error) {
	req, err := c.newRequest(api.AddData.Operation, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return nil, err
	}
	req.setFileBody(newForm(src.Name), src, progress)
	return c.sendFile(ctx, req, key)
}

// UploadData sends a CSV to the upload URL of a dataset. The returned entry is empty if the URL
// belongs to an object store. UploadData does not retry after a lost connection: without the key of
// the dataset, it cannot check whether the file was added. For progress, see [Client.Upload].
func (c *Client) UploadData(ctx context.Context, info api.UploadInfo, src Source, progress func(sent int64)) (*api.DatasetEntry, error) {
	return c.uploadToURL(ctx, &api.CreatedDataset{DatasetUploadInfo: info}, src, progress)
}

// CreatePrediction sends a CSV and starts its prediction with a model. It does not retry after a
// lost connection, because the service may have accepted the CSV already. For progress, see
// [Client.Upload].
func (c *Client) CreatePrediction(ctx context.Context, in *api.NewPrediction, src Source, progress func(sent int64)) (*api.CreatedPrediction, error) {
	req, err := c.newRequest(api.CreatePrediction.Operation, in)
	if err != nil {
		return nil, err
	}
	req.setFileBody(newForm(src.Name), src, progress)
	out := new(api.CreatedPrediction)
	if err := c.doJSON(ctx, req, out); err != nil {
		return nil, err
	}
	return out, nil
}

// uploadToURL sends src to the upload URL in created, the description of a new dataset. The dataset
// key in created may be empty.
func (c *Client) uploadToURL(ctx context.Context, created *api.CreatedDataset, src Source, progress func(sent int64)) (*api.DatasetEntry, error) {
	info := created.DatasetUploadInfo
	address, err := c.resolveURL(info.UploadURL)
	if err != nil {
		return nil, err
	}
	header, err := parseExtraHeaders(info.ExtraHeaders)
	if err != nil {
		return nil, err
	}
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "text/csv")
	}
	req := &request{
		op: api.UploadData.ID, method: api.UploadData.Method, url: address, header: header,
		waitOn429: true, sendToken: c.shouldSendToken(address),
	}
	req.setFileBody(multipartForm{}, src, progress)
	return c.sendFile(ctx, req, created.DatasetKey)
}

// shouldSendToken reports whether to send the token to an upload URL: always to the host of the
// service, and to another host only if the URL has no signature. If the service uses https, another
// host gets the token only if it uses https, too.
func (c *Client) shouldSendToken(address *url.URL) bool {
	if isSameServiceOrHTTPS(c.base, address) {
		return true
	}
	return !isSigned(address) && (address.Scheme == "https" || c.base.Scheme == "http")
}

// sendFile sends the file of the dataset datasetKey. If datasetKey is not "", it retries
// after a lost connection while the dataset is still PENDING.
func (c *Client) sendFile(ctx context.Context, req *request, datasetKey string) (*api.DatasetEntry, error) {
	if datasetKey != "" {
		req.idempotent = true
		req.wasApplied = func(ctx context.Context) (bool, error) {
			entry, err := c.fetchDatasetEntry(ctx, datasetKey)
			return err == nil && entry.Status != api.DatasetPending, err
		}
	}
	resp, err := c.send(ctx, req)
	if datasetKey != "" && (errors.Is(err, errApplied) || req.attempts > 1 && api.CodeFromError(err) == api.CodeWrongState) {
		return c.fetchDatasetEntry(ctx, datasetKey)
	}
	if err != nil && req.attempts > 1 {
		return nil, retriedError{err}
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	c.traceBody(req, resp, body)
	entry := new(api.DatasetEntry)
	switch {
	case err == nil && (json.Valid(body) || req.op == api.AddData.ID && looksLikeHTML(resp, body)):
		return entry, decodeResponse(req, resp, body, entry) // HTML is an error: only the service responds to AddData, never an object store
	case datasetKey != "":
		return c.fetchDatasetEntry(ctx, datasetKey) // the response came from an object store, or was lost
	case err != nil:
		return nil, c.networkError(ctx, req, err)
	default:
		return entry, nil
	}
}

// ErrRetried is wrapped by the error of an upload that was tried several times. The service may
// still be processing an earlier attempt, so the dataset may get the file after all.
var ErrRetried = errors.New("an earlier attempt may have succeeded")

// retriedError adds ErrRetried to the error of the last of several attempts.
type retriedError struct{ error }

// Unwrap returns the error of the last attempt.
func (e retriedError) Unwrap() error { return e.error }

// Is reports whether target is ErrRetried.
func (e retriedError) Is(target error) bool { return target == ErrRetried }

// fetchDatasetEntry requests the dataset with the given key.
func (c *Client) fetchDatasetEntry(ctx context.Context, key string) (*api.DatasetEntry, error) {
	dataset, err := Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return nil, err
	}
	return &dataset.DatasetEntry, nil
}
