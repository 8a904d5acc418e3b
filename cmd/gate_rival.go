package cmd

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/frame"
)

// champion as --beat asks for is the best model of the series before the one
// that is judged, see [client.Champion].
const champion = "champion"

// rival is the model to beat.
type rival struct {
	key  string // "" if there is none
	name string
	why  string // why there is none
	// dataset is the rival's; "" if that is not known.
	dataset string
}

// otherData is added to a comparison of models of two datasets.
const otherData = ", other test rows"

// seek finds the model to be beaten by one that a race on a dataset will make.
func (g *gater) seek(ctx context.Context, conn *connection, dataset, metric string) error {
	if g.beat != champion {
		return g.seekNamed(ctx, conn)
	}
	d, err := client.Call(ctx, conn.Client, api.GetDataset, &api.DatasetInput{DatasetKey: dataset})
	if err != nil {
		return err
	}
	return g.seekChampion(ctx, conn, d.DatasetKey, contender{table: datasetFields(d), metric: metric})
}

// seekBefore finds the model to be beaten by one that exists.
func (g *gater) seekBefore(ctx context.Context, conn *connection, model string) error {
	if g.beat != champion {
		return g.seekNamed(ctx, conn)
	}
	m, err := client.Call(ctx, conn.Client, api.GetModel, &api.ModelInput{ModelKey: model})
	if err != nil {
		return err
	}
	d, err := client.Call(ctx, conn.Client, api.GetDataset, &api.DatasetInput{DatasetKey: m.DatasetKey})
	if err != nil {
		return err
	}
	return g.seekChampion(ctx, conn, m.DatasetKey, contender{model: model, table: datasetFields(d), metric: m.Metric})
}

// seekEarlier finds the model to be beaten by a run of a name before its dataset
// exists.
func (g *gater) seekEarlier(ctx context.Context, conn *connection, name, metric string, trained *frame.Profile) error {
	if g.beat != champion {
		return g.seekNamed(ctx, conn)
	}
	all, err := client.ListSeries(ctx, conn.Client)
	if err != nil {
		return err
	}
	series := client.FindSeries(all, name)
	if series == nil {
		g.rival = rival{why: "no earlier run of this name has a model"}
		return nil
	}
	g.rival, err = conn.championFor(ctx, *series, contender{table: profileFields(trained), metric: metric})
	if g.rival.key != "" {
		g.rival.name = series.Name + "@" + g.rival.name
	}
	return err
}

// seekNamed finds the model that --beat names.
func (g *gater) seekNamed(ctx context.Context, conn *connection) error {
	if g.beat == "" {
		return nil
	}
	key, err := conn.modelKey(ctx, g.beat)
	g.rival = rival{key: key, name: g.beat}
	return err
}

// seekChampion finds the champion of the series of a dataset.
func (g *gater) seekChampion(ctx context.Context, conn *connection, dataset string, c contender) error {
	all, err := client.ListSeries(ctx, conn.Client)
	if err != nil {
		return err
	}
	ofDataset := func(d api.DatasetEntry) bool { return d.DatasetKey == dataset }
	for _, s := range all {
		if slices.ContainsFunc(s.Datasets, ofDataset) {
			g.rival, err = conn.championFor(ctx, s, c)
			return err
		}
	}
	g.rival = rival{why: "the series has no earlier model"}
	return nil
}

// contender is the model that has to beat a champion.
type contender struct {
	model  string // "" if it is yet to be made
	metric string // "" for any
	table  tableFields
}

// championFor finds the best of the models of a series older than the contender,
// raced for the same metric on a table of the same columns and classes; of equals
// the oldest.
func (c *connection) championFor(ctx context.Context, s client.Series, of contender) (rival, error) {
	models, err := client.ModelsOfSeries(ctx, c.Client, s)
	if err != nil {
		return rival{}, err
	}
	if i := slices.IndexFunc(models, func(m client.SeriesModel) bool { return m.ModelKey == of.model }); i >= 0 {
		models = models[i+1:] // newest first
	}
	if len(models) == 0 {
		return rival{why: "the series " + s.Name + " has no earlier model"}, nil
	}
	slices.SortStableFunc(models, func(a, b client.SeriesModel) int {
		return cmp.Or(cmp.Compare(b.AchievedPerformance.Value, a.AchievedPerformance.Value), cmp.Compare(a.SeriesVersion, b.SeriesVersion))
	})
	same := map[string]bool{} // by dataset
	for _, m := range models {
		if of.metric != "" && m.Metric != "" && m.Metric != of.metric {
			continue
		}
		fits, known := same[m.DatasetKey]
		if !known {
			d, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: m.DatasetKey})
			if err != nil {
				return rival{}, err
			}
			fits = datasetFields(d).equal(of.table)
			same[m.DatasetKey] = fits
		}
		if fits {
			return rival{key: m.ModelKey, name: champion + " v" + strconv.Itoa(m.SeriesVersion), dataset: m.DatasetKey}, nil
		}
	}
	return rival{why: "no earlier model of the series " + s.Name + " has the same columns, classes and metric"}, nil
}

// tableFields are what makes the models of two datasets comparable.
type tableFields struct {
	columns []string
	classes []string // sorted
}

func datasetFields(d *api.Dataset) tableFields {
	t := tableFields{classes: labelsOf(d)}
	for _, column := range d.Columns {
		t.columns = append(t.columns, column.Name)
	}
	slices.Sort(t.classes)
	return t
}

func profileFields(p *frame.Profile) tableFields {
	var t tableFields
	for _, column := range p.Columns {
		t.columns = append(t.columns, column.Name)
	}
	for _, class := range p.Classes {
		t.classes = append(t.classes, class.Text)
	}
	slices.Sort(t.classes)
	return t
}

// equal reports whether two tables have the same columns and classes, or one is
// of a service that says nothing about them.
func (t tableFields) equal(other tableFields) bool {
	if len(t.columns) == 0 || len(other.columns) == 0 || len(t.classes) == 0 || len(other.classes) == 0 {
		return true
	}
	return slices.Equal(t.columns, other.columns) && slices.Equal(t.classes, other.classes)
}
