package preflight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"foretell/internal/api"
	"foretell/internal/drift"
	"foretell/internal/exit"
	"foretell/internal/roles"
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
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

// CheckAgainstModel checks a blind file before it is predicted: it must have the columns of the
// model's dataset. There is no training file, so the blind file is in p.Train.
func (p *Preflight) CheckAgainstModel(ctx context.Context, progress *term.Progress, dataset *api.Dataset) error {
	p.modelColumns = roles.TrainingFile{Features: FeatureNames(dataset), ID: dataset.IDName, Label: dataset.LabelName}
	if label := p.Train.flagLayout.Label; slices.Contains(p.modelColumns.Features, label) {
		return exit.Usagef("--label: %s is a feature of the model, not its label", strconv.Quote(label)).WithHint("name another column, or omit --label")
	}
	p.modelFormats, p.modelForms = &frame.Schema{}, make(map[string]string)
	var known []profile.TrainingColumn
	for _, column := range dataset.Columns {
		p.modelForms[column.Name] = cmp.Or(column.Kind, string(inference.FormCategory)) // a model file stores the other forms
		switch {
		case column.DateOrder != "" || column.Epoch != "":
			order := inference.DateOrder(column.DateOrder)
			p.modelFormats.Columns = append(p.modelFormats.Columns, frame.ColumnSchema{
				Name: column.Name, Feature: frame.ExtractTime, DayFirst: order == inference.DayFirst, YearFirst: order == inference.YearFirst, Epoch: frame.EpochUnit(column.Epoch),
			})
		case column.NumberFormat == nil: // the column has no Unix times
			p.modelFormats.Columns = append(p.modelFormats.Columns, frame.ColumnSchema{Name: column.Name, Kind: frame.Category})
		}
		if format := column.NumberFormat; format != nil {
			p.modelFormats.Columns = append(p.modelFormats.Columns, frame.ColumnSchema{Name: column.Name, Feature: frame.ExtractAmount, DecimalComma: format.DecimalComma})
		}
		if column.Unused {
			p.modelColumns.Unused = append(p.modelColumns.Unused, column.Name)
			continue
		}
		known = append(known, *drift.TrainingColumn(&column, dataset.Rows))
	}
	if err := p.Run(ctx, progress); err != nil || p.TrainProfile.Partial {
		return err
	}
	has := map[string]bool{p.TrainProfile.Schema.ID: true}
	for i := range p.TrainProfile.Columns {
		has[p.TrainProfile.Columns[i].Name] = true
	}
	var missing []string
	for _, want := range p.modelColumns.Features {
		if !has[want] {
			missing = append(missing, want)
		}
	}
	if len(missing) > 0 {
		defect := csvfile.Defect{Code: csvfile.CodeMissingColumn, Line: 1, Count: len(missing), Message: csvfile.MissingColumnsMessage(missing, "of the training file")}
		if len(missing) == 1 {
			defect.Name, defect.Message = missing[0], "a column that the model was trained on is missing"
		}
		p.addFinding(p.Train, compare.SeverityDefect, defect, "")
	}
	p.addDifferences(p.Train, compare.TrainingColumns(known, p.TrainProfile))
	var classes []string
	for _, class := range dataset.Classes {
		classes = append(classes, class.Label)
	}
	p.warnTakenNames(p.Train, p.TrainProfile, classes)
	return nil
}

// checkFlagColumns adds a defect if the column of --id or --label is not among names, the columns of
// a blind file. If trainingLabel, the label of the training file, is missing, it adds no defect: then
// the blind file has no labels.
func (p *Preflight) checkFlagColumns(in *InputTable, names []string, trainingLabel string) {
	for _, flag := range []struct{ column, role string }{{in.flagLayout.ID, "ID"}, {in.flagLayout.Label, "label"}} {
		if flag.column == "" || slices.Contains(names, flag.column) || flag.role == "label" && flag.column == trainingLabel {
			continue
		}
		p.addFinding(in, compare.SeverityDefect, csvfile.Defect{
			Code: csvfile.CodeMissingColumn, Line: 1, Name: flag.column,
			Message: fmt.Sprintf("there is no column %s for the %s%s", strconv.Quote(flag.column), flag.role, csvfile.DidYouMean(flag.column, names)),
		}, "")
	}
}

// codeUnusedColumn is the code of a warning about columns that the blind file lacks and the model
// does not use.
const codeUnusedColumn = "unused-column"

// addColumnsUnusedInTraining adds the columns of the training file that yield no feature, such as
// constant columns, to the layout of the blind file; see addUnusedColumns.
func (p *Preflight) addColumnsUnusedInTraining(ctx context.Context) error {
	if p.TrainProfile.Partial { // a row that was not read may have a value
		return nil
	}
	names := p.Blind.layout.Names
	if names == nil {
		var err error
		if names, err = p.Blind.readHeader(ctx); names == nil || err != nil {
			return err
		}
	}
	var unused []string
	for i := range p.TrainProfile.Columns {
		if c := &p.TrainProfile.Columns[i]; c.Features == 0 {
			unused = append(unused, c.Name)
		}
	}
	p.addUnusedColumns(p.Blind, names, unused)
	return nil
}

// addUnusedColumns adds columns without values to the layout of a blind file: the columns of the
// list unused that the file lacks or that are dropped. They are needed because the service requires
// all columns of the training file, even those that no model uses. names are the columns of the
// file.
func (p *Preflight) addUnusedColumns(in *InputTable, names, unused []string) {
	var added []string
	for _, name := range unused {
		if !slices.Contains(names, name) && name != in.layout.GeneratedIDName || slices.Contains(in.layout.Drop, name) {
			added = append(added, name)
		}
	}
	if len(added) == 0 {
		return
	}
	in.layout.Add = added
	reason := "; no model uses it, so it is added without values"
	if len(added) > 1 {
		reason = "; no model uses them, so they are added without values"
	}
	p.addFinding(in, compare.SeverityWarning, csvfile.Defect{
		Code: codeUnusedColumn, Line: 1, Count: len(added), Message: csvfile.MissingColumnsMessage(added, "of the training file") + reason,
	}, "")
}

// mergeMissingColumns merges the findings about columns that the blind file lacks into one finding
// that names all of them. It does so only if the first defect is such a finding, because only the
// first defect is shown in the error. A finding that suggests another column is not merged, because
// the suggestion would be lost.
func (p *Preflight) mergeMissingColumns(defects []finding) []finding {
	isMerged := func(f finding) bool {
		return f.Code == csvfile.CodeMissingColumn && f.Message == compare.MissingColumnMessage && p.Blind != nil
	}
	if len(defects) == 0 || !isMerged(defects[0]) {
		return defects
	}
	first, names, others := defects[0], []string(nil), []finding{defects[0]}
	for _, f := range defects {
		if isMerged(f) {
			names = append(names, f.Name)
		} else {
			others = append(others, f)
		}
	}
	if len(names) > 1 {
		first.Name, first.Count, first.Message = "", len(names), csvfile.MissingColumnsMessage(names, "of the training file")
		first.Hint = p.columnHint(p.Blind, &first, "")
	}
	others[0] = first
	return others
}
