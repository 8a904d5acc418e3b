package server_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/learn/model"
	"foretell/internal/server"
)

// flowers returns a small CSV that is easy to learn: two columns separate three classes.
func flowers(rows int, labelled bool) string {
	var b strings.Builder
	b.WriteString("id,length,width")
	if labelled {
		b.WriteString(",kind")
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range rows {
		kind := i % 3
		fmt.Fprintf(&b, "\nr%d,%.2f,%.2f", i, float64(kind)*3+rng.Float64(), 9-float64(kind)*2+rng.Float64())
		if labelled {
			fmt.Fprintf(&b, ",%s", []string{"iris", "rose", "tulip"}[kind])
		}
	}
	return b.String() + "\n"
}

// TestWorkflow runs the whole workflow over HTTP and checks every response.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	created := w.newDataset(t, "flowers")
	dataset := "/api/v1/datasets/" + created.DatasetKey

	t.Run("upload_by_the_given_address", func(t *testing.T) {
		name, value, _ := strings.Cut(created.DatasetUploadInfo.ExtraHeaders, ":")
		var entry api.DatasetEntry
		w.must(t, call{
			method: "PUT", path: created.DatasetUploadInfo.UploadURL, body: flowers(150, true),
			header: map[string]string{"Content-Type": "text/csv", name: value},
		}, &entry)
		if entry.Status != api.DatasetProcessing {
			t.Errorf("status %s after the upload", entry.Status)
		}
		if got := w.poll(t, created.DatasetCreationProgressURL); got != api.DatasetCompleted {
			t.Fatalf("the dataset ended as %s", got)
		}
	})

	var job api.CreatedTraining
	resp := w.must(t, call{
		method: "POST", path: "/api/v1/training/datasets/" + created.DatasetKey,
		json: `{"scalingFactor":8,"performanceThreshold":0.9,"timeLimitSeconds":20,"seed":1}`,
	}, &job)
	training := "/api/v1/training/" + job.TrainingJobKey
	if got, want := resp.Header.Get("Location"), w.url+training; got != want || resp.StatusCode != http.StatusCreated {
		t.Errorf("created with %d and Location %q, want 201 and %q", resp.StatusCode, got, want)
	}
	if got := w.poll(t, job.TrainingJobProgressURL); got != api.TrainingCompleted {
		_, body := w.send(t, call{method: "GET", path: training})
		t.Fatalf("the race ended as %s: %s", got, body)
	}
	var race api.Training
	w.must(t, call{method: "GET", path: training}, &race)
	if race.ModelKey == "" || race.AchievedPerformance == nil || *race.AchievedPerformance < 0.9 {
		t.Fatalf("the race gave %+v", race)
	}

	t.Run("progress_is_also_answered_without_v1", func(t *testing.T) {
		var progress api.TrainingProgress
		w.must(t, call{method: "GET", path: "/api/training/" + job.TrainingJobKey + "/progress"}, &progress)
		if len(progress.Jobs) != 4 {
			t.Errorf("%d algorithms in the race", len(progress.Jobs))
		}
	})
	t.Run("reading_the_model", func(t *testing.T) {
		_, body := w.send(t, call{method: "GET", path: "/api/v1/models/" + race.ModelKey})
		if !strings.Contains(string(body), `"achievedPerformance":"0.9`) && !strings.Contains(string(body), `"achievedPerformance":"1"`) {
			t.Errorf("achievedPerformance is no string: %s", body)
		}
		w.must(t, call{method: "GET", path: "/api/v1/models/" + race.ModelKey + "/report"}, nil)
		w.checkModel(t, "/api/v1/models/"+race.ModelKey+"/file")
		_, body = w.send(t, call{method: "GET", path: "/api/v1/datasets?offset=0&limit=10&withModelOnly=true"})
		if !strings.Contains(string(body), `"datasets":"[{`) {
			t.Errorf("datasets is not a string that holds an array: %s", body)
		}
	})
	t.Run("predicting_both_ways", func(t *testing.T) { w.predictBothWays(t, race.ModelKey) })
	t.Run("refusals_that_need_an_end", func(t *testing.T) {
		train := call{method: "POST", path: "/api/v1/training/datasets/" + created.DatasetKey}
		unknown, other := train, train
		unknown.json = `{"scalingFactor":4,"performanceThreshold":0.5,"algorithms":["XGB"]}`
		other.json = `{"scalingFactor":4,"performanceThreshold":0.5,"algorithms":["BSEV01"]}`
		for _, r := range []refusal{
			{"data_again", call{method: "POST", path: dataset + "/data", form: flowers(9, true)}, 409, api.CodeWrongState, ""},
			{"upload_again", call{method: "PUT", path: created.DatasetUploadInfo.UploadURL, body: flowers(9, true)}, 409, api.CodeWrongState, ""},
			{"cancel_what_has_ended", call{method: "PATCH", path: training + "/cancel"}, 409, api.CodeWrongState, ""},
			{"unknown_algorithm", unknown, 422, api.CodeInvalid, ""},
			{"algorithm_for_two_classes", other, 422, api.CodeInvalid, ""},
		} {
			t.Run(r.name, func(t *testing.T) { w.refused(t, r) })
		}
	})
	t.Run("a_race_without_a_threshold", func(t *testing.T) {
		var job api.CreatedTraining
		w.must(t, call{
			method: "POST", path: "/api/v1/training/datasets/" + created.DatasetKey,
			json: `{"scalingFactor":8,"performanceThreshold":null,"algorithms":["MSIX01"]}`,
		}, &job)
		w.poll(t, job.TrainingJobProgressURL)
		_, body := w.send(t, call{method: "GET", path: "/api/v1/training/" + job.TrainingJobKey})
		for _, member := range []string{`"targetPerformance":null`, `"status":"COMPLETED"`, `"outcome":"done"`} {
			if !strings.Contains(string(body), member) {
				t.Errorf("no %s in %s", member, body)
			}
		}
	})
	t.Run("deleting_all", func(t *testing.T) {
		for _, path := range []string{training, dataset} {
			if resp := w.must(t, call{method: "DELETE", path: path}, nil); resp.StatusCode != http.StatusNoContent {
				t.Errorf("DELETE %s: %d", path, resp.StatusCode)
			}
			if resp, _ := w.send(t, call{method: "GET", path: path}); resp.StatusCode != http.StatusNotFound {
				t.Errorf("GET %s after its deletion: %d", path, resp.StatusCode)
			}
		}
	})
}

