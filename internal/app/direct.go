package app

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/quota"
	"foretell/internal/store"
)

// csvMediaType is the media type of the files that clients exchange with the S3 store.
const csvMediaType = "text/csv"

// uploadPollInterval is the interval at which PollDirectUploads looks for uploads while an upload
// URL of this process is valid, or after a pass that was too short for all uploads. At other times, the
// interval is idleUploadPollInterval: a process that has died may have returned other upload URLs.
const (
	uploadPollInterval     = time.Second
	idleUploadPollInterval = 30 * time.Second
)

// HasDirectUploads reports whether clients send files directly to the S3 store, so that the service
// itself accepts only files of at most [api.MaxAddDataBytes] for datasets.
func (a *App) HasDirectUploads() bool { return a.sendsUploadURLs }

// signDirectUpload returns the signed URL of the S3 store, and the headers, to upload the CSV of
// a PENDING dataset.
func (a *App) signDirectUpload(ctx context.Context, account, key string) (api.UploadInfo, error) {
	address, err := a.direct.UploadURL(ctx, account+"/"+key, csvMediaType, signedURLLifetimeSeconds*time.Second)
	if err != nil {
		return api.UploadInfo{}, a.problems.Convert(err)
	}
	a.lastUploadURLTime.Store(a.now().Unix())
	select {
	case a.uploadURLReturned <- struct{}{}:
	default: // a value is waiting
	}
	return api.UploadInfo{UploadURL: address, ExtraHeaders: "Content-Type:" + csvMediaType + "\n" + contentLengthRangeHeader}, nil
}

// resultURL returns the signed URL of the result of a COMPLETED prediction. It is a URL of the
// S3 store if direct transfers are enabled and the URL can be signed. Otherwise it is a URL of
// the service.
func (a *App) resultURL(ctx context.Context, p *store.Prediction) string {
	if a.sendsUploadURLs {
		address, err := a.direct.DownloadURL(ctx, p.Result.Blob, resultFileName(p.Key), csvMediaType+"; charset=utf-8", signedURLLifetimeSeconds*time.Second)
		if err == nil {
			return address
		}
		a.log.WarnContext(ctx, "cannot sign the URL of a result at the S3 store; the client gets a URL of the service", "prediction", p.Key, "error", err)
	}
	return a.signURL(ctx, api.PathOf(api.DownloadResult.Operation, p.Key))
}

// PollDirectUploads finds the CSV files that clients have uploaded to the S3 store and
// queues the preparation of their datasets, until ctx is done. It does nothing unless the files are
// in an S3 store. Without Config.DirectTransfers it looks for uploads whose URL was returned by
// another process, or by this one before it was restarted with other options.
func (a *App) PollDirectUploads(ctx context.Context) {
	if a.direct == nil {
		return
	}
	for {
		more, err := a.processUploads(ctx)
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "cannot look for uploads; trying again", "error", err)
		}
		interval, wake := idleUploadPollInterval, a.uploadURLReturned
		if more || a.now().Unix()-a.lastUploadURLTime.Load() < signedURLLifetimeSeconds {
			interval, wake = uploadPollInterval, nil
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-time.After(interval):
		}
	}
}

const (
	// maxConcurrentUploads is the number of uploads that processUploads processes at a time.
	maxConcurrentUploads = 3
	// uploadPassTime is the time after which processUploads begins to process no further upload of
	// its list. The next list contains uploads that have arrived in the meantime.
	uploadPassTime = 5 * time.Second
)

