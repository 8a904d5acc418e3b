package cmd

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/frame"
	"foretell/internal/roles"
	"foretell/internal/term"
)

// featureNames returns the features of a dataset.
func featureNames(d *api.Dataset) []string {
	names := make([]string, len(d.Columns))
	for i, column := range d.Columns {
		names[i] = column.Name
	}
	return names
}

// checkAgainstModel checks a blind file and that it has the columns of the model's
// dataset.
func (p *preflight) checkAgainstModel(ctx context.Context, progress *term.Progress, dataset *api.Dataset) error {
	p.modelColumns = roles.TrainingFile{Features: featureNames(dataset), ID: dataset.IDName, Label: dataset.LabelName}
	if err := p.run(ctx, progress); err != nil || p.trainProfile.Partial {
		return err
	}
	has := map[string]bool{p.trainProfile.Schema.ID: true}
	for i := range p.trainProfile.Columns {
		has[p.trainProfile.Columns[i].Name] = true
	}
	for _, want := range p.modelColumns.Features {
		if !has[want] {
			p.add(p.train, frame.SeverityDefect, frame.Defect{
				Code: frame.CodeMissingColumn, Line: 1, Name: want,
				Message: "a column that the model was trained on is missing",
			}, "")
		}
	}
	return nil
}
