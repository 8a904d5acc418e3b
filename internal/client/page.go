package client

import (
	"context"
	"iter"

	"foretell/internal/api"
)

// The functions below return sequences that fetch a page when they need it. A sequence ends after
// the total number of items that the service reports, or else at the first page that is not full.
// It also ends at a page without a new key, which means that the service ignores the offset. It
// yields each item once, even if a new item moves it to the next page. An error ends the sequence.

// AllDatasets returns the datasets of the account that match the filters in.State and
// in.WithModelOnly. It ignores in.Offset and in.Limit.
func AllDatasets(ctx context.Context, c *Client, in api.ListDatasetsInput) iter.Seq2[api.DatasetEntry, error] {
	return AllPages(func(page api.PageInput) ([]api.DatasetEntry, api.Page, error) {
		in.PageInput = page
		out, err := Call(ctx, c, api.ListDatasets, &in)
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.Datasets.Items, out.Page, nil
	}, func(d api.DatasetEntry) string { return d.DatasetKey })
}

// AllTrainings returns the training jobs of the account. If parentOnly is set, it
// returns races without the jobs of their algorithms.
func AllTrainings(ctx context.Context, c *Client, parentOnly bool) iter.Seq2[api.Training, error] {
	return AllPages(func(page api.PageInput) ([]api.Training, api.Page, error) {
		out, err := Call(ctx, c, api.ListTrainings, &api.ListTrainingsInput{PageInput: page, ParentOnly: parentOnly})
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.TrainingJobs, out.Page, nil
	}, trainingKey)
}

// AllTrainingsOfDataset returns the training jobs of a dataset.
func AllTrainingsOfDataset(ctx context.Context, c *Client, key string) iter.Seq2[api.Training, error] {
	return AllPages(func(page api.PageInput) ([]api.Training, api.Page, error) {
		out, err := Call(ctx, c, api.ListTrainingsOfDataset, &api.ListTrainingsOfDatasetInput{DatasetPageInput: *datasetPageInput(key, page)})
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.TrainingJobs, out.Page, nil
	}, trainingKey)
}

// AllModelsOfDataset returns the models of a dataset.
func AllModelsOfDataset(ctx context.Context, c *Client, key string) iter.Seq2[api.ModelEntry, error] {
	return AllPages(func(page api.PageInput) ([]api.ModelEntry, api.Page, error) {
		out, err := Call(ctx, c, api.ListModelsOfDataset, datasetPageInput(key, page))
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.Models, out.Page, nil
	}, func(m api.ModelEntry) string { return m.ModelKey })
}

// AllPredictionsOfDataset returns the predictions made with any model of a dataset.
func AllPredictionsOfDataset(ctx context.Context, c *Client, key string) iter.Seq2[api.Prediction, error] {
	return AllPages(func(page api.PageInput) ([]api.Prediction, api.Page, error) {
		out, err := Call(ctx, c, api.ListPredictionsOfDataset, datasetPageInput(key, page))
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.Predictions, out.Page, nil
	}, predictionKey)
}

// AllPredictionsOfModel returns the predictions made with a model.
func AllPredictionsOfModel(ctx context.Context, c *Client, key string) iter.Seq2[api.Prediction, error] {
	return AllPages(func(page api.PageInput) ([]api.Prediction, api.Page, error) {
		in := &api.ModelPageInput{ModelInput: api.ModelInput{ModelKey: key}, PageInput: page}
		out, err := Call(ctx, c, api.ListPredictionsOfModel, in)
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.Predictions, out.Page, nil
	}, predictionKey)
}

func trainingKey(t api.Training) string     { return t.TrainingJobKey }
func predictionKey(p api.Prediction) string { return p.PredictionKey }

func datasetPageInput(key string, page api.PageInput) *api.DatasetPageInput {
	return &api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: key}, PageInput: page}
}

// AllPages yields the items of all pages of a list. The function fetch returns one page, and the
// function key returns the key of an item. An item with the key of an earlier item is skipped: if the
// list changes between two requests, an item may be on both pages.
func AllPages[T any](fetch func(api.PageInput) ([]T, api.Page, error), key func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen := map[string]bool{}
		for in := (api.PageInput{Limit: api.MaxPageLimit}); ; {
			items, page, err := fetch(in)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			unseen := 0
			for _, item := range items {
				if k := key(item); k == "" || !seen[k] {
					seen[k] = true
					unseen++
					if !yield(item, nil) {
						return
					}
				}
			}
			next, more := NextOffset(in, page, len(items))
			if !more || page.Total < 0 && unseen == 0 {
				return
			}
			in.Offset = next
		}
	}
}

// NextOffset returns the offset of the page that follows a page of n items, and
// whether there is such a page.
func NextOffset(in api.PageInput, page api.Page, n int) (offset int64, exists bool) {
	next := in.Offset + int64(n)
	switch {
	case n == 0:
		return 0, false
	case page.NextOffset != nil && *page.NextOffset > in.Offset:
		return *page.NextOffset, true
	case page.Total >= 0:
		return next, next < page.Total
	}
	limit := in.Limit
	if page.Limit > 0 {
		limit = min(limit, page.Limit) // the limit that the service applied
	}
	return next, int64(n) >= limit
}
