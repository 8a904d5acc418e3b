// Package prune decides which datasets, races, models and predictions of an account are no
// longer needed, and deletes them. The prune command uses it.
package prune

import (
	"slices"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
)

// Policy configures what is kept and what is deleted. At least one of Before and Keep must be set.
type Policy struct {
	// Before limits deletion to items that were created before this time. If it is zero, items of
	// any age may be deleted.
	Before time.Time
	// Keep is the number of newest models of each series to keep; nil means no limit.
	Keep *int
	// Champions is set to keep the champion of each series, and the model that [client.FindNewest]
	// returns. That model decides with which models the champion is compared. Without it, another
	// model that is kept, such as the model of a running prediction, could become the champion.
	Champions bool
}

// Series is a series of datasets with their models, races and predictions.
type Series struct {
	client.Series
	Models      []client.SeriesModel // newest first
	Races       []api.Training
	Predictions []api.Prediction
}

// The kinds of an [Item].
const (
	Dataset    = "dataset"
	Race       = "training"
	Model      = "model"
	Prediction = "prediction"
)

// Item is an object to delete.
type Item struct {
	Kind      string `json:"kind"`
	Key       string `json:"key"`
	Name      string `json:"name" doc:"Name of its dataset or, for a model, a reference such as NAME@v3."`
	CreatedOn string `json:"createdOn"`
	// Bytes is the size of the object's file. It is 0 if the object has no file, or if the
	// size is unknown.
	Bytes int64 `json:"bytes"`
	// Implied reports whether this item is deleted together with an earlier item of the list.
	Implied bool `json:"-"`
}

// Plan returns the items of a series to delete under a policy. Implied items follow the item with
// which they are deleted. Jobs that run or wait, except old interrupted ones, and the
// datasets and models that they use, are kept.
func Plan(s Series, p Policy) []Item {
	kept := p.keptModels(s)
	var items []Item
	for _, d := range s.Datasets {
		races := slices.DeleteFunc(slices.Clone(s.Races), func(r api.Training) bool { return r.DatasetKey != d.DatasetKey })
		var toDelete []api.Training
		for _, r := range races {
			if p.shouldDelete(r, kept) {
				toDelete = append(toDelete, r)
			}
		}
		whole := len(toDelete) == len(races) && d.Status != api.DatasetProcessing && p.isOld(d.CreatedOn) &&
			(len(races) > 0 || !p.Before.IsZero()) // a dataset without a race is deleted only for its age
		if whole {
			items = append(items, Item{Kind: Dataset, Key: d.DatasetKey, Name: d.DatasetName, CreatedOn: d.CreatedOn, Bytes: d.Bytes})
		}
		for _, r := range toDelete {
			items = append(items, s.raceItems(r, d.DatasetName, whole)...)
		}
	}
	for _, x := range s.Predictions {
		if kept[x.ModelKey] && (isDone(x.Status) || x.Interrupted) && !p.Before.IsZero() && p.isOld(x.CreatedOn) {
			items = append(items, s.predictionItem(x, false))
		}
	}
	return items
}

// FilterConfirmed returns the items of current, the newest plan, that are also in confirmed, the
// plan that the user has seen. It omits an item if its deletion would also delete an item that is
// not in confirmed.
func FilterConfirmed(confirmed, current []Item) []Item {
	known := map[string]bool{}
	for _, item := range confirmed {
		known[item.Key] = true
	}
	var items []Item
	for len(current) > 0 {
		end := 1
		for end < len(current) && current[end].Implied {
			end++
		}
		if !slices.ContainsFunc(current[:end], func(i Item) bool { return !known[i.Key] }) {
			items = append(items, current[:end]...)
		}
		current = current[end:]
	}
	return items
}

// keptModels returns the keys of the models that p keeps: the newest p.Keep models, the models
// created since p.Before, and the models of unfinished predictions that are not abandoned. If
// p.Champions is set, it also keeps the champion and the newest model.
func (p Policy) keptModels(s Series) map[string]bool {
	kept := map[string]bool{}
	if newest := client.FindNewest(s.Models); p.Champions && newest != nil {
		kept[newest.ModelKey] = true
	}
	for i, m := range s.Models {
		switch {
		case p.Champions && m.Champion, !p.Before.IsZero() && !p.isOld(m.CreatedOn), p.Keep != nil && i < *p.Keep:
			kept[m.ModelKey] = true
		}
	}
	for _, x := range s.Predictions {
		if !isDone(x.Status) && !p.isAbandoned(x.Interrupted, x.CreatedOn) {
			kept[x.ModelKey] = true
		}
	}
	return kept
}

// shouldDelete reports whether a race is deleted, with its model if it has one. kept holds the
// keys of the models to keep. A race that has not ended is deleted only if it is abandoned.
func (p Policy) shouldDelete(r api.Training, kept map[string]bool) bool {
	if p.isAbandoned(r.Interrupted, r.CreatedOn) {
		return true
	}
	if !isDone(r.Status) || kept[r.ModelKey] {
		return false
	}
	return r.ModelKey != "" || p.isOld(r.CreatedOn)
}

// isAbandoned reports whether a race or prediction is interrupted and was created before p.Before.
// If p.Before is zero, it returns false, because the user may want to resume the work.
func (p Policy) isAbandoned(interrupted bool, created string) bool {
	return interrupted && !p.Before.IsZero() && p.isOld(created)
}

// isOld reports whether a creation time is before p.Before. It returns true if p.Before is zero.
// Otherwise, it returns false for an invalid time.
func (p Policy) isOld(created string) bool {
	if p.Before.IsZero() {
		return true
	}
	at, err := time.Parse(api.TimeLayout, created)
	return err == nil && at.Before(p.Before)
}

// isDone reports whether a race or prediction has ended.
func isDone(status string) bool {
	switch status {
	case api.TrainingCompleted, api.TrainingNotCompleted, api.TrainingTimedOut, api.TrainingFailed, api.TrainingCancelled, api.PredictionTimeout:
		return true
	}
	return false
}

// raceItems returns the items for a race, its model and the predictions by that model. dataset is
// the name of the dataset. implied reports whether the race is deleted together with an earlier
// item, its dataset.
func (s Series) raceItems(r api.Training, dataset string, implied bool) []Item {
	items := []Item{{Kind: Race, Key: r.TrainingJobKey, Name: dataset, CreatedOn: r.CreatedOn, Implied: implied}}
	for _, m := range s.Models {
		if m.ModelKey == r.ModelKey {
			items = append(items, Item{Kind: Model, Key: m.ModelKey, Name: m.Reference(), CreatedOn: m.CreatedOn, Bytes: m.Bytes, Implied: true})
		}
	}
	for _, x := range s.Predictions {
		if r.ModelKey != "" && x.ModelKey == r.ModelKey {
			items = append(items, s.predictionItem(x, true))
		}
	}
	return items
}

func (s Series) predictionItem(x api.Prediction, implied bool) Item {
	item := Item{Kind: Prediction, Key: x.PredictionKey, CreatedOn: x.CreatedOn, Bytes: x.Bytes, Implied: implied}
	for _, m := range s.Models {
		if m.ModelKey == x.ModelKey {
			item.Name = m.Reference()
		}
	}
	return item
}