// processUploads lists the uploads in the S3 store and calls processUpload with them, with several
// at a time. Accounts take turns, so that the many uploads of one account do not delay those of the
// others. If the database or the S3 store is unavailable, processUploads begins no further upload. If
// more is true, it stopped because of uploadPassTime, perhaps before the end of the list.
func (a *App) processUploads(ctx context.Context) (more bool, err error) {
	var seed [32]byte
	if _, err := io.ReadFull(a.rand, seed[:]); err != nil {
		return false, err
	}
	listed, err := a.direct.Uploads(ctx)
	if err != nil {
		return false, err
	}
	order := rand.New(rand.NewChaCha8(seed))
	pass, stop := context.WithTimeout(ctx, uploadPassTime)
	defer stop()
	uploads := make(chan blob.Upload)
	go func() {
		defer close(uploads)
		for _, u := range inTurns(listed, order) {
			select {
			case uploads <- u:
			case <-pass.Done():
				return
			}
		}
	}()
	var mu sync.Mutex
	var errs []error
	var workers sync.WaitGroup
	for range maxConcurrentUploads {
		workers.Go(func() {
			for u := range uploads {
				err := a.processUpload(ctx, u)
				if errors.Is(err, blob.ErrUnavailable) || errors.Is(err, store.ErrUnavailable) {
					stop()
				}
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return errors.Is(pass.Err(), context.DeadlineExceeded), errors.Join(errs...)
}

// inTurns returns the uploads in a random order in which accounts take turns: the first upload of
// each account, then the second of each, and so on. Processes thus begin with different uploads.
func inTurns(uploads []blob.Upload, order *rand.Rand) []blob.Upload {
	order.Shuffle(len(uploads), func(i, j int) { uploads[i], uploads[j] = uploads[j], uploads[i] })
	turn := map[string]int{} // the number of earlier uploads of the account, by the name of the upload
	seen := map[string]int{}
	for _, u := range uploads {
		account, _, _ := strings.Cut(u.Name, "/")
		turn[u.Name] = seen[account]
		seen[account]++
	}
	slices.SortStableFunc(uploads, func(x, y blob.Upload) int { return turn[x.Name] - turn[y.Name] })
	return uploads
}

// processUpload makes the dataset of an upload PROCESSING, queues its preparation, and deletes the
// upload. If the upload is too large or exceeds the quota of the account, it makes the dataset
// FAILED instead. If the dataset was deleted or is not PENDING, it only deletes the upload. It
// keeps an upload that is too small until its URL expires, because the client may replace the file.
func (a *App) processUpload(ctx context.Context, u blob.Upload) error {
	account, key, _ := strings.Cut(u.Name, "/")
	var d *store.Dataset
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		if d, err = t.GetDataset(ctx, account, key); err != nil || d.Status != api.DatasetPending {
			return err
		}
		return quota.Check(ctx, t, account, store.Usage{Bytes: u.Size})
	})
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && d.Status != api.DatasetPending:
		return a.direct.Delete(ctx, u.Name)
	case err != nil:
		return a.refuseUpload(ctx, u, d, err)
	case u.Size > api.MaxUploadBytes:
		return a.refuseUpload(ctx, u, d, tooLargeProblem(api.MaxUploadBytes))
	case u.Size < api.MinUploadBytes:
		if a.now().Sub(u.Modified) < signedURLLifetimeSeconds*time.Second {
			return nil // while the URL is valid, the client may be replacing the file
		}
		return a.direct.Delete(ctx, u.Name)
	}
	info, err := a.direct.CopyToBlob(ctx, u)
	if errors.Is(err, blob.ErrNotFound) {
		return nil // replaced by the client, or processed by another process
	}
	if err != nil {
		return err
	}
	err = a.setFileAndQueuePreparation(ctx, d, info)
	if err != nil && !errors.Is(err, store.ErrWrongState) { // ErrWrongState means that another upload was faster
		return a.refuseUpload(ctx, u, d, err)
	}
	return a.direct.Delete(ctx, u.Name)
}

// refuseUpload makes the PENDING dataset of an upload FAILED and deletes the upload, if cause says
// that the upload is too large or exceeds the quota. Otherwise it only returns cause.
func (a *App) refuseUpload(ctx context.Context, u blob.Upload, d *store.Dataset, cause error) error {
	if code := api.CodeFromError(cause); code != api.CodeQuota && code != api.CodeTooLarge {
		return cause
	}
	a.log.WarnContext(ctx, "refused an upload", "dataset", d.Key, "bytes", u.Size, "error", cause)
	d.Status, d.File, d.FailureReason, d.Updated = api.DatasetFailed, store.File{}, cause.Error(), a.sharedNow()
	err := a.store.Write(ctx, func(t *store.Tx) error { return t.UpdateDataset(ctx, d, api.DatasetPending) })
	if err != nil && !errors.Is(err, store.ErrWrongState) {
		return err
	}
	return a.direct.Delete(ctx, u.Name)
}
