package requirement

import (
	"context"
	"slices"
	"strconv"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/connect"
)

// baseline is the model that another model must beat.
type baseline struct {
	key    string // "" if there is no baseline
	name   string
	reason string // why there is no baseline
	// champion is the baseline as a model of its series. It is nil if a reference names the baseline.
	champion *client.SeriesModel
}

// BeatsChampion reports whether the model must beat the champion.
func (f *Flags) BeatsChampion() bool { return f.beat == connect.ChampionRef }

// setBaselineForRace sets f.baseline for a race that will run on a dataset.
func (f *Flags) setBaselineForRace(ctx context.Context, session *connect.Session, dataset string) error {
	if !f.BeatsChampion() {
		return f.setBaselineByReference(ctx, session)
	}
	var err error
	f.baseline, err = findChampionOfDataset(ctx, session, dataset, "")
	return err
}

// SetBaselineForModel sets the baseline with which an existing model is compared.
func (f *Flags) SetBaselineForModel(ctx context.Context, session *connect.Session, model string) error {
	if !f.BeatsChampion() {
		return f.setBaselineByReference(ctx, session)
	}
	m, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: model})
	if err != nil {
		return err
	}
	f.baseline, err = findChampionOfDataset(ctx, session, m.DatasetKey, model)
	return err
}

// SetBaselineForRun sets the baseline for `foretell run`, before its dataset exists. find returns the
// series that the dataset of the run will join; a new series has no datasets.
func (f *Flags) SetBaselineForRun(ctx context.Context, session *connect.Session, find func(all []client.Series) client.Series) error {
	if !f.BeatsChampion() {
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
	f.baseline, err = findChampion(ctx, session, series, "")
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
	f.baseline = baseline{key: key, name: f.beat}
	return err
}

// findChampionOfDataset is findChampion for the series of a dataset.
func findChampionOfDataset(ctx context.Context, session *connect.Session, dataset, model string) (baseline, error) {
	all, err := client.ListSeries(ctx, session.Client)
	if err != nil {
		return baseline{}, err
	}
	ofDataset := func(d api.DatasetEntry) bool { return d.DatasetKey == dataset }
	for _, s := range all {
		if slices.ContainsFunc(s.Datasets, ofDataset) {
			return findChampion(ctx, session, s, model)
		}
	}
	return baseline{reason: "the series has no earlier model"}, nil
}

// findChampion returns the champion of a series. If the model with the given key is one of the series,
// findChampion returns the champion of the models before it. See [client.FindChampion].
func findChampion(ctx context.Context, c *connect.Session, s client.Series, model string) (baseline, error) {
	models, err := client.ModelsOfSeries(ctx, c.Client, s)
	if err != nil {
		return baseline{}, err
	}
	var champion *client.SeriesModel
	if i := slices.IndexFunc(models, func(m client.SeriesModel) bool { return m.ModelKey == model }); i >= 0 {
		models = models[i+1:] // newest first
		champion = client.FindChampion(models)
	} else if i := slices.IndexFunc(models, func(m client.SeriesModel) bool { return m.Champion }); i >= 0 {
		champion = &models[i]
	}
	switch {
	case champion != nil:
		return baseline{key: champion.ModelKey, name: connect.ChampionRef + " v" + strconv.Itoa(champion.SeriesVersion), champion: champion}, nil
	case len(models) == 0:
		return baseline{reason: "the series " + s.Name + " has no earlier model"}, nil
	}
	return baseline{reason: "the series " + s.Name + " has no champion, because its earlier models missed --require or --beat"}, nil
}
