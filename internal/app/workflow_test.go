package app_test

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"io"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/learn/model"
)

// resultInput returns the input of DownloadResult for the signed URL of a result.
func resultInput(t *testing.T, address string) *api.ResultInput {
	t.Helper()
	u := must(url.Parse(address))(t)
	parts := strings.Split(u.Path, "/")
	expires := must(strconv.ParseInt(u.Query().Get("expires"), 10, 64))(t)
	return &api.ResultInput{
		PredictionInput: api.PredictionInput{PredictionKey: parts[len(parts)-2]},
		Expires:         expires, Signature: u.Query().Get("signature"),
	}
}

func TestWorkflow(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.work(t)

	d := b.prepared(t, "flowers", labelled(300))
	if d.Status != api.DatasetCompleted || d.Rows != 300 || len(d.Columns) != 2 || len(d.Classes) != 2 {
		t.Fatalf("the prepared dataset is %+v", d)
	}
	if sum := sha256.Sum256([]byte(labelled(300))); d.Bytes != int64(len(labelled(300))) || d.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the dataset has %d bytes and the sum %s", d.Bytes, d.SHA256)
	}
	in := newRace(d.DatasetKey, 0.8)
	in.Body.Algorithms = []string{"BSIX01", "BFIF01"}
	created := must(b.CreateTraining(b.ctx, in))(t)
	if created.Status != api.TrainingPending {
		t.Errorf("a new race is %s", created.Status)
	}
	race := b.awaitTraining(t, created.TrainingJobKey)
	if race.Status != api.TrainingCompleted || race.ModelKey == "" || *race.AchievedPerformance < 0.8 {
		t.Fatalf("the race is %+v", race)
	}

	progress := must(b.GetTrainingProgress(b.ctx, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: race.TrainingJobKey}}))(t)
	if race.LogLoss == nil || *race.LogLoss <= 0 {
		t.Errorf("the log loss of the race is %v", race.LogLoss)
	}
	winners := 0
	for _, run := range progress.Jobs {
		if n := len(run.RecentPerformances); n > 0 && run.RecentPerformances[n-1] != run.LatestPerformance {
			t.Errorf("%s: the latest performance is not the last: %+v", run.Algorithm, run)
		}
		if run.KeptPerformance == nil || run.LogLoss == nil || *run.LogLoss <= 0 {
			t.Errorf("%s: kept %v, log loss %v", run.Algorithm, run.KeptPerformance, run.LogLoss)
		}
		switch run.Status {
		case api.TrainingCompleted:
			winners++
		case api.TrainingNotCompleted:
		default:
			t.Errorf("a run of a won race ended as %s", run.Status)
		}
	}
	if len(progress.Jobs) != 2 || winners != 1 || progress.Status != api.TrainingCompleted {
		t.Errorf("%d winners in %+v", winners, progress)
	}

	trained := must(b.GetModel(b.ctx, &api.ModelInput{ModelKey: race.ModelKey}))(t)
	if trained.Version != 1 || !trained.Champion || !trained.AchievedPerformance.Quoted || trained.AchievedPerformance.Value != *race.AchievedPerformance {
		t.Errorf("the model is %+v", trained)
	}
	report := must(b.GetModelReport(b.ctx, &api.ModelReportInput{ModelInput: api.ModelInput{ModelKey: race.ModelKey}}))(t)
	if report.ModelKey != race.ModelKey || report.Rows != 300 || len(report.Algorithms) != 2 {
		t.Errorf("the report is %+v", report)
	}
	for i, run := range report.Algorithms {
		if job := progress.Jobs[i]; *run.Performance != *job.KeptPerformance || *run.LogLoss != *job.LogLoss {
			t.Errorf("%s: %v, %v in the report, %v, %v in the progress", run.Algorithm, *run.Performance, *run.LogLoss, *job.KeptPerformance, *job.LogLoss)
		}
	}

	file := must(b.DownloadModel(b.ctx, &api.ModelInput{ModelKey: race.ModelKey}))(t)
	defer file.Close()
	read := must(model.Read(file, file.Size))(t)
	must(file.Seek(0, io.SeekStart))(t)
	if err := model.Verify(file, file.Size); err != nil || read.Algorithm() != trained.Algorithm {
		t.Errorf("the model file is of %s, %v", read.Algorithm(), err)
	}

	p := b.predicted(t, race.ModelKey, blind(50))
	if p.Status != api.PredictionCompleted || p.Rows != 50 || *p.AchievedPerformance != *race.AchievedPerformance {
		t.Fatalf("the prediction is %+v", p)
	}
	result := must(b.DownloadResult(t.Context(), resultInput(t, p.PredictionResultURL)))(t)
	defer result.Close()
	text := must(io.ReadAll(result))(t)
	if int64(len(text)) != result.Size {
		t.Errorf("%d bytes of %d", len(text), result.Size)
	}
	records := must(csv.NewReader(strings.NewReader(string(text))).ReadAll())(t)
	if len(records) != 51 || records[1][0] != "r0" || records[0][3] != "prediction" {
		t.Errorf("the result has %d records, the first two %v", len(records), records[:2])
	}

	must(b.DeleteDataset(b.ctx, &api.DatasetInput{DatasetKey: d.DatasetKey}))(t)
	_, err := b.GetPrediction(b.ctx, &api.PredictionInput{PredictionKey: p.PredictionKey})
	wantCode(t, err, api.CodeNotFound)
	b.awaitFiles(t, 0)
}
