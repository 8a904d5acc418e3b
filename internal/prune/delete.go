package prune

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/client"
)

// Delete deletes an item of a plan. It must not be called for implied items, which the service
// deletes together with an earlier item.
func Delete(ctx context.Context, c *client.Client, item Item) (err error) {
	switch item.Kind {
	case Dataset:
		_, err = client.Call(ctx, c, api.DeleteDataset, &api.DatasetInput{DatasetKey: item.Key})
	case Race:
		_, err = client.Call(ctx, c, api.DeleteTraining, &api.TrainingInput{TrainingJobKey: item.Key})
	case Prediction:
		_, err = client.Call(ctx, c, api.DeletePrediction, &api.PredictionInput{PredictionKey: item.Key})
	}
	return err
}
