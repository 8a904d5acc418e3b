package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/leaderboard"
)

// TestDatesOfColumn checks that the page of a dataset shows the values of a column of dates as dates,
// and those of a column of times as times.
func TestDatesOfColumn(t *testing.T) {
	d := &api.Dataset{DatasetEntry: api.DatasetEntry{Status: api.DatasetCompleted}, Columns: []api.Column{
		{Name: "day", Kind: "date", Distribution: &api.Distribution{Min: 19723.4, Max: 20085.4, Mean: 19901.6, Bins: []int64{1, 2}}},
		{Name: "hour", Kind: "time", Distribution: &api.Distribution{Min: 8.5, Max: 23.75, Mean: 12, Bins: []int64{1, 2}}},
		{Name: "size", Kind: "numeric", Distribution: &api.Distribution{Min: -1.5, Max: 20085.4, Mean: 2, Bins: []int64{1, 2}}},
	}}
	data := datasetPage{Dataset: d}
	data.Columns, data.Pager = columnViews(d, api.PageInput{}, &url.URL{Path: "/datasets/x"})
	text := renderPage(t, "dataset", data)
	for _, want := range []string{
		`2024-01-01 – 2024-12-28 <span class="sub">mean 2024-06-27`, `08:30 – 23:45 <span class="sub">mean 12:00`, `−1.5 – 20085.4 <span class="sub">mean 2<`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %q: %s", want, text)
		}
	}
}

// TestStartOfRace checks that a race that waits in the queue, or was cancelled there, is not shown as
// started on any page.
func TestStartOfRace(t *testing.T) {
	const created, started = "2026-11-23T20:23:19Z", "2026-11-23T20:29:19Z"
	queued := api.Training{Status: api.TrainingPending, Outcome: api.TrainingPending, CreatedOn: created}
	running := api.Training{Status: api.TrainingRunning, Outcome: api.OutcomeRunning, CreatedOn: created, StartedOn: started}
	home := func(race api.Training) string { return renderPage(t, "home", homePage{Running: []api.Training{race}}) }
	list := func(race api.Training) string {
		return renderPage(t, "trainings", trainingsPage{Races: []api.Training{race}})
	}
	if text := home(queued); strings.Contains(text, "started") || !strings.Contains(text, "created <time datetime=\""+created) {
		t.Error(text)
	}
	if text := home(running); !strings.Contains(text, "started <time datetime=\""+started) {
		t.Error(text)
	}
	if text := list(queued); strings.Contains(text, created) {
		t.Error(text)
	}
	if text := list(running); !strings.Contains(text, "<td><time datetime=\""+started) || strings.Contains(text, created) {
		t.Error(text)
	}
}

