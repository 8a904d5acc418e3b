package connect

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
)

// listOfRaces is a transport that returns the races "new" and "old", the newest first.
type listOfRaces struct{ requests int }

func (l *listOfRaces) RoundTrip(r *http.Request) (*http.Response, error) {
	l.requests++
	const body = `{"trainingJobs": [{"trainingJobKey": "new"}, {"trainingJobKey": "old"}], "offset": 0, "limit": 100, "total": 2}`
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(strings.NewReader(body)),
		Header: http.Header{"Content-Type": {"application/json"}},
	}, nil
}

// TestNewestModel checks that the races are listed only if times, which are in seconds, are equal.
func TestNewestModel(t *testing.T) {
	model := func(race, created string) client.SeriesModel {
		return client.SeriesModel{ModelEntry: api.ModelEntry{TrainingJobKey: race, CreatedOn: created}}
	}
	const earlier, later = "2026-11-25T04:00:00Z", "2026-11-25T04:00:01Z"
	for _, c := range []struct {
		name, want string
		requests   int
		models     []client.SeriesModel
	}{
		{"different_times", "old", 0, []client.SeriesModel{model("new", earlier), model("old", later)}},
		{"equal_times", "new", 1, []client.SeriesModel{model("old", later), model("new", later), model("older", earlier)}},
		{"unknown_race", "deleted", 1, []client.SeriesModel{model("deleted", later), model("gone", later)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var races listOfRaces
			service, err := client.New(client.Options{BaseURL: "http://service.test", Transport: &races})
			if err != nil {
				t.Fatal(err)
			}
			service.SetToken("token")
			newest, err := (&Session{Client: service}).NewestModel(t.Context(), c.models)
			if err != nil {
				t.Fatal(err)
			}
			if newest.TrainingJobKey != c.want || races.requests != c.requests {
				t.Errorf("model of race %q after %d requests, want %q after %d", newest.TrainingJobKey, races.requests, c.want, c.requests)
			}
		})
	}
}
