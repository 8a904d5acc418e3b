package download

import (
	"context"
	"os"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/learn/model"
	"foretell/internal/modelfile"
	"foretell/internal/scoring"
)

// maxModelBytes is the maximum size of a model that is downloaded from a server only to look for
// training rows.
const maxModelBytes = 64 << 20

// FindOverlapOfModel returns a function for [BlindLabel.FindOverlap] that looks for the background
// rows of the model, which are a sample of its training rows. The function returns nil if it finds
// none of them, or after an error.
func FindOverlapOfModel(m *model.Model) func(ctx context.Context, path string) *scoring.TrainingOverlap {
	return func(ctx context.Context, path string) *scoring.TrainingOverlap {
		file, err := os.Open(path)
		if err != nil {
			return nil
		}
		defer file.Close()
		found, sample, err := m.FindTrainingRows(ctx, file)
		if err != nil || found == 0 {
			return nil
		}
		return &scoring.TrainingOverlap{Sample: int64(sample), Found: int64(found)}
	}
}

// FindOverlapOfPrediction is like FindOverlapOfModel, for a prediction of a service. If the blind
// file has the SHA-256 of the training file, all its rows are training rows. Otherwise the function
// downloads the model and looks for its background rows. It returns nil if the model is on a server
// and has more than maxModelBytes or an unknown size, because the download would take long.
func FindOverlapOfPrediction(session *connect.Session, dataset *api.Dataset, prediction *api.Prediction) func(ctx context.Context, path string) *scoring.TrainingOverlap {
	return func(ctx context.Context, path string) (rows *scoring.TrainingOverlap) {
		if prediction.Blind != nil && prediction.Blind.SHA256 != "" && prediction.Blind.SHA256 == dataset.SHA256 {
			return &scoring.TrainingOverlap{Sample: dataset.Rows, Found: dataset.Rows}
		}
		info, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: prediction.ModelKey})
		if err != nil || !session.Embedded && (info.Bytes == 0 || info.Bytes > maxModelBytes) {
			return nil
		}
		_ = WithModelFile(ctx, session, prediction.ModelKey, func(modelPath string) error { // an error does no harm: only the warning is missing
			m, err := modelfile.Read(modelPath)
			if err == nil {
				rows = FindOverlapOfModel(m)(ctx, path)
			}
			return err
		})
		return rows
	}
}
