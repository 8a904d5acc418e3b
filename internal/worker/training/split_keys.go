package training

import (
	"context"
	"errors"
	"io"

	"foretell/internal/api"
	"foretell/internal/learn"
	"foretell/internal/storedfile"
	"foretell/internal/table/frame"
)

// setSplitKeysAndDropFeatures sets params.Groups and params.Times from the group and time columns
// of a race. It returns f without the features of the group column. For a monotone column, it also
// drops the feature that treats its numbers as categories (see [frame.Frame.WithoutCodes]), because
// categories have no order.
func (tr *Trainer) setSplitKeysAndDropFeatures(ctx context.Context, rows *raceRows, f *frame.Frame, params *learn.Params) (*frame.Frame, error) {
	for column := range params.Monotone {
		f = f.WithoutCodes(column)
	}
	columns := frame.SplitColumns{Group: rows.race.GroupColumn, Time: rows.race.TimeColumn}
	if columns == (frame.SplitColumns{}) {
		return f, nil
	}
	var keys *frame.SplitKeys
	err := tr.files.Read(ctx, storedfile.CSV(rows.dataset), func(csv io.Reader, _ int64) (err error) {
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
	params.GroupColumn, params.TimeColumn = columns.Group, columns.Time
	if columns.Group != "" {
		f = f.WithoutColumn(columns.Group)
	}
	return f, nil
}
