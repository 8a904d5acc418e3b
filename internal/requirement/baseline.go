package requirement

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/table/profile"
)

// baseline is the model that another model must beat.
type baseline struct {
	key    string // "" if there is no baseline
	name   string
	reason string // why there is no baseline
	// dataset is the key of the baseline's dataset.
	dataset string
}

// otherRowsNote is appended to a comparison of models that were tested on different rows.
const otherRowsNote = ", on other test rows"

// setBaselineForRace sets f.baseline for a race that will run on a dataset.
func (f *Flags) setBaselineForRace(ctx context.Context, session *connect.Session, dataset string, body *api.NewTraining) error {
	if f.beat != connect.ChampionRef {
		return f.setBaselineByReference(ctx, session)
	}
	d, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: dataset})
	if err != nil {
		return err
	}
	return f.setChampionAsBaseline(ctx, session, d.DatasetKey, newChallenger(body, d.TableSchema()))
}

// SetBaselineForModel sets the baseline with which an existing model is compared.
func (f *Flags) SetBaselineForModel(ctx context.Context, session *connect.Session, model string) error {
	if f.beat != connect.ChampionRef {
		return f.setBaselineByReference(ctx, session)
	}
	m, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: model})
	if err != nil {
		return err
	}
	d, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: m.DatasetKey})
	if err != nil {
		return err
	}
	return f.setChampionAsBaseline(ctx, session, m.DatasetKey, challenger{model: model, schema: d.TableSchema(), metric: m.Metric, weights: m.ClassWeights})
}

// SetBaselineForRun sets the baseline for `foretell run`, before its dataset exists. find returns the
// series that the dataset of the run will join; a new series has no datasets. body has the parameters of
// the race, and trained describes the training file.
func (f *Flags) SetBaselineForRun(ctx context.Context, session *connect.Session, find func(all []client.Series) client.Series, body *api.NewTraining, trained *profile.Profile) error {
	if f.beat != connect.ChampionRef {
		return f.setBaselineByReference(ctx, session)
	}
	all, err := client.ListSeries(ctx, session.Client)
	if err != nil {
		return err
	}
	series := find(all)
	if len(series.Datasets) == 0 {
		f.baseline = baseline{reason: "no earlier run of this name has a model"}
		return nil
	}
	f.baseline, err = bestEarlierModel(ctx, session, series, newChallenger(body, profileSchema(trained)))
	if f.baseline.key != "" {
		f.baseline.name = series.Name + "@" + f.baseline.name
	}
	return err
}

// setBaselineByReference sets f.baseline to the model to which --beat refers.
func (f *Flags) setBaselineByReference(ctx context.Context, session *connect.Session) error {
	if f.beat == "" {
		return nil
	}
	key, err := session.ModelKey(ctx, f.beat)
	if err != nil {
		return err
	}
	m, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: key})
	if err != nil {
		return err
	}
	f.baseline = baseline{key: key, name: f.beat, dataset: m.DatasetKey}
	return nil
}

// setChampionAsBaseline sets f.baseline to the model that bestEarlierModel finds in the series of
// a dataset.
func (f *Flags) setChampionAsBaseline(ctx context.Context, session *connect.Session, dataset string, c challenger) error {
	all, err := client.ListSeries(ctx, session.Client)
	if err != nil {
		return err
	}
	ofDataset := func(d api.DatasetEntry) bool { return d.DatasetKey == dataset }
	for _, s := range all {
		if slices.ContainsFunc(s.Datasets, ofDataset) {
			f.baseline, err = bestEarlierModel(ctx, session, s, c)
			return err
		}
	}
	f.baseline = baseline{reason: "the series has no earlier model"}
	return nil
}

// challenger is the model that is compared with a champion.
type challenger struct {
	model   string // key; "" before the model exists
	metric  string // "" accepts any metric and any class weights
	weights api.ClassWeights
	schema  api.TableSchema
}

// newChallenger returns the challenger that a race will train.
func newChallenger(body *api.NewTraining, schema api.TableSchema) challenger {
	return challenger{metric: cmp.Or(body.Metric, api.MetricAccuracy), weights: body.ClassWeights, schema: schema}
}

// bestEarlierModel returns the best model of a series among the models that are older than target
// and comparable with it. Comparable models have the same metric, class weights, label, columns and
// classes. See [client.FindChampion].
func bestEarlierModel(ctx context.Context, c *connect.Session, s client.Series, target challenger) (baseline, error) {
	models, err := client.ModelsOfSeries(ctx, c.Client, s)
	if err != nil {
		return baseline{}, err
	}
	if i := slices.IndexFunc(models, func(m client.SeriesModel) bool { return m.ModelKey == target.model }); i >= 0 {
		models = models[i+1:] // newest first
	}
	if len(models) == 0 {
		return baseline{reason: "the series " + s.Name + " has no earlier model"}, nil
	}
	models = slices.DeleteFunc(models, func(m client.SeriesModel) bool {
		return target.metric != "" && m.Metric != "" && !m.HasSameScore(target.metric, target.weights)
	})
	for len(models) > 0 {
		found := client.FindChampion(models)
		if found == nil {
			return baseline{reason: "the earlier models of the series " + s.Name + " that could be compared were rejected, because they missed --require or --beat"}, nil
		}
		champion := *found // DeleteFunc moves the models
		d, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: champion.DatasetKey})
		if err != nil {
			return baseline{}, err
		}
		if d.TableSchema().Matches(target.schema) {
			return baseline{key: champion.ModelKey, name: connect.ChampionRef + " v" + strconv.Itoa(champion.SeriesVersion), dataset: champion.DatasetKey}, nil
		}
		models = slices.DeleteFunc(models, func(m client.SeriesModel) bool { return m.DatasetKey == champion.DatasetKey })
	}
	return baseline{reason: "no earlier model of the series " + s.Name + " has the same label, columns, classes, metric and class weights"}, nil
}

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
