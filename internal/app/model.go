package app

import (
	"cmp"
	"context"
	"math"

	"foretell/internal/api"
	"foretell/internal/modelreport"
	"foretell/internal/store"
	"foretell/internal/storedfile"
)

// GetModel returns a model. See [store.Model] for its field Champion.
func (a *App) GetModel(ctx context.Context, in *api.ModelInput) (*api.Model, error) {
	m, err := a.findModel(ctx, in.ModelKey)
	if err != nil {
		return nil, err
	}
	if m.DecodeError != nil { // the model can be used without the interval
		a.log.WarnContext(ctx, "an interval or the class weights of a model are left out: restore the database from a backup, or train again", "error", m.DecodeError)
	}
	return &api.Model{
		ModelKey: m.Key, Version: m.Version, DatasetKey: m.Dataset, TrainingJobKey: m.Training,
		AchievedPerformance: toDecimal(m.AchievedPerformance), CreatedOn: api.FormatTime(m.Created),
		Algorithm: m.Algorithm, Champion: m.Champion, ModelExtensions: toModelExtensions(m),
	}, nil
}

func toModelExtensions(m *store.Model) api.ModelExtensions {
	return api.ModelExtensions{
		Series: m.Series, SeriesVersion: m.SeriesVersion, AlgorithmName: api.AlgorithmKind(m.Algorithm), Metric: m.Metric, ClassWeights: m.ClassWeights, GroupColumn: m.GroupColumn, TimeColumn: m.TimeColumn,
		TestPerformance: m.TestPerformance, AchievedInterval: m.ValidationInterval, TestInterval: m.TestInterval, Bytes: m.Bytes,
		Cancelled: m.Cancelled, State: m.State, ChampionReason: m.ChampionReason,
	}
}

func (a *App) findModel(ctx context.Context, key string) (m *store.Model, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		m, err = t.GetModel(ctx, callerFromContext(ctx).Account, key)
		return err
	})
	return m, a.problems.ConvertLookupError(err, "model", key)
}

// toDecimal converts a number to the quoted number of the documented API. If v is nil because
// the number was not measured, toDecimal returns NaN.
func toDecimal(v *float64) api.Decimal {
	if v == nil {
		return api.Decimal{Value: math.NaN()}
	}
	return api.Decimal{Value: *v, Quoted: true}
}

// ListModelsOfDataset returns a page of a dataset's models, newest first.
func (a *App) ListModelsOfDataset(ctx context.Context, in *api.DatasetPageInput) (*api.ModelPage, error) {
	w, err := parsePage(in.PageInput)
	if err != nil {
		return nil, err
	}
	if err := a.checkDatasetExists(ctx, in.DatasetKey); err != nil {
		return nil, err
	}
	out := &api.ModelPage{Models: []api.ModelEntry{}}
	err = a.store.Read(ctx, func(t *store.Tx) error {
		models, total, err := t.ListModels(ctx, in.DatasetKey, w)
		for _, m := range models {
			out.Models = append(out.Models, api.ModelEntry{
				ModelKey: m.Key, TrainingJobKey: m.Training, Version: m.Version, AchievedPerformance: toDecimal(m.AchievedPerformance),
				Algorithm: m.Algorithm, Champion: m.Champion, CreatedOn: api.FormatTime(m.Created), CreatedMicros: m.Created.UnixMicro(),
				ModelExtensions: toModelExtensions(m),
			})
		}
		out.Page = toPage(w, total)
		return err
	})
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	return out, nil
}

// GetModelReport returns the report of a model or, if in.Summary is set, the report without its
// long parts.
func (a *App) GetModelReport(ctx context.Context, in *api.ModelReportInput) (*api.ModelReport, error) {
	var stored []byte
	err := a.store.ReadOneStatement(ctx, func(t *store.Tx) (err error) {
		stored, err = t.GetModelReport(ctx, callerFromContext(ctx).Account, in.ModelKey, in.Summary)
		return err
	})
	if err != nil {
		return nil, a.problems.ConvertLookupError(err, "model", in.ModelKey)
	}
	report, err := modelreport.Parse(stored)
	if err != nil || !in.Summary {
		return report, err
	}
	return modelreport.Summarize(report), nil // a model of an early version has no stored summary
}

// DownloadModel opens the file of a model, in the format of model.Read.
func (a *App) DownloadModel(ctx context.Context, in *api.ModelInput) (*File, error) {
	m, err := a.findModel(ctx, in.ModelKey)
	if err != nil {
		return nil, err
	}
	return a.openDownload(ctx, storedfile.Model(m), File{Name: "model-" + m.Key + ".model", ModTime: m.Created, ETag: m.Key}, m.Account)
}

// SetModelState promotes or rejects a model, or lets the scores decide again whether it is the
// champion of its series.
func (a *App) SetModelState(ctx context.Context, in *api.SetModelStateInput) (*api.Model, error) {
	state := in.Body.State
	if state == api.ModelAutomatic {
		state = ""
	}
	err := a.store.Write(ctx, func(t *store.Tx) error {
		m, err := t.GetModel(ctx, callerFromContext(ctx).Account, in.ModelKey)
		if err != nil || m.State == state || m.State == api.ModelRejected && state != api.ModelPromoted { // a rejection is permanent
			return err
		}
		if err := t.SetModelState(ctx, m, state); err != nil {
			return err
		}
		stored, err := t.GetModel(ctx, callerFromContext(ctx).Account, in.ModelKey) // a model that was rejected before its promotion is now rejected again
		if err != nil {
			return err
		}
		return a.RecordAuditEvent(ctx, t, "model."+cmp.Or(stored.State, api.ModelAutomatic), m.Key)
	})
	if err != nil {
		return nil, a.problems.ConvertLookupError(err, "model", in.ModelKey)
	}
	return a.GetModel(ctx, &in.ModelInput)
}

// DeleteModel deletes a model with its predictions. Its race is kept, without a
// model.
func (a *App) DeleteModel(ctx context.Context, in *api.ModelInput) (*api.None, error) {
	return a.deleteResource(ctx, "model", in.ModelKey, (*store.Tx).DeleteModel)
}
