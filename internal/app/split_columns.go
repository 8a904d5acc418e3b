package app

import (
	"context"
	"errors"
	"io"
	"slices"

	"foretell/internal/api"
	"foretell/internal/learn"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// checkSplitColumns returns an error if a request for a race names a group column or a time column
// that the dataset does not have, or that is the ID or the label.
func checkSplitColumns(n api.NewTraining, d *store.Dataset) error {
	if n.GroupColumn == "" && n.TimeColumn == "" {
		return nil
	}
	schema, err := frame.DecodeStored(d.Schema)
	if err != nil {
		return err
	}
	names := schema.FieldNames()
	for _, field := range []struct{ name, column string }{{"groupColumn", n.GroupColumn}, {"timeColumn", n.TimeColumn}} {
		switch {
		case field.column == "" || slices.Contains(names, field.column):
		case field.column == schema.ID || field.column == schema.Label:
			return api.NewFieldProblem(field.name, "%q is the ID or the label, but must be another column of the dataset", field.column)
		default:
			return api.NewFieldProblem(field.name, "%q is not a column of the dataset%s", field.column, csvfile.DidYouMean(field.column, names))
		}
	}
	return nil
}

// setSplitKeysAndDropFeatures sets params.Groups and params.Times from the group and time
// columns of a race. It returns f without the features of the group column, and without the
// categories of monotone columns of codes, because the levels of a category have no order.
func (a *App) setSplitKeysAndDropFeatures(ctx context.Context, rows *raceRows, f *frame.Frame, params *learn.Params) (*frame.Frame, error) {
	for column := range params.Monotone {
		f = f.WithoutCodes(column)
	}
	columns := frame.SplitColumns{Group: rows.race.GroupColumn, Time: rows.race.TimeColumn}
	if columns == (frame.SplitColumns{}) {
		return f, nil
	}
	var keys *frame.SplitKeys
	err := a.files.Read(ctx, storedfile.CSV(rows.dataset), func(csv io.Reader, _ int64) (err error) {
		keys, err = frame.ReadSplitKeys(ctx, csv, f.Schema, columns)
		return err
	})
	var problem *frame.SplitColumnError
	if errors.As(err, &problem) {
		field := "groupColumn"
		if problem.Column == columns.Time && problem.Column != columns.Group {
			field = "timeColumn"
		}
		return nil, api.NewFieldProblem(field, "%s", problem.Error())
	}
	if err != nil {
		return nil, err
	}
	params.Groups, params.Times = keys.Groups, keys.Times
	if columns.Group != "" {
		f = f.WithoutColumn(columns.Group)
	}
	return f, nil
}
