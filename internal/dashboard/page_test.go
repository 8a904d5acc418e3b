package dashboard

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/htmlreport"
	"foretell/internal/leaderboard"
)

// renderPage returns the content of a page.
func renderPage(t *testing.T, name string, data any) string {
	t.Helper()
	var text strings.Builder
	if err := parseTemplates(time.Now)[name].ExecuteTemplate(&text, "content", &page{Data: data, query: url.Values{}}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestFailedPrediction shows neither rows nor a command for a result that does not exist.
func TestFailedPrediction(t *testing.T) {
	one := &api.Prediction{PredictionKey: "3f0c9c5e-0000-4000-8000-000000000001", ModelKey: "4aadb9f1-0000-4000-8000-000000000001", Status: api.PredictionFailed}
	data := predictionPage{Prediction: one, Dataset: &api.Dataset{}, Model: "credit-g@v3", HasFailed: true}
	text := renderPage(t, "prediction", data)
	if !strings.Contains(text, "credit-g@v3</bdi></a>") || !strings.Contains(text, `href="/models/4aadb9f1-0000-4000-8000-000000000001#predict"`) || strings.Contains(text, "Rows") {
		t.Error(text)
	}
	want := []string{"foretell predictions get 3f0c9c5e", "foretell predict blind.csv --with credit-g@v3"}
	if diff := cmp.Diff(want, data.commands()); diff != "" {
		t.Error(diff)
	}
	data.HasFailed = false
	if commands := data.commands(); !slices.Contains(commands, "foretell predictions download 3f0c9c5e") {
		t.Error(commands)
	}
}

// TestFailedDataset checks the remedy for each reason for which a dataset is FAILED.
func TestFailedDataset(t *testing.T) {
	for _, row := range []struct {
		reason      string
		bytes       int64
		isFileFault bool
	}{
		{"line 2: expected 4 fields, got 5", 0, true},
		{"the account's quota for stored bytes is 500 (used: 0, needed by this request: 600): delete datasets", 0, false},
		{api.InternalFailure, 99, false},
	} {
		one := &api.Dataset{DatasetEntry: api.DatasetEntry{Status: api.DatasetFailed}, FailureReason: row.reason}
		one.Bytes = row.bytes
		text := renderPage(t, "dataset", datasetPage{Dataset: one, Defects: splitDefects(row.reason)})
		if !strings.Contains(text, "pload") || strings.Contains(text, "Correct the file") != row.isFileFault || strings.Contains(text, "The file cannot be used") != row.isFileFault {
			t.Errorf("%s:\n%s", row.reason, text)
		}
	}
}

// TestPredictionsDiffer checks that the list of predictions has the file and the model of each.
func TestPredictionsDiffer(t *testing.T) {
	key := "4aadb9f1-0000-4000-8000-000000000001"
	one := api.Prediction{PredictionKey: "3f0c9c5e-0000-4000-8000-000000000001", ModelKey: key, Blind: &api.InputFile{FileName: "may (converted).csv"}}
	other := api.Prediction{PredictionKey: one.PredictionKey, ModelKey: "5aadb9f1-0000-4000-8000-000000000001"}
	text := renderPage(t, "predictions", predictionsPage{Groups: []predictionGroup{{Predictions: []api.Prediction{one, other}, Models: map[string]string{key: "churn@v3"}}}})
	for _, want := range []string{`<td><bdi class="name">may.csv</bdi></td>`, `<bdi class="name">churn@v3</bdi></a>`, `>5aadb9f1</a>`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing: %s", want, text)
		}
	}
	if text := renderPage(t, "prediction", predictionPage{Prediction: &one, Dataset: &api.Dataset{}}); !strings.Contains(text, "<dt>File</dt><dd><bdi>may.csv</bdi></dd>") {
		t.Error(text)
	}
}

// TestDeleteOfPrediction checks that only a prediction that has ended can be deleted on its page.
func TestDeleteOfPrediction(t *testing.T) {
	for status, want := range map[string]bool{api.PredictionPending: false, api.PredictionRunning: false, api.PredictionCompleted: true, api.PredictionFailed: true} {
		one := &api.Prediction{PredictionKey: "3f0c9c5e-0000-4000-8000-000000000001", Status: status}
		if text := renderPage(t, "prediction", predictionPage{Prediction: one, Dataset: &api.Dataset{}}); strings.Contains(text, "Delete the prediction") != want {
			t.Errorf("%s: %s", status, text)
		}
	}
}

// TestListsPollRarely checks that busy lists, whose parts take up to 42 requests to the API, are
// requested less often than the page of a prediction.
func TestListsPollRarely(t *testing.T) {
	for name, data := range map[string]any{
		"datasets": datasetsPage{IsBusy: true}, "trainings": trainingsPage{IsBusy: true}, "predictions": predictionsPage{IsBusy: true},
	} {
		if text := renderPage(t, name, data); !strings.Contains(text, `data-hx-trigger="every 2s"`) {
			t.Errorf("the list of %s: %s", name, text)
		}
	}
	one := &api.Prediction{PredictionKey: "3f0c9c5e-0000-4000-8000-000000000001", ModelKey: "4aadb9f1-0000-4000-8000-000000000001", Status: api.PredictionRunning}
	if text := renderPage(t, "prediction", predictionPage{Prediction: one, Dataset: &api.Dataset{}, IsBusy: true}); !strings.Contains(text, `data-hx-trigger="every 300ms"`) {
		t.Error("the page of a prediction: " + text)
	}
}

// TestBlendOfRace shows the blend with its weights, as the winner if it was kept.
func TestBlendOfRace(t *testing.T) {
	r := &api.ModelReport{Blended: &api.Candidate{Performance: 0.75, LogLoss: 0.5}}
	data := trainingPage{Race: &api.Training{Algorithm: "BLEND"}, Plot: htmlreport.RacePlot(api.MetricAccuracy, nil, nil, nil), Blend: newBlendView(r)}
	if text := renderPage(t, "training", data); !strings.Contains(text, "not kept") || strings.Contains(text, `class="chosen"`) {
		t.Error(text)
	}
	r.Blend = []api.BlendShare{{Algorithm: "BSIX01", Weight: 0.85}, {Algorithm: "BFIF01", Weight: 0.15}}
	data.Blend = newBlendView(r)
	if text := renderPage(t, "training", data); !strings.Contains(text, `<tr class="chosen"><th scope="row">BLEND`) || !strings.Contains(text, "BSIX01 85%") {
		t.Error(text)
	}
	if newBlendView(nil) != nil || newBlendView(&api.ModelReport{}) != nil {
		t.Error("a race without a blend has one")
	}
}

// TestComparison formats the properties of two models for people.
func TestComparison(t *testing.T) {
	for _, test := range []struct {
		in   leaderboard.Comparison
		want comparisonView
	}{
		{leaderboard.Comparison{Name: "modelKey", A: "3f0c9c5e-0000-4000-8000-000000000001", B: "4aadb9f1-0000-4000-8000-000000000001"}, comparisonView{Name: "Key", A: "3f0c9c5e", B: "4aadb9f1", Differs: true}},
		{leaderboard.Comparison{Name: "seconds", A: int64(61), B: nil}, comparisonView{Name: "Race took", A: "1 min 1 s", B: "–", Differs: true}},
		{leaderboard.Comparison{Name: "createdOn", A: "2026-11-23T20:23:19Z", B: "2026-11-23T20:23:19Z"}, comparisonView{Name: "Created", A: "2026-11-23T20:23:19Z", B: "2026-11-23T20:23:19Z", IsTime: true}},
		{leaderboard.Comparison{Name: "test rows", A: int64(1366), B: int64(750)}, comparisonView{Name: "Test rows", A: "1,366", B: "750", Differs: true}},
		{leaderboard.Comparison{Name: "importance age", A: -0.0123, B: 0.5}, comparisonView{Name: "Importance of age", A: "−0.0123", B: "0.5000", Differs: true}},
	} {
		if diff := cmp.Diff(test.want, newComparisonView(test.in)); diff != "" {
			t.Errorf("%s: %s", test.in.Name, diff)
		}
	}
}

// TestTestSets checks that a leaderboard numbers the sets of test rows if there are several.
func TestTestSets(t *testing.T) {
	a, b := &leaderboard.Entry{Model: "a@v1", TestRows: 150, TestSet: 1}, &leaderboard.Entry{Model: "a@v2", TestRows: 200, TestSet: 2, State: "rejected"}
	text := renderPage(t, "series", seriesPage{Entries: []*leaderboard.Entry{a, b}})
	for _, want := range []string{`200 <span class="quiet">#2</span>`, "# Models with different numbers were tested on different rows", `<span class="tag">rejected</span>`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing: %s", want, text)
		}
	}
	b.TestSet = 1
	if text := renderPage(t, "series", seriesPage{Entries: []*leaderboard.Entry{a, b}}); strings.Contains(text, "#1") || strings.Contains(text, "different rows") {
		t.Error(text)
	}
}

