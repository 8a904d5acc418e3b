package dashboard

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
)

// openPage calls visit for a GET of this address, with an API that responds with the JSON of respond. It
// returns the response of the page.
func openPage(t *testing.T, address string, visitPage func(*Pages) visitFunc, respond func(r *http.Request) any) *http.Response {
	t.Helper()
	p := New(Options{
		API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, jsonOf(t, respond(r)))
		}),
		BaseURL: func(*http.Request) string { return "http://x" }, Now: time.Now,
	})
	v := &visit{w: httptest.NewRecorder(), r: httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody), account: &api.Account{}}
	v.r.SetPathValue("key", path.Base(v.r.URL.Path))
	recorder, isRecorder := v.w.(*httptest.ResponseRecorder)
	var err error
	if v.client, err = p.newClient(v.r, "token"); err == nil {
		err = visitPage(p)(v)
	}
	if err != nil || !isRecorder {
		t.Fatal(err)
	}
	return recorder.Result()
}

func bodyOf(t *testing.T, response *http.Response) string {
	t.Helper()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// predictionsOf responds like a service with one dataset with 70 predictions, and many without.
func predictionsOf(t *testing.T) func(r *http.Request) any {
	t.Helper()
	return func(r *http.Request) any {
		query := r.URL.Query()
		switch {
		case r.URL.Path == "/api/v1/datasets" && query.Get("withPredictionOnly") != "true":
			t.Errorf("%s lists datasets without predictions, too", r.URL)
			return nil
		case r.URL.Path == "/api/v1/datasets":
			page := api.DatasetPage{Page: api.Page{Limit: 20, Total: 1}}
			page.Datasets.Items = []api.DatasetEntry{{DatasetKey: "d1", DatasetName: "old"}}
			return page
		case strings.HasPrefix(r.URL.Path, "/api/v1/predictions/"):
			page := api.PredictionPage{Page: api.Page{Limit: 20}}
			_, _ = fmt.Sscan(query.Get("offset"), &page.Offset)
			_, _ = fmt.Sscan(query.Get("limit"), &page.Limit)
			page.SetTotalAndNext(70)
			for i := page.Offset; i < min(page.Offset+page.Limit, 70); i++ {
				page.Predictions = append(page.Predictions, api.Prediction{PredictionKey: fmt.Sprintf("%08d-key", i)})
			}
			return page
		case strings.HasPrefix(r.URL.Path, "/api/v1/models/"):
			return api.Model{ModelKey: "m1", DatasetKey: "d1"}
		}
		return api.Dataset{DatasetEntry: api.DatasetEntry{DatasetKey: "d1", DatasetName: "old"}}
	}
}

// TestAllPredictionsAreReachable checks that the list of predictions lists datasets with predictions
// only, says how many predictions it omits, and links to pages with all of them.
func TestAllPredictionsAreReachable(t *testing.T) {
	list := func(p *Pages) visitFunc { return p.listPredictions }
	text := bodyOf(t, openPage(t, "/predictions", list, predictionsOf(t)))
	if !strings.Contains(text, `newest of 70 predictions. <a href="/predictions?dataset=d1">`) || strings.Contains(text, "There are no predictions") {
		t.Error(text)
	}
	for _, by := range []string{"dataset=d1", "model=m1"} {
		text = bodyOf(t, openPage(t, "/predictions?"+by, list, predictionsOf(t)))
		next := strings.NewReplacer("dataset=d1", "dataset=d1&amp;offset=50", "model=m1", "model=m1&amp;offset=50").Replace(by)
		if !strings.Contains(text, "1–50 of 70") || !strings.Contains(text, `href="/predictions?`+next+`"`) {
			t.Errorf("%s: %s", by, text)
		}
		text = bodyOf(t, openPage(t, "/predictions?offset=50&"+by, list, predictionsOf(t)))
		if !strings.Contains(text, "51–70 of 70") || !strings.Contains(text, "/predictions/00000069-key") {
			t.Errorf("%s: %s", by, text)
		}
	}
}

// TestCommandsHaveKeys checks that the commands of pages name a dataset by its key. Its name may mean
// a newer dataset of the series.
func TestCommandsHaveKeys(t *testing.T) {
	respond := func(*http.Request) any {
		return api.Dataset{DatasetEntry: api.DatasetEntry{DatasetKey: "d1", DatasetName: "old", Status: api.DatasetPending}}
	}
	text := bodyOf(t, openPage(t, "/datasets/d1", func(p *Pages) visitFunc { return p.showDataset }, respond))
	text += bodyOf(t, openPage(t, "/datasets/d1", func(p *Pages) visitFunc { return p.showTrainForm }, respond))
	text += bodyOf(t, openPage(t, "/predictions?dataset=d1", func(p *Pages) visitFunc { return p.listPredictions }, predictionsOf(t)))
	for _, want := range []string{"datasets get d1", "datasets upload d1 train.csv", "training create d1", "predictions list --dataset d1"} {
		if !strings.Contains(text, `data-copy="foretell `+want+`"`) {
			t.Errorf("%s is missing: %s", want, text)
		}
	}
}

// TestLeaderOfRace checks that the page of a race marks the algorithm that would produce the model, as
// the command does: the one with the lowest log loss, or the one that has reached the threshold.
func TestLeaderOfRace(t *testing.T) {
	for leader, race := range map[string]api.Training{
		"BSEV01": {TrainingJobKey: "r1", DatasetKey: "d1", Status: api.TrainingRunning},
		"BFIF01": {TrainingJobKey: "r1", DatasetKey: "d1", Status: api.TrainingRunning, TargetPerformance: new(0.7)},
	} {
		text := bodyOf(t, openPage(t, "/training/r1", func(p *Pages) visitFunc { return p.showTraining }, func(r *http.Request) any {
			if !strings.HasSuffix(r.URL.Path, "/progress") {
				return race
			}
			return api.TrainingProgress{Jobs: []api.AlgorithmRun{
				{Algorithm: "BSIX01", KeptPerformance: new(0.9), LogLoss: new(0.5)},
				{Algorithm: "BSEV01", KeptPerformance: new(0.8), LogLoss: new(0.4)},
				{Algorithm: "BFIF01", Status: api.TrainingCompleted, KeptPerformance: new(0.7), LogLoss: new(0.6)},
				{Algorithm: "BSEV02"},
			}}
		}))
		_, row, _ := strings.Cut(text, `<tr class="chosen">`)
		if row, _, _ = strings.Cut(row, "</tr>"); !strings.Contains(row, leader) || strings.Count(text, `<tr class="chosen">`) != 1 {
			t.Errorf("not %s is marked: %s", leader, text)
		}
		if !strings.Contains(text, "training create d1") {
			t.Errorf("the command does not have the key of the dataset: %s", text)
		}
	}
}

// TestMetricOfLeaderboard checks that a leaderboard has the default metric of the command: the metric
// of the newest race.
func TestMetricOfLeaderboard(t *testing.T) {
	respond := func(r *http.Request) any {
		switch {
		case r.URL.Path == "/api/v1/datasets":
			page := api.DatasetPage{Page: api.Page{Limit: 20, Total: 1}}
			page.Datasets.Items = []api.DatasetEntry{{DatasetKey: "d1", DatasetName: "shop", Series: "shop", Status: api.DatasetCompleted}}
			return page
		case strings.HasSuffix(r.URL.Path, "/datasets/d1"):
			page := api.ModelPage{Page: api.Page{Limit: 20, Total: 2}}
			for i, metric := range []string{api.MetricAccuracy, "f1[yes]"} {
				page.Models = append(page.Models, api.ModelEntry{
					ModelKey: fmt.Sprint("m", i), TrainingJobKey: "r1", ModelExtensions: api.ModelExtensions{Series: "shop", SeriesVersion: i + 1, Metric: metric},
				})
			}
			return page
		case strings.HasSuffix(r.URL.Path, "/report"):
			return api.ModelReport{}
		}
		return api.Training{TrainingJobKey: "r1"}
	}
	list := func(p *Pages) visitFunc { return p.showSeries }
	for query, want := range map[string][2]string{
		"":                 {"<option selected>f1[yes]</option>", "leaderboard shop"},
		"&metric=accuracy": {"<option selected>accuracy</option>", "leaderboard shop --metric accuracy"},
	} {
		text := bodyOf(t, openPage(t, "/models/series?name=shop"+query, list, respond))
		if !strings.Contains(text, want[0]) || !strings.Contains(text, `data-copy="foretell `+want[1]+`"`) {
			t.Errorf("%v is missing: %s", want, text)
		}
	}
}

// TestPageAfterTheLast requests pages after the last one of a list. The browser must be sent to the last
// page, because a page without rows would say that the list is empty.
func TestPageAfterTheLast(t *testing.T) {
	respond := func(r *http.Request) any {
		page := api.Page{Limit: 50, Total: 502}
		_, _ = fmt.Sscan(r.URL.Query().Get("offset"), &page.Offset)
		switch r.URL.Path {
		case "/api/v1/datasets":
			return api.DatasetPage{Page: page}
		case "/api/v1/training":
			return api.TrainingPage{Page: page}
		case "/api/v1/admin/accounts":
			return api.AccountPage{Page: page}
		}
		return api.AuditEventPage{Page: page}
	}
	for address, visitPage := range map[string]func(*Pages) visitFunc{
		"/datasets":       func(p *Pages) visitFunc { return p.listDatasets },
		"/training":       func(p *Pages) visitFunc { return p.listTrainings },
		"/admin/accounts": func(p *Pages) visitFunc { return p.listAccounts },
		"/admin/events":   func(p *Pages) visitFunc { return p.listEvents },
	} {
		for offset, want := range map[string]string{"502": address + "?offset=500", "100000": address + "?offset=500", "501": ""} {
			response := openPage(t, address+"?offset="+offset, visitPage, respond)
			_ = response.Body.Close()
			if got := response.Header.Get("Location"); got != want {
				t.Errorf("%s at offset %s leads to %q, want %q", address, offset, got, want)
			}
		}
	}
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
