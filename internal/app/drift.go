package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"foretell/internal/api"
	"foretell/internal/drift"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/table/profile"
)

// maxDriftColumnsWithDetails is the maximum number of columns for which a drift report counts the
// rows in each range of numbers or with each text. For further columns, the report has only a
// summary. The limit is needed because the report on 5,000 columns must fit in one row of the
// database.
const maxDriftColumnsWithDetails = 100

// driftTimeLimit limits the time to compare the predicted CSV with the training CSV. It equals the
// time limit of a prediction, which takes longer; see package prediction.
const driftTimeLimit = time.Hour

// GetPredictionDrift returns a report that compares the predicted CSV of a COMPLETED prediction
// with the training CSV. The first call makes the report and stores it, and later calls read it. If
// ctx ends first, the comparison continues, so that another call can return the report. Only one
// comparison runs at a time, because it uses a core and much memory. Accounts take turns; see
// [turn.FairSemaphore].
func (a *App) GetPredictionDrift(ctx context.Context, in *api.PredictionInput) (*api.DriftReport, error) {
	p, report, err := a.readStoredDrift(ctx, in.PredictionKey)
	if err != nil || report != nil {
		return report, err
	}
	report, err = a.driftCalls.Do(ctx, p.Key, func(ctx context.Context) (report *api.DriftReport, err error) {
		err = a.driftSemaphore.Do(ctx, p.Account, func() error {
			limited, stop := context.WithTimeout(ctx, driftTimeLimit)
			defer stop()
			var current *store.Prediction
			current, report, err = a.readStoredDrift(limited, p.Key) // another process may have stored it meanwhile
			if err == nil && report == nil {
				report, err = a.measureAndStoreDrift(limited, current)
			}
			return err
		})
		return report, err
	})
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, api.NewProblem(api.CodeWrongState, "the drift of prediction %s is still being computed: request it again in a few seconds", p.Key)
	}
	return report, a.problems.ConvertLookupError(err, "prediction", p.Key) // deleted meanwhile, perhaps with its dataset
}

// readStoredDrift returns a COMPLETED prediction of the caller and its stored drift report, or a
// nil report if none is stored yet.
func (a *App) readStoredDrift(ctx context.Context, key string) (p *store.Prediction, report *api.DriftReport, err error) {
	var text []byte
	err = a.store.Read(ctx, func(t *store.Tx) (err error) {
		account := callerFromContext(ctx).Account
		if p, err = t.GetPrediction(ctx, account, key); err == nil {
			text, err = t.GetPredictionDrift(ctx, account, key)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, nil, a.problems.ConvertLookupError(err, "prediction", key)
	case p.Status != api.PredictionCompleted:
		return nil, nil, api.NewProblem(api.CodeWrongState, "prediction %s is %s, but only a COMPLETED prediction is compared with the training file", p.Key, p.Status)
	case len(text) > 0:
		err = json.Unmarshal(text, &report)
	}
	return p, report, a.problems.Convert(err)
}

// measureAndStoreDrift compares the result of a prediction with the training CSV of its model, and
// stores the comparison. It reads the result, which has all columns of the predicted CSV, because
// that CSV is deleted when the prediction ends.
func (a *App) measureAndStoreDrift(ctx context.Context, p *store.Prediction) (*api.DriftReport, error) {
	report, err := a.measureResultDrift(ctx, p)
	if err != nil {
		return nil, err
	}
	for i := range report.Columns[min(len(report.Columns), maxDriftColumnsWithDetails):] {
		report.Columns[maxDriftColumnsWithDetails+i].Parts = nil
	}
	text, err := json.Marshal(report)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	err = a.store.Write(ctx, func(t *store.Tx) error { return t.SetPredictionDrift(ctx, p.Key, text) })
	if err != nil { // the next call compares again
		a.log.WarnContext(ctx, "cannot store the drift; the next request computes it again", "prediction", p.Key, "error", err)
	}
	return report, nil
}

// measureResultDrift compares the result of a prediction with the training CSV.
func (a *App) measureResultDrift(ctx context.Context, p *store.Prediction) (*api.DriftReport, error) {
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
	schema, err := decodeSchema(d)
	if err != nil {
		return nil, err
	}
	var prof *profile.Profile
	err = a.files.Read(ctx, storedfile.Result(p), func(result io.Reader, _ int64) (err error) {
		prof, err = profile.Scan(ctx, result, profile.ScanOptions{Blind: true, ID: schema.ID, Training: schema, Brief: true})
		return err
	})
	if err == nil && prof.Partial {
		err = errors.New(prof.DefectSummary())
	}
	if err != nil {
		return nil, err
	}
	train := &api.Dataset{Rows: d.Rows, Columns: d.Columns}
	train.MarkUnused(report.GroupColumn)
	return drift.Measure(train, cmp.Or(p.Input.Name, "blind file"), prof, report.ImportantColumns()), nil
}