// TestReloadHint shows visitors without JavaScript that a page must be reloaded.
func TestReloadHint(t *testing.T) {
	busy := datasetPage{Dataset: &api.Dataset{DatasetEntry: api.DatasetEntry{Status: api.DatasetProcessing}}}
	text := renderPage(t, "dataset", busy)
	if !strings.Contains(text, "<noscript>") || !strings.Contains(text, `<span class="scripted"> This page changes by itself`) {
		t.Error(text)
	}
}

// TestOmittedRaces checks that the page of a dataset says how many races it has if it does not list
// all.
func TestOmittedRaces(t *testing.T) {
	data := datasetPage{Dataset: &api.Dataset{DatasetEntry: api.DatasetEntry{Status: api.DatasetCompleted}}, Races: make([]api.Training, 1), Models: make([]api.ModelEntry, 1), NumRaces: 1234, NumModels: 1}
	text := renderPage(t, "dataset", data)
	if !strings.Contains(text, "These are the newest of 1,234 races.") || strings.Contains(text, "of 1 models") {
		t.Error(text)
	}
}

// TestDatasetOfSeries checks that the page of a dataset has the series and the versions in the series, which
// name the models everywhere else.
func TestDatasetOfSeries(t *testing.T) {
	d := &api.Dataset{DatasetEntry: api.DatasetEntry{DatasetName: "churn-2", Series: "churn", Status: api.DatasetCompleted}, Rows: 10}
	data := datasetPage{Dataset: d, Models: []api.ModelEntry{{Version: 1, ModelExtensions: api.ModelExtensions{SeriesVersion: 4}}}}
	text := renderPage(t, "dataset", data)
	if !strings.Contains(text, ">v4</a>") || strings.Contains(text, ">v1</a>") || !strings.Contains(text, `<a href="/models/series?name=churn"><bdi>churn</bdi></a>`) {
		t.Error(text)
	}
	d.Series = d.DatasetName
	if text := renderPage(t, "dataset", data); strings.Contains(text, "Series") {
		t.Error(text)
	}
}

