package cmd

import (
	"context"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/preflight"
	"foretell/internal/requirement"
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

// findFormerChampion returns the champion of the series that the run joins. It returns nil if there is none.
func (o *runOptions) findFormerChampion(ctx context.Context, session *connect.Session, files *preflight.Preflight) (*requirement.Champion, error) {
	all, err := client.ListSeries(ctx, session.Client)
	if err != nil {
		return nil, err
	}
	stem := files.Train.Stem()
	c, err := requirement.FindChampion(ctx, session, findRunSeries(all, o.name, stem))
	if folder := files.Train.FolderName(); err == nil && c != nil && o.name == "" && folder != "" && isOtherTable(c.Dataset, files) {
		return requirement.FindChampion(ctx, session, findRunSeries(all, "", folder+"-"+stem)) // see chooseSeriesStem
	}
	return c, err
}

// useSeriesRoles makes a run use the label and the ID column of the champion of its series. It
// keeps a column that was determined by a flag, by the blind file or by the user's answer to a
// prompt. changed reports whether a column has changed, so that the files must be checked again. c
// is the champion. It is nil if the series has no champion, or if the label of the champion is
// unknown.
func (o *runOptions) useSeriesRoles(ctx context.Context, session *connect.Session, files *preflight.Preflight) (c *requirement.Champion, changed bool, err error) {
	c, err = o.findFormerChampion(ctx, session, files)
	if err != nil || c == nil || c.Dataset.LabelName == "" {
		return nil, false, err
	}
	changed = files.UseSeries(preflight.SeriesRoles{Name: c.Model.Series, ID: c.Dataset.IDName, Label: c.Dataset.LabelName})
	if changed {
		o.output.Note("%[2]s is read again with the label and the ID column of the series %[1]s; --label and --id set other columns", c.Model.Series, files.Train.Name)
	}
	return c, changed, nil
}

// warnIfIncomparable prints a warning if the model of a run cannot be compared with the champion of its
// series.
func (o *runOptions) warnIfIncomparable(c *requirement.Champion, files *preflight.Preflight, body *api.NewTraining) {
	if c == nil || o.resume != "" {
		return
	}
	o.gate.WarnIfIncomparable(&o.output, c, profileSchema(files.TrainProfile), body, "; to start a new series, use --name NAME")
}

// profileSchema returns the schema of the dataset that a service prepares from a training file.
func profileSchema(p *profile.Profile) api.TableSchema {
	d := api.Dataset{LabelName: p.Schema.Label}
	for i := range p.Columns {
		d.Columns = append(d.Columns, api.Column{Name: p.Columns[i].Name, Unused: p.Columns[i].Features == 0})
	}
	for _, class := range p.Classes {
		d.Classes = append(d.Classes, api.Class{Label: class.Text})
	}
	return d.TableSchema()
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

// readSeriesTimeout limits how long readSeriesRoles waits for the service.
const readSeriesTimeout = 5 * time.Second
