package app_test

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestUpgradeDataFolder opens a data folder that the program with schema 1
// wrote: a dataset, the model and the prediction of
//
//	foretell run t.csv --blind b.csv --name flowers --algorithm BFIF01
//
// and a dataset without data. All of it is upgraded in place.
func TestUpgradeDataFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/schema1")); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir)
	before := b.files(t)
	b.work(t)

	datasets := must(b.ListDatasets(b.ctx, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 9}}))(t).Datasets.Items
	if len(datasets) != 2 || datasets[0].DatasetName != "pending" || datasets[1].DatasetName != "flowers" {
		t.Fatalf("the datasets are %+v", datasets)
	}
	flowers := must(b.GetDataset(b.ctx, &api.DatasetInput{DatasetKey: datasets[1].DatasetKey}))(t)
	if flowers.Status != api.DatasetCompleted || flowers.Rows != 40 || flowers.Bytes != 475 || flowers.SHA256 != "" {
		t.Errorf("the dataset is %+v", flowers)
	}
	page := api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: flowers.DatasetKey}, PageInput: api.PageInput{Limit: 9}}
	models := must(b.ListModelsOfDataset(b.ctx, &page))(t).Models
	if len(models) != 1 || !models[0].Champion || models[0].Version != 1 {
		t.Fatalf("the models are %+v", models)
	}
	old := must(b.ListPredictionsOfDataset(b.ctx, &page))(t).Predictions
	if len(old) != 1 {
		t.Fatalf("the predictions are %+v", old)
	}
	result := must(b.DownloadResult(t.Context(), resultInput(t, old[0].PredictionResultURL)))(t)
	defer func() { _ = result.Close() }()
	if text := string(must(io.ReadAll(result))(t)); strings.Count(text, "\n") != 41 {
		t.Errorf("the result is %q", text)
	}

	if p := b.predicted(t, models[0].ModelKey, "id,size\nr1,1\nr2,40\n"); p.Status != api.PredictionCompleted || p.Rows != 2 {
		t.Errorf("the new prediction is %+v", p)
	}
	race := b.awaitTraining(t, must(b.CreateTraining(b.ctx, newRace(flowers.DatasetKey, 0.8)))(t).TrainingJobKey)
	if m := must(b.GetModel(b.ctx, &api.ModelInput{ModelKey: race.ModelKey}))(t); m.Version != 2 {
		t.Errorf("the new model is %+v", m)
	}
	b.add(t, datasets[0].DatasetKey, labelled(20))
	if d := b.awaitDataset(t, datasets[0].DatasetKey); d.Status != api.DatasetCompleted {
		t.Errorf("the dataset that had no data is %+v", d)
	}
	// Files that were read now have a checksum, which later reads verify.
	if d := must(b.GetDataset(b.ctx, &api.DatasetInput{DatasetKey: flowers.DatasetKey}))(t); len(d.SHA256) != 64 || d.Bytes != 475 {
		t.Errorf("the dataset has the sum %q of %d bytes", d.SHA256, d.Bytes)
	}
	if found := must(b.CheckFiles(t.Context(), true))(t); len(found.Damaged) > 0 {
		t.Errorf("%+v", found)
	}
	if found := must(b.CheckFiles(t.Context(), true))(t); found.Unverified > 0 {
		t.Errorf("after all files were read: %+v", found)
	}
	for _, name := range before {
		b.damage(t, slices.DeleteFunc(b.files(t), func(other string) bool { return other == name }), damages["flipped"])
	}
	if found := must(b.CheckFiles(t.Context(), true))(t); len(found.Damaged) != len(before) {
		t.Errorf("of %d files that were changed: %+v", len(before), found)
	}
	for _, name := range before {
		if _, err := os.Stat(dir + "/blobs/" + name); err != nil {
			t.Error(err)
		}
	}
}
