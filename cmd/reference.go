package cmd

import (
	"cmp"
	"context"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
)

const (
	keyLength = 36 // of a key in full
	shortKey  = 8  // of a key as a narrow terminal shows it
	minPrefix = 6  // of a key that is typed in part
	last      = "@last"
)

var (
	fullKey   = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	keyPrefix = regexp.MustCompile(`^[0-9a-fA-F-]{` + strconv.Itoa(minPrefix) + `,}$`)
)

// candidate is a thing that a reference may mean.
type candidate struct {
	key     string
	name    string // that it can be called by; several may share it
	created string // newest wins for a shared name and for @last
}

// resolve finds the key of what ref means among things: a key, the unique
// beginning of one, a name, or @last. noun and list are for the errors.
func resolve(noun, ref string, things iter.Seq2[candidate, error]) (string, error) {
	if fullKey.MatchString(ref) {
		return strings.ToLower(ref), nil
	}
	var named, begun []candidate
	for c, err := range things {
		switch {
		case err != nil:
			return "", err
		case ref == last, c.name == ref:
			named = append(named, c)
		case keyPrefix.MatchString(ref) && strings.HasPrefix(c.key, strings.ToLower(ref)):
			begun = append(begun, c)
		}
	}
	slices.SortStableFunc(named, func(a, b candidate) int { return cmp.Compare(b.created, a.created) })
	matches := append(named[:min(1, len(named))], begun...)
	switch {
	case len(matches) == 1:
		return matches[0].key, nil
	case len(matches) == 0:
		return "", fail(ExitNotFound, "there is no %s %q", noun, ref).advise("list them with `foretell %s list`", plurals[noun])
	}
	keys := make([]string, len(matches))
	for i, c := range matches {
		keys[i] = strings.TrimSpace(c.key + " " + c.name)
	}
	return "", usage("%q may be any of these: %s", ref, strings.Join(keys, "; ")).advise("type more of the key")
}

var plurals = map[string]string{"dataset": "datasets", "training": "training", "model": "models", "prediction": "predictions"}

// datasetKey resolves a reference to a dataset.
func (c *connection) datasetKey(ctx context.Context, ref string) (string, error) {
	return resolve("dataset", ref, func(yield func(candidate, error) bool) {
		for d, err := range client.AllDatasets(ctx, c.Client, api.ListDatasetsInput{}) {
			if !yield(candidate{d.DatasetKey, d.DatasetName, d.CreatedOn}, err) {
				return
			}
		}
	})
}

// trainingKey resolves a reference to a race; the name is its dataset's, of
// which the newest race is meant.
func (c *connection) trainingKey(ctx context.Context, ref string) (string, error) {
	return resolve("training", ref, func(yield func(candidate, error) bool) {
		for t, err := range client.AllTrainings(ctx, c.Client, !keyPrefix.MatchString(ref)) {
			one := candidate{t.TrainingJobKey, t.DatasetName, t.CreatedOn}
			if t.ParentTrainingJobKey != "" {
				one.name = ""
			}
			if !yield(one, err) {
				return
			}
		}
	})
}

// modelKey resolves a reference to a model: NAME@champion or NAME for the best
// of a dataset, NAME@v3 for its third.
func (c *connection) modelKey(ctx context.Context, ref string) (string, error) {
	name, which := ref, ""
	if i := strings.LastIndexByte(ref, '@'); i > 0 {
		name, which = ref[:i], ref[i+1:]
	}
	return resolve("model", ref, func(yield func(candidate, error) bool) {
		for m, err := range c.allModels(ctx, name) {
			one := candidate{key: m.ModelKey, created: m.CreatedOn}
			champion := m.Champion && (which == "" || which == "champion")
			if name == m.DatasetName && (champion || which == "v"+strconv.Itoa(m.Version)) {
				one.name = ref
			}
			if !yield(one, err) {
				return
			}
		}
	})
}

// modelOf is a model with the name of its dataset.
type modelOf struct {
	api.ModelEntry
	DatasetName string `json:"datasetName"`
}

// modelsOf gives the models of one dataset.
func (c *connection) modelsOf(ctx context.Context, key string) (iter.Seq2[modelOf, error], error) {
	dataset, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return nil, err
	}
	return func(yield func(modelOf, error) bool) {
		for m, err := range client.AllModelsOfDataset(ctx, c.Client, key) {
			if !yield(modelOf{m, dataset.DatasetName}, err) {
				return
			}
		}
	}, nil
}

// allModels gives the models of all datasets, or only of the dataset called
// name if there is one.
func (c *connection) allModels(ctx context.Context, name string) iter.Seq2[modelOf, error] {
	return func(yield func(modelOf, error) bool) {
		datasets, err := collect(client.AllDatasets(ctx, c.Client, api.ListDatasetsInput{WithModelOnly: true}))
		if err != nil {
			yield(modelOf{}, err)
			return
		}
		named := func(d api.DatasetEntry) bool { return d.DatasetName == name }
		for _, d := range datasets {
			if slices.ContainsFunc(datasets, named) && !named(d) {
				continue
			}
			for m, err := range client.AllModelsOfDataset(ctx, c.Client, d.DatasetKey) {
				if !yield(modelOf{m, d.DatasetName}, err) {
					return
				}
			}
		}
	}
}

// predictionKey resolves a reference to a prediction; the name is its dataset's,
// of which the newest prediction is meant.
func (c *connection) predictionKey(ctx context.Context, ref string) (string, error) {
	return resolve("prediction", ref, func(yield func(candidate, error) bool) {
		for p, err := range c.allPredictions(ctx) {
			if !yield(candidate{p.PredictionKey, p.DatasetName, p.CreatedOn}, err) {
				return
			}
		}
	})
}

// predictionOf is a prediction with the name of its dataset.
type predictionOf struct {
	api.Prediction
	DatasetName string `json:"datasetName"`
}

func (c *connection) allPredictions(ctx context.Context) iter.Seq2[predictionOf, error] {
	return func(yield func(predictionOf, error) bool) {
		for d, err := range client.AllDatasets(ctx, c.Client, api.ListDatasetsInput{WithModelOnly: true}) {
			if err != nil {
				yield(predictionOf{}, err)
				return
			}
			for p, err := range client.AllPredictionsOfDataset(ctx, c.Client, d.DatasetKey) {
				if !yield(predictionOf{p, d.DatasetName}, err) {
					return
				}
			}
		}
	}
}

// collect takes all items of a list.
func collect[T any](items iter.Seq2[T, error]) ([]T, error) {
	return collectSome(items, 0)
}

// collectSome takes at most limit items of a list; 0 takes all.
func collectSome[T any](items iter.Seq2[T, error], limit uint) ([]T, error) {
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

// predictionsOf adds the name of their dataset to predictions.
func (c *connection) predictionsOf(ctx context.Context, key string, of iter.Seq2[api.Prediction, error]) (iter.Seq2[predictionOf, error], error) {
	dataset, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return nil, err
	}
	return func(yield func(predictionOf, error) bool) {
		for p, err := range of {
			if !yield(predictionOf{p, dataset.DatasetName}, err) {
				return
			}
		}
	}, nil
}
