package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"

	"foretell/internal/api"
	"foretell/internal/drift"
	"foretell/internal/store"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// maxDriftParts is the maximum number of columns whose parts are stored, so that the
// comparison of 5,000 columns fits in one row of the store.
const maxDriftParts = 100

// measureDrift compares the blind CSV of a prediction with the training CSV of its model. It
// returns an api.DriftReport as JSON. The prediction does not depend on it, so an error is
// logged, and the result is then nil.
func (a *App) measureDrift(ctx context.Context, p *store.Prediction) []byte {
	report, err := a.compareBlind(ctx, p)
	if err == nil {
		for i := range report.Columns[min(len(report.Columns), maxDriftParts):] {
			report.Columns[maxDriftParts+i].Parts = nil
		}
		var text []byte
		if text, err = json.Marshal(report); err == nil {
			return text
		}
	}
	if ctx.Err() == nil {
		a.log.WarnContext(ctx, "comparing a blind file with the training file", "prediction", p.Key, "error", err)
	}
	return nil
}

func (a *App) compareBlind(ctx context.Context, p *store.Prediction) (*api.DriftReport, error) {
	var d *store.Dataset
	var report api.ModelReport
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		if d, err = t.GetDataset(ctx, p.Account, p.Dataset); err != nil {
			return err
		}
		text, err := t.GetModelReport(ctx, p.Account, p.Model, false)
		if err != nil || len(text) == 0 { // a model of an early release has no report
			return err
		}
		return json.Unmarshal(text, &report)
	})
	if err != nil {
		return nil, err
	}
	var schema frame.Schema
	if err := json.Unmarshal(d.Schema, &schema); err != nil {
		return nil, err
	}
	var prof *profile.Profile
	err = a.readVerified(ctx, blindFile(p), func(blind io.Reader, _ int64) (err error) {
		prof, err = profile.Scan(ctx, blind, profile.ScanOptions{Blind: true, ID: schema.ID, Brief: true})
		return err
	})
	if err == nil && prof.Partial {
		err = errors.New(prof.DefectSummary())
	}
	if err != nil {
		return nil, err
	}
	train := &api.Dataset{Rows: d.Rows, Columns: d.Columns}
	return drift.Measure(train, cmp.Or(p.Input.Name, "blind file"), prof, report.ImportantColumns()), nil
}

// GetPredictionDrift returns the comparison of the blind CSV of a COMPLETED prediction with
// the training CSV.
func (a *App) GetPredictionDrift(ctx context.Context, in *api.PredictionInput) (*api.DriftReport, error) {
	var text []byte
	var p *store.Prediction
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		account := callerFromContext(ctx).Account
		if p, err = t.GetPrediction(ctx, account, in.PredictionKey); err == nil {
			text, err = t.GetPredictionDrift(ctx, account, in.PredictionKey)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, a.lookupProblem(err, "prediction", in.PredictionKey)
	case p.Status != api.PredictionCompleted:
		return nil, api.NewProblem(api.CodeWrongState, "prediction %s is %s, but only a COMPLETED prediction has a comparison with the training file", p.Key, p.Status)
	case len(text) == 0:
		return nil, api.NewProblem(api.CodeWrongState, "prediction %s has no comparison with the training file: predict the file again", p.Key)
	}
	report := new(api.DriftReport)
	if err := json.Unmarshal(text, report); err != nil {
		return nil, a.toProblem(err)
	}
	return report, nil
}
