package preflight

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/roles"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/term"
)

// FeatureNames returns the names of a dataset's features.
func FeatureNames(d *api.Dataset) []string {
	names := make([]string, len(d.Columns))
	for i, column := range d.Columns {
		names[i] = column.Name
	}
	return names
}

// CheckAgainstModel checks a blind file, which must be p.Train, before it is predicted. The
// file must have the columns of the model's dataset.
func (p *Preflight) CheckAgainstModel(ctx context.Context, progress *term.Progress, dataset *api.Dataset) error {
	p.modelColumns = roles.TrainingFile{Features: FeatureNames(dataset), ID: dataset.IDName, Label: dataset.LabelName}
	if err := p.Run(ctx, progress); err != nil || p.TrainProfile.Partial {
		return err
	}
	has := map[string]bool{p.TrainProfile.Schema.ID: true}
	for i := range p.TrainProfile.Columns {
		has[p.TrainProfile.Columns[i].Name] = true
	}
	for _, want := range p.modelColumns.Features {
		if !has[want] {
			p.addFinding(p.Train, profile.SeverityDefect, csvfile.Defect{
				Code: csvfile.CodeMissingColumn, Line: 1, Name: want,
				Message: "a column that the model was trained on is missing",
			}, "")
		}
	}
	var known []profile.KnownColumn
	for _, column := range dataset.Columns {
		known = append(known, profile.KnownColumn{Name: column.Name, Form: profile.Form(column.Kind), DateOrder: profile.DateOrder(column.DateOrder)})
	}
	p.addDifferences(p.Train, profile.CompareKnown(known, p.TrainProfile))
	return nil
}
