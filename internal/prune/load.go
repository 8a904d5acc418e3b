package prune

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/client"
)

// PlanAll reads the races, models and predictions of all series, and returns the items to delete by
// the rules of [Plan].
func PlanAll(ctx context.Context, c *client.Client, all []client.Series, p Policy) ([]Item, error) {
	races := map[string][]api.Training{} // by dataset
	for race, err := range client.AllTrainings(ctx, c, true) {
		if err != nil {
			return nil, err
		}
		races[race.DatasetKey] = append(races[race.DatasetKey], race)
	}
	var items []Item
	for _, series := range all {
		models, err := client.ModelsOfSeries(ctx, c, series)
		if err != nil {
			return nil, err
		}
		s := Series{Series: series, Models: models}
		for _, d := range series.Datasets {
			s.Races = append(s.Races, races[d.DatasetKey]...)
			if len(races[d.DatasetKey]) == 0 {
				continue // no model, therefore no predictions
			}
			for x, err := range client.AllPredictionsOfDataset(ctx, c, d.DatasetKey) {
				if err != nil {
					return nil, err
				}
				s.Predictions = append(s.Predictions, x)
			}
		}
		items = append(items, Plan(s, p)...)
	}
	return items, nil
}
