package requirement

import (
	"cmp"
	"context"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
)

// Champion is the champion of a series before a race.
type Champion struct {
	Model   client.SeriesModel
	Dataset *api.Dataset
}

// FindChampion returns the champion of a series, or nil if the series has none.
func FindChampion(ctx context.Context, session *connect.Session, s client.Series) (*Champion, error) {
	b, err := findChampion(ctx, session, s, "")
	if err != nil || b.champion == nil {
		return nil, err
	}
	d, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: b.champion.DatasetKey})
	return &Champion{*b.champion, d}, err
}

// WarnIfIncomparableOn is WarnIfIncomparable for a race on a dataset. It must be called after
// Prepare. If the dataset or the champion cannot be read from the service, there is no warning and
// no error, because the race does not need the warning.
func (f *Flags) WarnIfIncomparableOn(ctx context.Context, o *cli.Output, session *connect.Session, dataset string, race *api.NewTraining) {
	b := f.baseline
	if !f.BeatsChampion() {
		b, _ = findChampionOfDataset(ctx, session, dataset, "")
	}
	if b.champion == nil {
		return
	}
	d, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: dataset})
	c := Champion{*b.champion, d}
	if err == nil && c.Model.DatasetKey != dataset {
		c.Dataset, err = client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: c.Model.DatasetKey})
	}
	if err == nil {
		f.WarnIfIncomparable(o, &c, d.TableSchema(), race, "")
	}
}

// WarnIfIncomparable prints a warning if the model of a race on a table cannot be compared with the
// champion c of its series. remedy is the end of the warning and may be "".
func (f *Flags) WarnIfIncomparable(o *cli.Output, c *Champion, table api.TableSchema, race *api.NewTraining, remedy string) {
	consequence := "may become the champion although it is worse"
	switch {
	case f.BeatsChampion():
		consequence = "will miss --beat champion"
	case c.Model.State == api.ModelPromoted:
		return // it stays the champion
	}
	former := client.Task{TableSchema: c.Dataset.TableSchema(), ScoreKind: client.ModelScoreKind(&c.Model.ModelExtensions)}
	now := client.Task{TableSchema: table, ScoreKind: client.RaceScoreKind(race)}
	if c.Model.ChampionReason == "" { // another service, which may not report these options of its models
		former.ClassWeights = cmp.Or(former.ClassWeights, now.ClassWeights)
		former.GroupColumn, former.TimeColumn = cmp.Or(former.GroupColumn, now.GroupColumn), cmp.Or(former.TimeColumn, now.TimeColumn)
	}
	if difference := now.Difference(&former); difference != "" {
		o.Note("warning: the new model cannot be compared with the champion of the series %s (%s), so it %s%s", c.Model.Series, difference, consequence, remedy)
	}
}
