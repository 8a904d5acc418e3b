package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// defaultPreparationTimeLimit is the default of [Config.PreparationTimeLimit]. The time limit
// is increased by one second for each minPreparationBytesPerSecond bytes of the CSV. Most
// preparations take a small fraction of the time limit.
const (
	defaultPreparationTimeLimit  = 2 * time.Minute
	minPreparationBytesPerSecond = 1 << 20
)

var errPreparationTimeLimit = errors.New("the preparation took longer than the time limit")

// preparationTimeLimit returns the time limit for preparing a CSV of the given size.
func (a *App) preparationTimeLimit(bytes int64) time.Duration {
	return a.basePreparationTimeLimit + time.Duration(bytes/minPreparationBytesPerSecond)*time.Second
}

// prepare runs the job of a PROCESSING dataset: it reads the CSV, stores the profile and makes
// the dataset COMPLETED, or FAILED if the CSV has a defect.
func (a *App) prepare(ctx context.Context, r *job.RunningJob) error {
	d, err := a.findJobDataset(ctx, r.Account, r.Subject)
	if err != nil {
		return err
	}
	if err := a.files.ScanForMalware(ctx, storedfile.CSV(d)); err != nil {
		return err
	}
	var prof *profile.Profile
	limit := a.preparationTimeLimit(d.Bytes)
	limited, done := context.WithTimeoutCause(ctx, limit, errPreparationTimeLimit)
	defer done()
	err = a.files.Read(limited, storedfile.CSV(d), func(csv io.Reader, _ int64) error {
		prof, err = profile.Scan(limited, csv, profile.ScanOptions{Brief: true})
		return err
	})
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(limited), errPreparationTimeLimit) {
		return a.completeOrFailDataset(ctx, &r.Job, d, fmt.Sprintf("%v of %s: upload fewer rows or columns", errPreparationTimeLimit, limit), nil)
	}
	if err != nil {
		return err
	}
	if reason := prof.DefectSummary(); reason != "" {
		return a.completeOrFailDataset(ctx, &r.Job, d, reason, nil)
	}
	if d.Schema, err = prof.Schema.EncodeStored(); err != nil {
		return err
	}
	d.Rows, d.Columns, d.Classes = int64(prof.Rows), toColumns(prof), toClasses(prof)
	return a.completeOrFailDataset(ctx, &r.Job, d, "", nil)
}

// findJobDataset returns the dataset of a job.
func (a *App) findJobDataset(ctx context.Context, account, key string) (d *store.Dataset, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		d, err = t.GetDataset(ctx, account, key)
		return err
	})
	return d, err
}

// completeOrFailDataset makes the dataset COMPLETED. If reason is not empty, it makes the
// dataset FAILED instead and deletes its CSV. cause is the error of the job, or nil.
func (a *App) completeOrFailDataset(ctx context.Context, j *job.Job, d *store.Dataset, reason string, cause error) error {
	d.Status, d.FailureReason, d.Updated = api.DatasetCompleted, reason, a.now()
	unused := ""
	if reason != "" {
		d.Status, unused, d.File = api.DatasetFailed, d.Blob, store.File{}
	}
	err := a.queue.Finish(ctx, j, d.Status, func(t *store.Tx) error {
		if errors.Is(cause, storedfile.ErrMalware) {
			if err := a.RecordRefusedFile(ctx, t, j.Account, "dataset.malware", j.Subject); err != nil {
				return err
			}
		}
		return t.UpdateDataset(ctx, d, api.DatasetProcessing)
	})
	if err == nil && unused != "" {
		a.files.Delete(ctx, unused)
	}
	return err
}

// failDataset makes the dataset of a failed preparation FAILED because of cause.
func (a *App) failDataset(ctx context.Context, j *job.Job, cause error) error {
	d, err := a.findJobDataset(ctx, j.Account, j.Subject)
	if errors.Is(err, store.ErrNotFound) {
		return job.ErrLeaseLost // the dataset was deleted together with its job
	}
	if err != nil {
		return err
	}
	if api.CodeFromError(cause) == api.CodeDamaged {
		return a.failDamagedDataset(ctx, j, d, cause)
	}
	return a.completeOrFailDataset(ctx, j, d, a.problems.FailureReason(cause), cause)
}

// failDamagedDataset makes a dataset FAILED because its stored CSV is damaged. It keeps the
// CSV, because the owner of the dataset may be able to recover a part of the CSV.
func (a *App) failDamagedDataset(ctx context.Context, j *job.Job, d *store.Dataset, cause error) error {
	d.Status, d.FailureReason, d.Updated = api.DatasetFailed, a.problems.FailureReason(cause), a.now()
	return a.queue.Finish(ctx, j, d.Status, func(t *store.Tx) error { return t.UpdateDataset(ctx, d, api.DatasetProcessing) })
}

func toColumns(p *profile.Profile) []api.Column {
	columns := make([]api.Column, len(p.Columns))
	for i, c := range p.Columns {
		columns[i] = api.Column{Name: c.Name, Kind: string(c.Form), Missing: int64(c.Missing), Distinct: int64(c.Distinct), DistinctEstimate: c.Estimate, DateOrder: string(c.DateOrder), TimeZones: c.TimeZones, Unused: c.Features == 0, Distribution: toDistribution(&c)}
		if format := c.NumberFormat(); format != nil {
			columns[i].NumberFormat = new(api.NumberFormat(*format))
		}
	}
	return columns
}

// maxDistributionBins is the maximum number of bins, and maxDistributionTexts the maximum
// number of texts, in the distribution of a column. The distributions of 5,000 columns must fit
// in one row of the store.
const (
	maxDistributionBins  = 16
	maxDistributionTexts = 5
)

// toDistribution returns the distribution of a column, or nil if it is unknown.
func toDistribution(c *profile.ColumnProfile) *api.Distribution {
	var d api.Distribution
	if n := c.Numbers; n != nil {
		d.Min, d.Max, d.Mean, d.Integers = n.Min, n.Max, n.Mean, c.Form == inference.FormNumeric && c.IsInteger()
		if h := n.Histogram; h != nil && len(h.Rows) > 0 {
			merged := (len(h.Rows) + maxDistributionBins - 1) / maxDistributionBins // number of bins that are joined into one
			d.Bins = make([]int64, (len(h.Rows)+merged-1)/merged)
			for i, rows := range h.Rows {
				d.Bins[i/merged] += int64(rows)
			}
			d.Low, d.High = h.Low, h.Edge(merged*len(d.Bins))
		}
	}
	for _, value := range c.Top[:min(len(c.Top), maxDistributionTexts)] {
		d.Top = append(d.Top, api.Class{Label: api.AbbreviateValue(value.Text), Rows: int64(value.Rows)})
	}
	if d.Bins == nil && d.Top == nil {
		return nil
	}
	return &d
}

func toClasses(p *profile.Profile) []api.Class {
	classes := make([]api.Class, len(p.Classes))
	for i, c := range p.Classes {
		classes[i] = api.Class{Label: c.Text, Rows: int64(c.Rows)}
	}
	return classes
}