func (s *testServer) predictBothWays(t *testing.T, model string) {
	t.Helper()
	blind := flowers(30, false)
	before, kindBefore := form(t, "modelKey", model, "file", blind)
	after, kindAfter := form(t, "file", blind, "modelKey", strings.ToUpper(model))
	calls := map[string]call{
		"by_path":               {method: "POST", path: "/api/v1/predictions/models/" + model, form: blind},
		"key_before_the_file":   {method: "POST", path: "/api/v1/predictions", body: before, header: map[string]string{"Content-Type": kindBefore}},
		"key_after_the_file":    {method: "POST", path: "/api/v1/predictions", body: after, header: map[string]string{"Content-Type": kindAfter}},
		"key_in_the_parameters": {method: "POST", path: "/api/v1/predictions?modelKey=" + model, form: blind},
	}
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			var created api.CreatedPrediction
			if resp := s.must(t, c, &created); resp.StatusCode != http.StatusCreated || resp.Header.Get("Location") == "" {
				t.Errorf("created with %d, Location %q", resp.StatusCode, resp.Header.Get("Location"))
			}
			if got := s.poll(t, created.PredictionCreationProgressURL); got != api.PredictionCompleted {
				t.Fatalf("the prediction ended as %s", got)
			}
			var prediction api.Prediction
			s.must(t, call{method: "GET", path: "/api/v1/predictions/" + created.PredictionKey}, &prediction)
			s.checkResult(t, prediction.PredictionResultURL, blind)
		})
	}
}

// checkModel downloads the file of a model, as a whole and in part.
func (s *testServer) checkModel(t *testing.T, path string) {
	t.Helper()
	resp, body := s.send(t, call{method: "GET", path: path})
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/octet-stream" || resp.ContentLength != int64(len(body)) {
		t.Fatalf("%d: %d bytes of %s", resp.StatusCode, len(body), resp.Header.Get("Content-Type"))
	}
	if err := model.Verify(bytes.NewReader(body), resp.ContentLength); err != nil {
		t.Error(err)
	}
	part, rest := s.send(t, call{method: "GET", path: path, header: map[string]string{"Range": "bytes=10-"}})
	if part.StatusCode != http.StatusPartialContent || !bytes.Equal(rest, body[10:]) {
		t.Errorf("from byte 10: %d and %d bytes", part.StatusCode, len(rest))
	}
	if resp, _ := s.send(t, call{method: "GET", path: path, anonymous: true}); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %d", resp.StatusCode)
	}
}

// checkResult downloads a result as a whole and in part, with nothing but its URL.
func (s *testServer) checkResult(t *testing.T, address, blind string) {
	t.Helper()
	resp, body := s.send(t, call{method: "GET", path: address, anonymous: true})
	rows, err := csv.NewReader(strings.NewReader(string(body))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Count(blind, "\n"); len(rows) != want {
		t.Fatalf("%d lines in the result of %d", len(rows), want)
	}
	if got := strings.Join(rows[0], ","); got != "id,length,width,prediction,probability,probability_iris,probability_rose,probability_tulip" {
		t.Errorf("header %s", got)
	}
	if got := resp.ContentLength; got != int64(len(body)) {
		t.Errorf("Content-Length %d of %d bytes", got, len(body))
	}
	if got := resp.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename=") {
		t.Errorf("Content-Disposition %q", got)
	}
	part, rest := s.send(t, call{method: "GET", path: address, anonymous: true, header: map[string]string{"Range": "bytes=10-"}})
	if part.StatusCode != http.StatusPartialContent || string(rest) != string(body[10:]) {
		t.Errorf("from byte 10: %d and %d bytes", part.StatusCode, len(rest))
	}
	part, rest = s.send(t, call{method: "GET", path: address, anonymous: true, header: map[string]string{"Range": "bytes=9999999-"}})
	if part.StatusCode != http.StatusRequestedRangeNotSatisfiable || !strings.Contains(string(rest), `"code":"bad-range"`) {
		t.Errorf("past the end: %d %s", part.StatusCode, rest)
	}
	head, _ := s.send(t, call{method: "HEAD", path: address, anonymous: true})
	if head.StatusCode != http.StatusOK || head.ContentLength != int64(len(body)) {
		t.Errorf("HEAD: %d with %d bytes", head.StatusCode, head.ContentLength)
	}
	forged, rest := s.send(t, call{method: "GET", path: address + "x", anonymous: true})
	if forged.StatusCode != http.StatusForbidden {
		t.Errorf("a forged address: %d %s", forged.StatusCode, rest)
	}
}