// TestPager checks that the links lead to the pages before and after, even if a page has an
// unusual number of rows.
func TestPager(t *testing.T) {
	pages := api.Page{Offset: 40, Limit: 20}
	pages.SetTotalAndNext(70)
	got := newPager(&url.URL{Path: "/models"}, pages, 20)
	want := pager{Offset: 40, First: 41, Last: 60, Total: 70, Newer: "/models?offset=20", Older: "/models?offset=60", FirstPage: "/models?offset=0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	pages = api.Page{Offset: 60, Limit: 20}
	pages.SetTotalAndNext(140)
	got = newPager(&url.URL{Path: "/models"}, pages, 20)
	if got.FirstPage != "/models?offset=0" || got.LastPage != "/models?offset=120" {
		t.Errorf("from the fourth of seven pages, the links lead to %s and %s", got.FirstPage, got.LastPage)
	}
}

// roundTripper is a function that is an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestSeriesView checks that the list of models reads only the newest datasets of a series, and shows
// no wrong champion if the champion is in an older dataset.
func TestSeriesView(t *testing.T) {
	for _, test := range []struct {
		datasets, championAt    int // championAt is the index of the dataset with the champion
		models                  int64
		champion, newest, calls int // the versions of the models; 0 for none
		isPartial               bool
	}{
		{3, 2, 6, 2, 6, 3, false},
		{50, 1, 10, 98, 100, 5, true},
		{50, 40, 10, 0, 100, 5, true},
	} {
		calls := 0
		c, err := client.New(client.Options{BaseURL: "http://x", Attempts: 1, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			calls++
			i, err := strconv.Atoi(path.Base(r.URL.Path))
			newest := 2 * (test.datasets - i)
			body := fmt.Sprintf(`{"models":[{"seriesVersion":%d,"champion":%t},{"seriesVersion":%d}],"total":2}`, newest, i == test.championAt, newest-1)
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, err
		})})
		if err != nil {
			t.Fatal(err)
		}
		var series client.Series
		for i := range test.datasets {
			series.Datasets = append(series.Datasets, api.DatasetEntry{DatasetKey: strconv.Itoa(i)})
		}
		got, err := loadSeriesView(t.Context(), c, series)
		if err != nil || calls != test.calls {
			t.Fatalf("%d calls, %v", calls, err)
		}
		champion := 0
		if got.Champion != nil {
			champion = got.Champion.SeriesVersion
		}
		if got.Models != test.models || champion != test.champion || got.Newest.SeriesVersion != test.newest || got.IsPartial != test.isPartial {
			t.Errorf("%d models, champion v%d, newest v%d, partial %v: want %+v", got.Models, champion, got.Newest.SeriesVersion, got.IsPartial, test)
		}
	}
}

