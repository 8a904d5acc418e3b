package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"foretell/internal/api"
	"foretell/internal/drift"
	"foretell/internal/store"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// maxColumnsWithParts is the maximum number of columns whose comparison lists how often each range of
// numbers, or each text, occurs. Other columns have only their summary, so that the comparison of
// 5,000 columns fits in one row of the store.
const maxColumnsWithParts = 100

// GetPredictionDrift compares the blind CSV of a COMPLETED prediction with the training CSV. The
// first call computes the comparison and stores it, and later calls read it. Therefore a prediction
// takes no extra time if nobody requests its drift.
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
		return nil, api.NewProblem(api.CodeWrongState, "prediction %s is %s, but only a COMPLETED prediction is compared with the training file", p.Key, p.Status)
	case len(text) == 0:
		return a.awaitDrift(ctx, p)
	}
	report := new(api.DriftReport)
	if err := json.Unmarshal(text, report); err != nil {
		return nil, a.toProblem(err)
	}
	return report, nil
}

// awaitDrift computes and returns the comparison of a prediction for which none is stored.
// Concurrent calls for one prediction share one computation. If ctx ends, the computation
// continues, and a later call finds its result. Only one computation runs at a time, because each
// uses a core and much memory.
func (a *App) awaitDrift(ctx context.Context, p *store.Prediction) (*api.DriftReport, error) {
	measured := a.drifts.DoChan(p.Key, func() (report any, err error) {
		a.measuringDrift.Lock()
		defer a.measuringDrift.Unlock()
		defer func() {
			if e := recover(); e != nil { // outside of the goroutine of a request, a panic would end the process
				err = fmt.Errorf("comparing the files: %v\n%s", e, debug.Stack())
			}
		}()
		return a.measureAndStoreDrift(context.WithoutCancel(ctx), p)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case m := <-measured:
		if m.Err != nil {
			return nil, a.toProblem(m.Err)
		}
		return m.Val.(*api.DriftReport), nil
	}
}

// measureAndStoreDrift compares the result of a prediction with the training CSV of its model, and
// stores the comparison. It reads the result instead of the blind CSV, because the blind CSV is
// deleted at the end of the prediction, and the result contains all its columns.
func (a *App) measureAndStoreDrift(ctx context.Context, p *store.Prediction) (*api.DriftReport, error) {
	report, err := a.measureResultDrift(ctx, p)
	if err != nil {
		return nil, err
	}
	for i := range report.Columns[min(len(report.Columns), maxColumnsWithParts):] {
		report.Columns[maxColumnsWithParts+i].Parts = nil
	}
	text, err := json.Marshal(report)
	if err != nil {
		return nil, err
	}
	err = a.store.Write(ctx, func(t *store.Tx) error { return t.SetPredictionDrift(ctx, p.Key, text) })
	if err != nil { // the next call compares again
		a.log.WarnContext(ctx, "storing the drift", "prediction", p.Key, "error", err)
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
	schema, err := frame.DecodeStored(d.Schema)
	if err != nil {
		return nil, err
	}
	var prof *profile.Profile
	err = a.readVerified(ctx, resultFile(p), func(result io.Reader, _ int64) (err error) {
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
	return drift.Measure(train, cmp.Or(p.Input.Name, "blind file"), prof, report.ImportantColumns()), nil
}
