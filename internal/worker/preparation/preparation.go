// Package preparation runs the jobs that prepare datasets: they check and profile the uploaded CSV.
package preparation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/problem"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/table/profile"
)

// defaultTimeLimit is the default of [Config.TimeLimit]. A preparation may take longer by one
// second for each minBytesPerSecond bytes of the CSV. Most preparations take a small fraction of
// this time.
const (
	defaultTimeLimit  = 2 * time.Minute
	minBytesPerSecond = 1 << 20
)

var errTimeLimit = errors.New("the preparation took longer than the time limit")

// Config configures a Preparer. All fields but TimeLimit are required.
type Config struct {
	Store    *store.Store
	Files    *storedfile.Files
	Queue    *jobqueue.Queue
	Problems *problem.Converter
	Now      func() time.Time
	// RecordRefusedFile appends an event to the audit log: a file of this account contains malware.
	// t is the transaction that removes the file. subject is the key of the dataset.
	RecordRefusedFile func(ctx context.Context, t *store.Tx, account, action, subject string) error
	// TimeLimit is the time limit for preparing an empty dataset. A dataset may take longer by one
	// second for each MiB of its CSV. Defaults to 2 minutes.
	TimeLimit time.Duration
}

// Preparer runs the jobs of the kind [jobqueue.Prepare]. It is safe for concurrent use.
type Preparer struct {
	store             *store.Store
	files             *storedfile.Files
	queue             *jobqueue.Queue
	problems          *problem.Converter
	now               func() time.Time
	recordRefusedFile func(ctx context.Context, t *store.Tx, account, action, subject string) error
	baseTimeLimit     time.Duration // Config.TimeLimit
}

// sharedNow returns the current time on the clock that all processes share.
func (p *Preparer) sharedNow() time.Time { return p.store.ToSharedTime(p.now()) }

// New returns a Preparer.
func New(c Config) *Preparer {
	return &Preparer{
		store: c.Store, files: c.Files, queue: c.Queue, problems: c.Problems, now: c.Now,
		recordRefusedFile: c.RecordRefusedFile, baseTimeLimit: cmp.Or(c.TimeLimit, defaultTimeLimit),
	}
}

// timeLimit returns the time limit for preparing a CSV of the given size in bytes.
func (p *Preparer) timeLimit(bytes int64) time.Duration {
	return p.baseTimeLimit + time.Duration(bytes/minBytesPerSecond)*time.Second
}

// Prepare runs the job of a PROCESSING dataset: it scans the CSV for malware, reads it, and makes
// the dataset COMPLETED with its schema, columns and classes. If the CSV has a defect or reading
// it takes too long, it makes the dataset FAILED.
func (p *Preparer) Prepare(ctx context.Context, r *job.RunningJob) error {
	d, err := p.findDataset(ctx, r.Account, r.Subject)
	if err != nil {
		return err
	}
	if err := p.files.ScanForMalware(ctx, storedfile.CSV(d)); err != nil {
		return err
	}
	var prof *profile.Profile
	limit := p.timeLimit(d.Bytes)
	limited, done := context.WithTimeoutCause(ctx, limit, errTimeLimit)
	defer done()
	err = p.files.Read(limited, storedfile.CSV(d), func(csv io.Reader, _ int64) error {
		prof, err = profile.Scan(limited, csv, profile.ScanOptions{Brief: true})
		return err
	})
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(limited), errTimeLimit) {
		return p.completeOrFail(ctx, &r.Job, d, fmt.Sprintf("%v of %s: upload fewer rows or columns", errTimeLimit, limit), nil)
	}
	if err != nil {
		return err
	}
	if reason := prof.DefectSummary(); reason != "" {
		return p.completeOrFail(ctx, &r.Job, d, reason, nil)
	}
	if d.Schema, err = prof.Schema.EncodeStored(); err != nil {
		return err
	}
	d.Rows, d.Columns, d.Classes = int64(prof.Rows), toColumns(prof), toClasses(prof)
	return p.completeOrFail(ctx, &r.Job, d, "", nil)
}

// findDataset returns the dataset of a job.
func (p *Preparer) findDataset(ctx context.Context, account, key string) (d *store.Dataset, err error) {
	err = p.store.Read(ctx, func(t *store.Tx) error {
		d, err = t.GetDataset(ctx, account, key)
		return err
	})
	return d, err
}

// completeOrFail makes the dataset COMPLETED. If reason is not empty, it makes the
// dataset FAILED instead and deletes its CSV. cause is the error of the job, or nil.
func (p *Preparer) completeOrFail(ctx context.Context, j *job.Job, d *store.Dataset, reason string, cause error) error {
	d.Status, d.FailureReason, d.Updated = api.DatasetCompleted, reason, p.sharedNow()
	unused := ""
	if reason != "" {
		d.Status, unused, d.File = api.DatasetFailed, d.Blob, store.File{}
	}
	err := p.queue.Finish(ctx, j, d.Status, func(t *store.Tx) error {
		if errors.Is(cause, storedfile.ErrMalware) {
			if err := p.recordRefusedFile(ctx, t, j.Account, "dataset.malware", j.Subject); err != nil {
				return err
			}
		}
		return t.UpdateDataset(ctx, d, api.DatasetProcessing)
	})
	if err == nil && unused != "" {
		p.files.Delete(ctx, unused)
	}
	return err
}

// Fail makes the dataset of a failed preparation FAILED because of cause.
func (p *Preparer) Fail(ctx context.Context, j *job.Job, cause error) error {
	d, err := p.findDataset(ctx, j.Account, j.Subject)
	if errors.Is(err, store.ErrNotFound) {
		return job.ErrLeaseLost // the dataset was deleted together with its job
	}
	if err != nil {
		return err
	}
	if api.CodeFromError(cause) == api.CodeDamaged {
		return p.failDamaged(ctx, j, d, cause)
	}
	return p.completeOrFail(ctx, j, d, p.problems.FailureReason(cause), cause)
}

// failDamaged makes a dataset FAILED because its stored CSV is damaged. It keeps the
// CSV, because the owner of the dataset may be able to recover a part of the CSV.
func (p *Preparer) failDamaged(ctx context.Context, j *job.Job, d *store.Dataset, cause error) error {
	d.Status, d.FailureReason, d.Updated = api.DatasetFailed, p.problems.FailureReason(cause), p.sharedNow()
	return p.queue.Finish(ctx, j, d.Status, func(t *store.Tx) error { return t.UpdateDataset(ctx, d, api.DatasetProcessing) })
}
