package connect

import (
	"cmp"
	"context"
	"iter"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/exit"
)

var (
	fullKeyPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	})
	keyPrefixPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-fA-F-]{` + strconv.Itoa(cli.MinKeyPrefix) + `,}$`)
	})
)

// refCandidate is an object that a reference on the command line may refer to; see
// resolveReference.
type refCandidate struct {
	key     string
	name    string       // name in references, which several objects may share; "" if it has no name
	created creationTime // a shared name and @last refer to the newest object
}

// creationTime is the time when an object was created.
type creationTime struct {
	seconds string // time in the format of api.TimeLayout
	micros  int64  // orders times of the same second; 0 if the service does not report it
}

func (t creationTime) compare(other creationTime) int {
	return cmp.Or(cmp.Compare(t.seconds, other.seconds), cmp.Compare(t.micros, other.micros))
}

// resolveReference returns the key of the object that ref refers to. ref is a key, the
// unique beginning of a key, a name, or @last. objects are the objects of one type, and
// noun names the type in errors, such as "dataset".
func resolveReference(noun, ref string, objects iter.Seq2[refCandidate, error]) (key string, err error) {
	if fullKeyPattern().MatchString(ref) {
		return strings.ToLower(ref), nil
	}
	var named, begun []refCandidate
	var names []string
	for c, err := range objects {
		switch {
		case err != nil:
			return "", err
		case c.name != "" && !slices.Contains(names, c.name):
			names = append(names, c.name)
		}
		switch {
		case ref == cli.LastRef, c.name == ref:
			named = append(named, c)
		case keyPrefixPattern().MatchString(ref) && strings.HasPrefix(c.key, strings.ToLower(ref)):
			begun = append(begun, c)
		}
	}
	sort.SliceStable(named, func(i, j int) bool { return named[j].created.compare(named[i].created) < 0 })
	matches := append(named[:min(1, len(named))], begun...)
	switch {
	case len(matches) == 1:
		return matches[0].key, nil
	case len(matches) == 0:
		e := exit.Errorf(exit.NotFound, "no %s %q found", noun, ref).WithHint("list the %ss with `foretell %s list`", noun, commandGroups[noun])
		if meant := cli.SimilarNames(ref, names); len(meant) > 0 {
			e = e.WithHint("did you mean %s? List the %ss with `foretell %s list`", strings.Join(meant, " or "), noun, commandGroups[noun])
		}
		return "", e
	}
	keys := make([]string, len(matches))
	for i, c := range matches {
		keys[i] = c.key
		if c.name != "" {
			keys[i] += " (" + c.name + ")"
		}
	}
	return "", exit.Usagef("%q is ambiguous: it matches %s", ref, strings.Join(keys, " and ")).WithHint("use more characters of the key, or the whole key")
}

// commandGroups maps the name of a type of object to its command, as in `foretell datasets list`.
var commandGroups = map[string]string{"dataset": "datasets", "race": "training", "model": "models", "prediction": "predictions"}

// DatasetKey resolves a reference to a dataset and returns its key. The name of a series refers to
// its newest dataset.
func (c *Session) DatasetKey(ctx context.Context, ref string) (string, error) {
	return c.resolveDataset(ctx, ref, func(s *client.Series) []api.DatasetEntry { return s.Datasets })
}

// DatasetKeyExact is like [Session.DatasetKey], but prefers a dataset with exactly the given name to
// the newest dataset of a series. Destructive commands use it.
func (c *Session) DatasetKeyExact(ctx context.Context, ref string) (string, error) {
	return c.resolveDataset(ctx, ref, func(s *client.Series) []api.DatasetEntry {
		if i := slices.IndexFunc(s.Datasets, func(d api.DatasetEntry) bool { return d.DatasetName == ref }); i >= 0 {
			return s.Datasets[i : i+1]
		}
		return s.Datasets
	})
}

// resolveDataset resolves a reference to a dataset and returns its key. If ref is the name of a
// series, it refers to the newest of the datasets that choose returns for this series.
func (c *Session) resolveDataset(ctx context.Context, ref string, choose func(s *client.Series) []api.DatasetEntry) (string, error) {
	return resolveReference("dataset", ref, func(yield func(refCandidate, error) bool) {
		all, err := client.ListSeries(ctx, c.Client)
		if err != nil {
			yield(refCandidate{}, err)
			return
		}
		var named []api.DatasetEntry
		if s := client.ResolveSeries(all, ref); s != nil {
			named = choose(s)
		}
		for _, s := range all {
			for _, d := range s.Datasets {
				one := refCandidate{d.DatasetKey, d.DatasetName, creationTime{d.CreatedOn, d.CreatedMicros}}
				if slices.ContainsFunc(named, func(n api.DatasetEntry) bool { return n.DatasetKey == d.DatasetKey }) {
					one.name = ref
				} else if one.name == ref {
					one.name = ""
				}
				if !yield(one, nil) {
					return
				}
			}
		}
	})
}

// seriesNames maps the key of each dataset to the name of its series.
func (c *Session) seriesNames(ctx context.Context) (map[string]string, error) {
	all, err := client.ListSeries(ctx, c.Client)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, s := range all {
		for _, d := range s.Datasets {
			names[d.DatasetKey] = s.Name
		}
	}
	return names, nil
}

// candidateName returns the name under which a reference finds an object that was made from a
// dataset. dataset and series are the names of the dataset and of its series. If ref is one of
// them, the result is ref. Otherwise it is series or, if that is "", dataset.
func candidateName(ref, dataset, series string) string {
	if ref == dataset || series == client.DatasetName(ref, 1) {
		return ref
	}
	return cmp.Or(series, dataset)
}

// TrainingKey resolves a reference to a race and returns its key. The name of a dataset or series
// refers to its newest race.
func (c *Session) TrainingKey(ctx context.Context, ref string) (string, error) {
	return resolveReference("race", ref, func(yield func(refCandidate, error) bool) {
		names, err := c.seriesNames(ctx)
		if err != nil {
			yield(refCandidate{}, err)
			return
		}
		for t, err := range client.AllTrainings(ctx, c.Client, !keyPrefixPattern().MatchString(ref)) {
			one := refCandidate{key: t.TrainingJobKey, name: candidateName(ref, t.DatasetName, names[t.DatasetKey]), created: creationTime{seconds: t.CreatedOn}}
			if t.ParentTrainingJobKey != "" {
				one.name = ""
			}
			if !yield(one, err) {
				return
			}
		}
	})
}

// ModelKey resolves a reference to a model and returns its key. NAME and NAME@champion refer to the
// champion of the series NAME, and NAME@v3 to its third model. If NAME is not a series but a
// dataset, only the models of this dataset are considered.
func (c *Session) ModelKey(ctx context.Context, ref string) (string, error) {
	name, which := ref, ChampionRef
	if i := strings.LastIndexByte(ref, '@'); i > 0 {
		name, which = ref[:i], ref[i+1:]
	}
	var newest *client.SeriesModel // the newest model of the series called name
	hasChampion := false
	key, err := resolveReference("model", ref, func(yield func(refCandidate, error) bool) {
		all, err := client.ListSeries(ctx, c.Client)
		if err != nil {
			yield(refCandidate{}, err)
			return
		}
		meant := client.ResolveSeries(all, name)
		if meant != nil {
			all = []client.Series{*meant}
		}
		for m, err := range c.Models(ctx, all) {
			one := refCandidate{m.ModelKey, m.Series, creationTime{m.CreatedOn, m.CreatedMicros}}
			if err == nil && meant != nil && newest == nil {
				newest = &m
			}
			hasChampion = hasChampion || m.Champion
			switch {
			case meant != nil && (m.Champion && which == ChampionRef || which == "v"+strconv.Itoa(m.SeriesVersion)):
				one.name = ref
			case meant != nil:
				one.name = m.Reference()
			}
			if !yield(one, err) {
				return
			}
		}
	})
	if err != nil && newest != nil && !hasChampion && which == ChampionRef {
		return "", noChampionError(newest)
	}
	return key, err
}

// DatasetOfModel returns the dataset on which the model with the given key was trained. The column that
// divided the rows into groups is marked as unused, because it is no feature of the model.
func (c *Session) DatasetOfModel(ctx context.Context, key string) (*api.Dataset, error) {
	model, err := client.Call(ctx, c.Client, api.GetModel, &api.ModelInput{ModelKey: key})
	if err != nil {
		return nil, err
	}
	dataset, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: model.DatasetKey})
	if err != nil {
		return nil, err
	}
	dataset.MarkUnused(model.GroupColumn)
	return dataset, nil
}

// Models returns the models of several series, one series after the other. The models of
// a series are ordered newest first.
func (c *Session) Models(ctx context.Context, all []client.Series) iter.Seq2[client.SeriesModel, error] {
	return func(yield func(client.SeriesModel, error) bool) {
		for _, s := range all {
			models, err := client.ModelsOfSeries(ctx, c.Client, s)
			if err != nil {
				yield(client.SeriesModel{}, err)
				return
			}
			for _, m := range models {
				if !yield(m, nil) {
					return
				}
			}
		}
	}
}

// AllModels returns the models of all series, newest first within each series.
func (c *Session) AllModels(ctx context.Context) iter.Seq2[client.SeriesModel, error] {
	return func(yield func(client.SeriesModel, error) bool) {
		all, err := client.ListSeries(ctx, c.Client)
		if err != nil {
			yield(client.SeriesModel{}, err)
			return
		}
		c.Models(ctx, all)(yield)
	}
}

// ResolveSeries resolves a reference to a series. If ref refers to a single dataset, it returns a
// series with only that dataset.
func (c *Session) ResolveSeries(ctx context.Context, ref string) (*client.Series, error) {
	all, err := client.ListSeries(ctx, c.Client)
	if err != nil {
		return nil, err
	}
	if s := client.ResolveSeries(all, ref); s != nil {
		return s, nil
	}
	key, err := c.DatasetKey(ctx, ref)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		for _, d := range s.Datasets {
			if d.DatasetKey == key {
				return &client.Series{Name: s.Name, Datasets: []api.DatasetEntry{d}}, nil
			}
		}
	}
	return nil, exit.Errorf(exit.NotFound, "no dataset %q found", ref).WithHint("list the datasets with `foretell datasets list`")
}

// PredictionKey resolves a reference to a prediction and returns its key. The name of a dataset or
// series refers to its newest prediction.
func (c *Session) PredictionKey(ctx context.Context, ref string) (string, error) {
	return resolveReference("prediction", ref, func(yield func(refCandidate, error) bool) {
		names, err := c.seriesNames(ctx)
		if err != nil {
			yield(refCandidate{}, err)
			return
		}
		for p, err := range c.AllPredictions(ctx) {
			if !yield(refCandidate{p.PredictionKey, candidateName(ref, p.DatasetName, names[p.DatasetKey]), creationTime{p.CreatedOn, p.CreatedMicros}}, err) {
				return
			}
		}
	})
}

// NamedPrediction is a prediction together with the name of its dataset.
type NamedPrediction struct {
	api.Prediction
	DatasetName string `json:"datasetName"`
}

// AllPredictions returns the predictions of all datasets that have a model. If the datasets cannot
// be listed, the sequence yields the error and ends.
func (c *Session) AllPredictions(ctx context.Context) iter.Seq2[NamedPrediction, error] {
	return func(yield func(NamedPrediction, error) bool) {
		for d, err := range client.AllDatasets(ctx, c.Client, api.ListDatasetsInput{WithModelOnly: true}) {
			if err != nil {
				yield(NamedPrediction{}, err)
				return
			}
			for p, err := range client.AllPredictionsOfDataset(ctx, c.Client, d.DatasetKey) {
				if !yield(NamedPrediction{p, d.DatasetName}, err) {
					return
				}
			}
		}
	}
}

// Collect returns all items of a sequence, or the first error.
func Collect[T any](items iter.Seq2[T, error]) ([]T, error) {
	return CollectLimit(items, 0)
}

// CollectLimit is like [Collect], but returns at most limit items. 0 means no limit.
func CollectLimit[T any](items iter.Seq2[T, error], limit uint) ([]T, error) {
	var all []T
	for one, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		if limit > 0 && uint(len(all)) == limit {
			break
		}
	}
	return all, nil
}

// AddDatasetName reads the name of the dataset with the given key and adds it to each of the
// predictions.
func (c *Session) AddDatasetName(ctx context.Context, key string, predictions iter.Seq2[api.Prediction, error]) (iter.Seq2[NamedPrediction, error], error) {
	dataset, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return nil, err
	}
	return func(yield func(NamedPrediction, error) bool) {
		for p, err := range predictions {
			if !yield(NamedPrediction{p, dataset.DatasetName}, err) {
				return
			}
		}
	}, nil
}