// TestStoppedRace checks that all pages call a race "stopped" that was stopped and kept a model.
func TestStoppedRace(t *testing.T) {
	race := api.Training{Status: api.TrainingCancelled, Outcome: api.OutcomeCancelled, ModelKey: "4aadb9f1-0000-4000-8000-000000000001"}
	for name, text := range map[string]string{
		"home": renderPage(t, "home", homePage{HasDatasets: true, Finished: []api.Training{race}}), "trainings": renderPage(t, "trainings", trainingsPage{Races: []api.Training{race}}),
	} {
		if !strings.Contains(text, ">stopped<") || strings.Contains(text, "cancelled") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestBlockedDeletion checks that the page names the race that has prevented the deletion of a dataset.
func TestBlockedDeletion(t *testing.T) {
	data := datasetPage{
		Dataset:  &api.Dataset{DatasetEntry: api.DatasetEntry{Status: api.DatasetCompleted}},
		Blocking: &api.Training{TrainingJobKey: "4aadb9f1-0000-4000-8000-000000000001", Status: api.TrainingRunning},
	}
	if text := renderPage(t, "dataset", data); !strings.Contains(text, `before its <a href="/training/4aadb9f1-0000-4000-8000-000000000001">race 4aadb9f1</a> has ended. Stop the race`) {
		t.Error(text)
	}
}

// TestFindActiveRace finds the active race of a dataset on the last page of all active races.
func TestFindActiveRace(t *testing.T) {
	const races = 250
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("activeOnly") != "true" {
			t.Errorf("the request is %s", r.URL)
		}
		out := api.TrainingPage{Page: api.Page{Total: races}, TrainingJobs: []api.Training{}}
		out.Offset, _ = strconv.ParseInt(r.URL.Query().Get("offset"), 10, 64)
		out.Limit, _ = strconv.ParseInt(r.URL.Query().Get("limit"), 10, 64)
		for i := out.Offset; i < min(out.Offset+out.Limit, races); i++ {
			out.TrainingJobs = append(out.TrainingJobs, api.Training{TrainingJobKey: fmt.Sprint("race-", i), DatasetKey: fmt.Sprint("dataset-", i)})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(service.Close)
	c, err := client.New(client.Options{BaseURL: service.URL})
	if err != nil {
		t.Fatal(err)
	}
	for dataset, want := range map[string]string{"dataset-0": "race-0", "dataset-249": "race-249"} {
		if race, err := findActiveRace(t.Context(), c, dataset); err != nil || race == nil || race.TrainingJobKey != want {
			t.Errorf("%s: %+v, %v", dataset, race, err)
		}
	}
	if race, err := findActiveRace(t.Context(), c, "another"); race != nil || err != nil {
		t.Errorf("another dataset: %+v, %v", race, err)
	}
}

// TestRejectedForm checks that the list of rejected fields is a list for screen readers, too: its
// element has no other role.
func TestRejectedForm(t *testing.T) {
	var text strings.Builder
	content := &page{Fields: fieldErrors{{"name", "Name", "fill in this field"}}}
	if err := parseTemplates(time.Now)["users"].ExecuteTemplate(&text, "error-note", content); err != nil {
		t.Fatal(err)
	}
	if want := `<div class="note bad" role="alert"><ul class="fields"><li>`; !strings.HasPrefix(text.String(), want) {
		t.Errorf("%s instead of %s", text.String(), want)
	}
}

// TestChampionBelowFirst checks that a leaderboard says why its champion may have another rank than 1.
func TestChampionBelowFirst(t *testing.T) {
	data := seriesPage{Name: "flowers", Metric: api.MetricAccuracy, Entries: []*leaderboard.Entry{{Rank: 1, Model: "flowers@v2"}, {Rank: 2, Model: "flowers@v1", Champion: true}}}
	if text := renderPage(t, "series", data); !strings.Contains(text, "The champion need not have rank 1: ") || !strings.Contains(text, "on the validation rows") {
		t.Error(text)
	}
	data.Entries = data.Entries[:1]
	if text := renderPage(t, "series", data); strings.Contains(text, "need not") {
		t.Error(text)
	}
}

// TestManyRequestsForAccounts checks that the administration shows how many requests wait, and links
// to those that are not on the page.
func TestManyRequestsForAccounts(t *testing.T) {
	pages := api.Page{Offset: 50, Limit: 50}
	pages.SetTotalAndNext(1260)
	data := administrationPage{Requests: make([]api.AccessRequest, 50), Pager: newPager(&url.URL{Path: "/admin"}, pages, 50)}
	text := renderPage(t, "admin", data)
	for _, want := range []string{`<span class="quiet">1,260</span>`, "51–100 of 1,260", `href="/admin?offset=0"`, `href="/admin?offset=100"`, `href="/admin?offset=1250"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %s: %s", want, text)
		}
	}
}

// TestTimeToWait checks that a page shows how long a visitor has to wait, and that the header has the
// same time.
func TestTimeToWait(t *testing.T) {
	limited := api.NewProblem(api.CodeTooMany, "too many attempts")
	limited.RetryAfter = 90
	busy := api.NewProblem(api.CodeNotReady, "the database is unavailable: try again")
	busy.RetryAfter = 5
	for _, test := range []struct {
		in             *api.Problem
		detail, header string
	}{
		{limited, "too many attempts; try again in 1 min 30 s", "90"},
		{busy, "the database is unavailable: try again", "5"},
		{api.NewProblem(api.CodeForbidden, "no"), "no", ""},
	} {
		w := httptest.NewRecorder()
		v := &visit{w: w, r: httptest.NewRequest("GET", "/", nil)}
		got := (&Pages{}).formProblem(v, errors.Join(test.in))
		if got.Detail != test.detail || w.Header().Get("Retry-After") != test.header {
			t.Errorf("%q, Retry-After %q instead of %q, %q", got.Detail, w.Header().Get("Retry-After"), test.detail, test.header)
		}
	}
}

// TestRelativeTimes checks that the script can compute relative times again: it needs the clock of
// the service and the relative times.
func TestRelativeTimes(t *testing.T) {
	now := time.Date(2026, 11, 23, 20, 24, 19, 0, time.UTC)
	templates := parseTemplates(func() time.Time { return now })["home"]
	for timestamp, want := range map[string]string{
		"2026-11-23T20:23:19Z": `data-relative>1 minute ago</time>`, "2026-11-23T21:23:19Z": `data-relative>in 59 minutes</time>`,
	} {
		var text strings.Builder
		if err := templates.ExecuteTemplate(&text, "time", timestamp); err != nil || !strings.HasSuffix(text.String(), want) {
			t.Errorf("%s: %s, %v", timestamp, text.String(), err)
		}
	}
	var text strings.Builder
	if err := templates.ExecuteTemplate(&text, "page", &page{Data: homePage{}, query: url.Values{}}); err != nil || !strings.Contains(text.String(), fmt.Sprintf(`data-now=%q`, "2026-11-23T20:24:19Z")) {
		t.Errorf("%v, %s", err, text.String())
	}
}
