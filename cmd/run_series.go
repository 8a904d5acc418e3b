package cmd

import (
	"context"
	"slices"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/preflight"
	"foretell/internal/table/profile"
)

// runSeriesHelp is the part of the help of run on series.
const runSeriesHelp = `Runs with the same name form a series. The name defaults to that of the training file.

If a dataset of the series has the same data and the same --buckets, nothing is uploaded,
and the run adds a model to this dataset. Otherwise, the run adds a dataset to the series.
It also does so if another version of this program has read columns of the dataset
differently. The datasets of the series NAME are called NAME, NAME-2, NAME-3 and so on.

If neither --label nor BLIND decides which column is the label, the run uses the label of
the champion of the series. Without --id, it also uses the column of row IDs of the
champion.

If the label, the columns, the classes, the metric, the class weights, --group or --time
differ from those of the champion, a warning is printed, because such models cannot be
compared. Without --beat champion, the new model then becomes the champion, unless the old
one was promoted.

`

// formerChampion is the champion of the series that a run joins.
type formerChampion struct {
	model   client.SeriesModel
	dataset *api.Dataset
}

// findFormerChampion returns the champion of the series that the run joins. It returns nil if there is none.
func (o *runOptions) findFormerChampion(ctx context.Context, session *connect.Session, files *preflight.Preflight) (*formerChampion, error) {
	all, err := client.ListSeries(ctx, session.Client)
	if err != nil {
		return nil, err
	}
	stem := files.Train.Stem()
	c, err := championOf(ctx, session, findRunSeries(all, o.name, stem))
	if folder := files.Train.FolderName(); err == nil && c != nil && o.name == "" && folder != "" && isOtherTable(c.dataset, files) {
		return championOf(ctx, session, findRunSeries(all, "", folder+"-"+stem)) // see chooseSeriesStem
	}
	return c, err
}

// championOf returns the champion of a series, or nil if the series has none.
func championOf(ctx context.Context, session *connect.Session, s client.Series) (*formerChampion, error) {
	models, err := client.ModelsOfSeries(ctx, session.Client, s)
	if err != nil {
		return nil, err
	}
	for i := range models {
		if models[i].Champion {
			d, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: models[i].DatasetKey})
			return &formerChampion{models[i], d}, err
		}
	}
	return nil, nil
}

// useSeriesRoles makes a run use the label and the ID column of the champion of its series. Columns
// that flags, the blind file or the user's answers to prompts have determined stay the same. changed
// reports whether a column has changed, so that the files must be checked again. c is the champion,
// or nil if there is none.
func (o *runOptions) useSeriesRoles(ctx context.Context, session *connect.Session, files *preflight.Preflight) (c *formerChampion, changed bool, err error) {
	c, err = o.findFormerChampion(ctx, session, files)
	if err != nil || c == nil || c.dataset.LabelName == "" {
		return nil, false, err
	}
	changed = files.UseSeries(preflight.SeriesRoles{Name: c.model.Series, ID: c.dataset.IDName, Label: c.dataset.LabelName})
	if changed {
		o.output.Note("%[2]s is read again with the label and the ID column of the series %[1]s; --label and --id set other columns", c.model.Series, files.Train.Name)
	}
	return c, changed, nil
}

// warnIfIncomparable prints a warning if the model of a run cannot be compared with the champion of its
// series.
func (o *runOptions) warnIfIncomparable(c *formerChampion, files *preflight.Preflight, body *api.NewTraining) {
	if c == nil || o.resume != "" {
		return
	}
	former := client.Task{TableSchema: c.dataset.TableSchema(), ScoreKind: client.ModelScoreKind(&c.model.ModelExtensions)}
	now := client.Task{TableSchema: profileSchema(files.TrainProfile), ScoreKind: client.RaceScoreKind(body)}
	consequence := "may become the champion although it is worse"
	switch {
	case o.gate.BeatsChampion():
		consequence = "will miss --beat champion"
	case c.model.State == api.ModelPromoted:
		return // it stays the champion
	}
	if difference := now.Difference(&former); difference != "" {
		o.output.Note("warning: the new model cannot be compared with the champion of the series %s (%s), so it %s; to start a new series, use --name NAME", c.model.Series, difference, consequence)
	}
}

// profileSchema returns the schema of the dataset that a service prepares from a training file.
func profileSchema(p *profile.Profile) api.TableSchema {
	t := api.TableSchema{Label: p.Schema.Label}
	for _, column := range p.Columns {
		t.Columns = append(t.Columns, column.Name)
	}
	for _, class := range p.Classes {
		t.Classes = append(t.Classes, class.Text)
	}
	slices.Sort(t.Columns)
	slices.Sort(t.Classes)
	return t
}

// readSeriesRoles is like useSeriesRoles, but without a session. It is for --plan, which does not
// connect, and for files with an error, which a wrongly inferred label or ID may have caused. It
// changes nothing in the service. If it cannot read the series, the inferred columns are kept.
func (o *runOptions) readSeriesRoles(ctx context.Context, files *preflight.Preflight) (changed bool) {
	if !files.HasInferredRole() {
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
		o.output.Note("warning: the label and the ID column of the series are unknown, because the service cannot be read: %v", err)
	}
	return changed
}

// readSeriesTimeout limits the time that a forecast or an error waits for the service.
const readSeriesTimeout = 5 * time.Second
