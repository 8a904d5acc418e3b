package cmd

import (
	"cmp"
	"context"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/preflight"
)

// runSeriesHelp is the part of the help of run on series.
const runSeriesHelp = `Runs with the same name form a series. The name defaults to that of the training file.

If a dataset of the series has the same data and the same --buckets, nothing is uploaded,
and the run adds a model to this dataset. Otherwise, the run adds a dataset to the series.
It also does so if another version of this program has read columns of the dataset
differently. The datasets of the series NAME are called NAME, NAME-2, NAME-3 and so on.

If neither --label nor BLIND decides which column is the label, the run uses the label of
the champion of the series. Without --id, it also uses the column of row IDs of the
champion. If the run has another label than the series, a warning is printed, because
models with different labels cannot be compared.

`

// roleDataset returns the dataset whose label and ID column a run uses if flags do not set them;
// see roleDatasetOf. It returns nil if there is none.
func (o *runOptions) roleDataset(ctx context.Context, session *connect.Session, files *preflight.Preflight) (*api.Dataset, error) {
	all, err := client.ListSeries(ctx, session.Client)
	if err != nil {
		return nil, err
	}
	stem := files.Train.Stem()
	d, err := roleDatasetOf(ctx, session, findRunSeries(all, o.name, stem))
	if folder := files.Train.FolderName(); err == nil && d != nil && o.name == "" && folder != "" && isOtherTable(d, files) {
		return roleDatasetOf(ctx, session, findRunSeries(all, "", folder+"-"+stem)) // see chooseSeriesStem
	}
	return d, err
}

// roleDatasetOf returns the dataset of the champion of a series, or nil if the series has no champion.
func roleDatasetOf(ctx context.Context, session *connect.Session, s client.Series) (*api.Dataset, error) {
	models, err := client.ModelsOfSeries(ctx, session.Client, s)
	if err != nil {
		return nil, err
	}
	for i := range models {
		if models[i].Champion {
			return client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: models[i].DatasetKey})
		}
	}
	return nil, nil
}

// keepSeriesRoles makes a run keep the label and the ID column of its series, and reports whether the
// files must be checked again. Flags, the blind file and the answers of the user have precedence. If
// the run has another label than its series, keepSeriesRoles prints a warning, because its model is not
// compared with the champion.
func (o *runOptions) keepSeriesRoles(ctx context.Context, session *connect.Session, files *preflight.Preflight) (changed bool, err error) {
	d, changed, err := o.useSeriesRoles(ctx, session, files)
	if err != nil || d == nil || changed {
		return changed, err
	}
	if label := files.TrainProfile.Schema.Label; label != d.LabelName && o.resume == "" {
		o.output.Note("warning: the label of the series %s changes from %q to %q; models with different labels cannot be compared, so the new model may become the champion although it is worse; to start a new series, use --name NAME", cmp.Or(d.Series, d.DatasetName), d.LabelName, label)
	}
	return false, nil
}

// useSeriesRoles is keepSeriesRoles without the warning. It also returns the dataset of
// roleDataset, or nil.
func (o *runOptions) useSeriesRoles(ctx context.Context, session *connect.Session, files *preflight.Preflight) (d *api.Dataset, changed bool, err error) {
	d, err = o.roleDataset(ctx, session, files)
	if err != nil || d == nil || d.LabelName == "" {
		return nil, false, err
	}
	series := cmp.Or(d.Series, d.DatasetName)
	changed = files.UseSeries(preflight.SeriesRoles{Name: series, ID: d.IDName, Label: d.LabelName})
	if changed {
		o.output.Note("%[2]s is read again with the label and the ID column of the series %[1]s; --label and --id set other columns", series, files.Train.Name)
	}
	return d, changed, nil
}

// readSeriesRoles is useSeriesRoles for --plan, and for files with an error that a wrong label may
// have caused. It changes nothing in the service. If it cannot read the series, the inferred label
// is kept.
func (o *runOptions) readSeriesRoles(ctx context.Context, files *preflight.Preflight) (changed bool) {
	if !files.HasInferredLabel() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, readSeriesTimeout)
	defer cancel()
	session, err := o.wait.ConnectToRead(ctx)
	if err == nil && session != nil {
		defer session.Close()
		_, changed, err = o.useSeriesRoles(ctx, session, files)
	}
	if err != nil && o.planOnly {
		o.output.Note("warning: the label of the series is unknown, because the service cannot be read: %v", err)
	}
	return changed
}

// readSeriesTimeout limits the time that a forecast or an error waits for the service.
const readSeriesTimeout = 5 * time.Second
