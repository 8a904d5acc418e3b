package app

import (
	"context"
	"encoding/json"
	"errors"

	"foretell/internal/api"
	"foretell/internal/frame"
	"foretell/internal/job"
	"foretell/internal/store"
)

// prepare reads the CSV of a PROCESSING dataset once, keeps what it found and
// makes the dataset COMPLETED, or FAILED with the place of the first defect.
func (a *App) prepare(ctx context.Context, r *job.Run) error {
	d, err := a.jobDataset(ctx, r.Account, r.Subject)
	if err != nil {
		return err
	}
	csv, err := a.blobs.Open(ctx, d.Blob)
	if err != nil {
		return err
	}
	defer csv.Close()
	profile, err := frame.Scan(ctx, csv, frame.ScanOptions{})
	if err != nil {
		return err
	}
	if defect := profile.Err(); defect != nil {
		return a.endDataset(ctx, &r.Job, d, defect.Error())
	}
	if d.Schema, err = json.Marshal(profile.Schema); err != nil {
		return err
	}
	d.Rows, d.Columns, d.Classes = int64(profile.Rows), columnsOf(profile), classesOf(profile)
	return a.endDataset(ctx, &r.Job, d, "")
}

// jobDataset reads the dataset that a job is about.
func (a *App) jobDataset(ctx context.Context, account, key string) (d *store.Dataset, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		d, err = t.GetDataset(ctx, account, key)
		return err
	})
	return d, err
}

// endDataset makes the dataset COMPLETED, or FAILED if there is a reason. The
// CSV of one that FAILED is of no more use.
func (a *App) endDataset(ctx context.Context, j *job.Job, d *store.Dataset, reason string) error {
	d.Status, d.Reason, d.Updated = api.DatasetCompleted, reason, a.now()
	useless := ""
	if reason != "" {
		d.Status, useless, d.Blob = api.DatasetFailed, d.Blob, ""
	}
	err := a.finish(ctx, j, d.Status, func(t *store.Tx) error { return t.UpdateDataset(ctx, d, api.DatasetProcessing) })
	if err == nil && useless != "" {
		a.discard(ctx, useless)
	}
	return err
}

// failDataset ends the preparation that cannot be done.
func (a *App) failDataset(ctx context.Context, j *job.Job, cause error) error {
	d, err := a.jobDataset(ctx, j.Account, j.Subject)
	if errors.Is(err, store.ErrNotFound) {
		return job.ErrLost // deleted with its account, and its job with it
	}
	if err != nil {
		return err
	}
	return a.endDataset(ctx, j, d, reasonOf(cause))
}

func columnsOf(p *frame.Profile) []api.Column {
	columns := make([]api.Column, len(p.Columns))
	for i, c := range p.Columns {
		columns[i] = api.Column{Name: c.Name, Kind: string(c.Form), Missing: int64(c.Missing), Distinct: int64(c.Distinct)}
	}
	return columns
}

func classesOf(p *frame.Profile) []api.Class {
	classes := make([]api.Class, len(p.Classes))
	for i, c := range p.Classes {
		classes[i] = api.Class{Label: c.Text, Rows: int64(c.Rows)}
	}
	return classes
}
