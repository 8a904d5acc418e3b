package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
)

func TestPredictions(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.work(t)
	race := b.trained(t, "flowers")
	good := b.predicted(t, race.ModelKey, blind(20))

	t.Run("a missing column is named", func(t *testing.T) {
		p := b.predicted(t, race.ModelKey, "id,colour\n1,red\n")
		if p.Status != api.PredictionFailed || !strings.Contains(p.FailureReason, "size") || p.PredictionResultURL != "" {
			t.Errorf("the prediction is %+v", p)
		}
	})
	t.Run("a ragged row is placed", func(t *testing.T) {
		p := b.predicted(t, race.ModelKey, "id,size,colour\n1,2,red\n2,3\n")
		if p.Status != api.PredictionFailed || !strings.Contains(p.FailureReason, "line 3") {
			t.Errorf("the prediction is %+v", p)
		}
	})
	t.Run("its bytes are those of the files that are kept", func(t *testing.T) {
		file := must(b.DownloadResult(t.Context(), resultInput(t, good.PredictionResultURL)))(t)
		defer file.Close()
		if good.Bytes != file.Size {
			t.Errorf("the prediction has %d bytes, its result %d", good.Bytes, file.Size)
		}
		p := b.predicted(t, race.ModelKey, "id,colour\n1,red\n")
		_, err := b.GetPredictionDrift(b.ctx, &api.PredictionInput{PredictionKey: p.PredictionKey})
		wantCode(t, err, api.CodeWrongState)
		if p.Bytes != 0 {
			t.Errorf("a failed prediction has %d bytes", p.Bytes)
		}
	})
	t.Run("the blind file is compared with the training file", func(t *testing.T) {
		in := &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: race.ModelKey}, FileName: "C:\\Users\\Ann\\may\u202e.csv"}
		csv := strings.ReplaceAll(strings.ReplaceAll(blind(300), "green", "blue"), ",red", ",blue")
		p := b.awaitPrediction(t, must(b.CreatePrediction(b.ctx, in, strings.NewReader(csv)))(t).PredictionKey)
		if p.Blind == nil || p.Blind.FileName != "may.csv" || p.Blind.Bytes != int64(len(csv)) || len(p.Blind.SHA256) != 64 {
			t.Errorf("the blind file is %+v", p.Blind)
		}
		d := must(b.GetPredictionDrift(b.ctx, &api.PredictionInput{PredictionKey: p.PredictionKey}))(t)
		if d.File != "may.csv" || d.Rows != 300 || len(d.Columns) != 2 || d.Columns[0].Name != "colour" || d.Columns[0].Level != api.DriftLarge || d.Columns[1].Level != api.DriftNone {
			t.Errorf("the comparison is %+v", d)
		}
		_, err := b.GetPredictionDrift(b.as(t, "drift@example.com").ctx, &api.PredictionInput{PredictionKey: p.PredictionKey})
		wantCode(t, err, api.CodeNotFound)
		must(b.DeletePrediction(b.ctx, &api.PredictionInput{PredictionKey: p.PredictionKey}))(t)
	})
	t.Run("the comparison continues when the caller no longer waits", func(t *testing.T) {
		release := b.HoldDrifts()
		eventually(t, func() (api.Code, error) {
			limited, stop := context.WithTimeout(b.ctx, 50*time.Millisecond)
			defer stop()
			_, err := b.GetPredictionDrift(limited, &api.PredictionInput{PredictionKey: good.PredictionKey})
			return api.CodeFromError(err), nil
		}, func(code api.Code) bool { return code == api.CodeWrongState })
		release()
		eventually(t, func() (*api.DriftReport, error) { return b.StoredDrift(b.ctx, good.PredictionKey) },
			func(report *api.DriftReport) bool { return report != nil })
	})
	t.Run("they are listed newest first", func(t *testing.T) {
		page := must(b.ListPredictionsOfDataset(b.ctx, &api.DatasetPageInput{
			DatasetInput: api.DatasetInput{DatasetKey: race.DatasetKey}, PageInput: api.PageInput{Offset: 3, Limit: 1},
		}))(t)
		if page.Total != 4 || page.Predictions[0].PredictionKey != good.PredictionKey || page.NextOffset != nil {
			t.Errorf("the last page is %+v", page)
		}
	})
	t.Run("a result address is for its prediction alone", func(t *testing.T) {
		in := resultInput(t, good.PredictionResultURL)
		in.PredictionKey = race.TrainingJobKey
		_, err := b.DownloadResult(t.Context(), in)
		wantCode(t, err, api.CodeForbidden)
	})
	t.Run("another account sees nothing", func(t *testing.T) {
		ctx := b.as(t, "other@example.com").ctx
		_, err := b.GetPrediction(ctx, &api.PredictionInput{PredictionKey: good.PredictionKey})
		wantCode(t, err, api.CodeNotFound)
		_, err = b.CreatePrediction(ctx, &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: race.ModelKey}}, strings.NewReader(blind(1)))
		wantCode(t, err, api.CodeNotFound)
		_, err = b.ListPredictionsOfModel(ctx, &api.ModelPageInput{
			ModelInput: api.ModelInput{ModelKey: race.ModelKey}, PageInput: api.PageInput{Limit: 1},
		})
		wantCode(t, err, api.CodeNotFound)
		_, err = b.DeleteModel(ctx, &api.ModelInput{ModelKey: race.ModelKey})
		wantCode(t, err, api.CodeNotFound)
	})
	t.Run("deleting the race deletes its model and predictions", func(t *testing.T) {
		must(b.DeleteTraining(b.ctx, &api.TrainingInput{TrainingJobKey: race.TrainingJobKey}))(t)
		_, err := b.DownloadResult(t.Context(), resultInput(t, good.PredictionResultURL))
		wantCode(t, err, api.CodeNotFound)
		b.awaitFiles(t, 1) // that of the dataset
	})
}