// TestClassViews checks that the bar of a class is its share of all rows, and that spaces around a
// label are visible.
func TestClassViews(t *testing.T) {
	views, _ := classViews(&api.Dataset{Rows: 200, Classes: []api.Class{{Label: "a", Rows: 100}, {Label: "a ", Rows: 50}}})
	if views[0].Width != 50 || views[1].Width != 25 || views[0].Name != "a" || views[1].Name != `"a "` {
		t.Errorf("%+v", views)
	}
}

// TestWrongFirstCode checks that the form to confirm an authenticator app has the identifier of the
// message with its secret, so that the page can be shown again after a wrong code.
func TestWrongFirstCode(t *testing.T) {
	setup, err := newSecondFactorSetup(&api.SecondFactor{Secret: "ABCDEFGH", URL: "otpauth://totp/x?secret=ABCDEFGH"})
	if err != nil {
		t.Fatal(err)
	}
	setup.MessageID = "message"
	var text strings.Builder
	content := &page{Account: &api.Account{}, Data: accountPage{NewSecondFactor: setup}, query: url.Values{}}
	content.setProblem(wrongCode(), confirmAuthenticatorFields)
	if err := parseTemplates(time.Now)["account"].ExecuteTemplate(&text, "content", content); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`name="new-app" value="message"`, "ABCD EFGH", "is wrong"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the page does not have %s: %s", want, text.String())
		}
	}
}

func wrongCode() *api.Problem {
	return &api.Problem{Code: api.CodeForbidden, Detail: "the code is wrong", Errors: []api.FieldError{{Field: "authenticatorCode", Message: "is wrong"}}}
}

// TestOwnAccount checks that the page of the visitor's own account does not offer to remove its
// password, and that the page of another account asks first.
func TestOwnAccount(t *testing.T) {
	for key, offered := range map[string]bool{"me": false, "other": true} {
		var text strings.Builder
		content := &page{Account: &api.Account{AccountKey: "me"}, Data: userPage{User: &api.Account{AccountKey: key}}, query: url.Values{}}
		if err := parseTemplates(time.Now)["user"].ExecuteTemplate(&text, "content", content); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), "<details><summary>New password by link</summary>") != offered || strings.Contains(text.String(), `value="reset"`) != offered {
			t.Errorf("the page of account %s: %s", key, text.String())
		}
	}
}
