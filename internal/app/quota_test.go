package app_test

import (
	"strings"
	"testing"

	"foretell/internal/api"
)

func TestQuota(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	ann := b.as(t, "ann@example.com")
	limit := func(q api.Quota) {
		t.Helper()
		must(b.SetQuota(t.Context(), &api.SetQuotaInput{AccountInput: *b.account(t, "ann@example.com"), Body: q}))(t)
	}
	limit(api.Quota{Datasets: new(int64(2)), Bytes: new(int64(10_000)), Races: new(int64(1))})
	stop := b.work(t)
	first := ann.prepared(t, "first", labelled(100)) // 1,000 to 2,000 bytes
	second := ann.create(t, "second").DatasetKey
	_, err := ann.CreateDataset(ann.ctx, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "third"}})
	wantCode(t, err, api.CodeQuota)
	if err != nil && !strings.Contains(err.Error(), "for datasets is 2 (used: 2, needed by this request: 1)") {
		t.Errorf("the error is %v", err)
	}
	t.Run("a body of unknown size", func(t *testing.T) {
		_, err := ann.AddData(ann.ctx, &api.DatasetInput{DatasetKey: second}, strings.NewReader(labelled(2000)))
		wantCode(t, err, api.CodeQuota)
		d := must(ann.GetDataset(ann.ctx, &api.DatasetInput{DatasetKey: second}))(t)
		if d.Status != api.DatasetPending {
			t.Errorf("the dataset is %s", d.Status)
		}
		b.awaitFiles(t, 1)
	})
	t.Run("a body without an end is not read to the largest size", func(t *testing.T) {
		_, err := ann.AddData(ann.ctx, &api.DatasetInput{DatasetKey: second}, endless{})
		wantCode(t, err, api.CodeQuota)
		b.awaitFiles(t, 1)
	})
	stop()
	t.Run("races that wait count", func(t *testing.T) {
		race := must(ann.CreateTraining(ann.ctx, newRace(first.DatasetKey, 0.8)))(t)
		_, err := ann.CreateTraining(ann.ctx, newRace(first.DatasetKey, 0.8))
		wantCode(t, err, api.CodeQuota)
		must(ann.CancelTraining(ann.ctx, &api.TrainingInput{TrainingJobKey: race.TrainingJobKey}))(t)
		must(ann.CreateTraining(ann.ctx, newRace(first.DatasetKey, 0.8)))(t)
	})
	t.Run("without a limit", func(t *testing.T) {
		limit(api.Quota{})
		ann.create(t, "third")
		ann.add(t, second, labelled(2000))
		must(ann.CreateTraining(ann.ctx, newRace(first.DatasetKey, 0.8)))(t)
	})
}
