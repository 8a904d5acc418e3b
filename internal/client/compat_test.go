package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestCompatibility decodes responses of other deployments.
func TestCompatibility(t *testing.T) {
	t.Parallel()
	t.Run("datasets_as_a_string_or_an_array", func(t *testing.T) {
		for _, body := range []string{
			`{"datasets":"[{\"datasetKey\":\"k\",\"datasetName\":\"n\"}]","offset":0,"limit":1,"total":1}`,
			`{"datasets":[{"datasetKey":"k","datasetName":"n","novelty":{"a":1}}],"offset":"0","limit":"1","total":"1"}`,
		} {
			page, err := client.Call(t.Context(), newDeployment(t, respondJSON(200, body)).client(t, client.Options{}), api.ListDatasets,
				&api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}})
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Datasets.Items) != 1 || page.Datasets.Items[0].DatasetName != "n" || page.Total != 1 {
				t.Errorf("%s read as %+v", body, page)
			}
			if printed, _ := json.Marshal(page); !strings.Contains(string(printed), `"datasets":[{`) {
				t.Errorf("printed as %s", printed)
			}
		}
	})
	t.Run("numbers_in_strings_and_older_states", func(t *testing.T) {
		c := newDeployment(t, respondJSON(203, `{"trainingJobKey":"k","status":"PROCESSING","scalingFactor":"16","targetPerformance":"0.9","achievedPerformance":"0.75","testPerformance":""}`)).client(t, client.Options{})
		job, err := client.Call(t.Context(), c, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
		if err != nil {
			t.Fatal(err)
		}
		if job.Status != api.TrainingRunning || job.ScalingFactor != 16 || *job.TargetPerformance != 0.9 || *job.AchievedPerformance != 0.75 || job.TestPerformance != nil {
			t.Errorf("read as %+v", job)
		}
	})
	t.Run("progress_with_older_states", func(t *testing.T) {
		c := newDeployment(t, respondJSON(200, `{"status":"TIMEOUT","jobs":[{"status":"PROCESSING","recentPerformances":["0.5",0.6]}]}`)).client(t, client.Options{})
		got, err := client.Call(t.Context(), c, api.GetTrainingProgress, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: key}})
		if err != nil {
			t.Fatal(err)
		}
		want := &api.TrainingProgress{Status: api.TrainingTimedOut, Outcome: api.OutcomeTimeLimit, Jobs: []api.AlgorithmRun{
			{Status: api.TrainingRunning, Outcome: api.OutcomeRunning, RecentPerformances: []float64{0.5, 0.6}},
		}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a_version_without_a_total", func(t *testing.T) {
		page, err := client.Call(t.Context(), newDeployment(t, respondJSON(200, `{"models":[]}`)).client(t, client.Options{}), api.ListModelsOfDataset,
			&api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: key}})
		if err != nil || page.Total != -1 {
			t.Errorf("total %d, %v", page.Total, err)
		}
	})
	t.Run("a_path_elsewhere", func(t *testing.T) {
		d := newDeployment(t, respondJSON(200, `{}`))
		c := d.client(t, client.Options{BaseURL: d.URL + "/prefix/", Paths: map[string]string{"getDataset": "/v2/ds/{datasetKey}"}})
		if _, err := getDataset(t, c); err != nil {
			t.Fatal(err)
		}
		if got := d.requests()[0].URL.Path; got != "/prefix/v2/ds/"+key {
			t.Errorf("called %s", got)
		}
	})
}

// TestMissingOperation calls an operation that a service at a path lacks. Only if the service received
// the path, or does not say which path it received, the error says that the address should have none.
func TestMissingOperation(t *testing.T) {
	t.Parallel()
	for prefix, wrongAddress := range map[string]bool{"/models": true, "/unknown": true, "/foretell": false} {
		respond := func(w http.ResponseWriter, r *http.Request) {
			problem := api.NewProblem(api.CodeNoRoute, "no operation at this path")
			problem.Instance = r.URL.Path
			if prefix == "/unknown" {
				problem.Instance = ""
			}
			if !wrongAddress { // the proxy has removed the path
				problem.Instance = strings.TrimPrefix(r.URL.Path, prefix)
			}
			w.WriteHeader(problem.Status)
			_ = json.NewEncoder(w).Encode(problem)
		}
		d := newDeployment(t, respond)
		_, err := getDataset(t, d.client(t, client.Options{BaseURL: d.URL + prefix}))
		var address *client.BaseURLError
		if got := errors.As(err, &address); got != wrongAddress || api.CodeFromError(err) != api.CodeNoRoute {
			t.Errorf("%s: the error says that the address is wrong: %t (%v)", prefix, got, err)
		}
	}
}

// TestNotTheService checks the error of a URL that is not the service's API.
func TestNotTheService(t *testing.T) {
	t.Parallel()
	page := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<!doctype html><title>Please log in</title>")
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"a_log_in_page": page(200), "a_page_not_found": page(404), "plain_text": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") },
		"other_json": respondJSON(200, `["a"]`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := getDataset(t, newDeployment(t, handler).client(t, client.Options{}))
			var network *client.NetworkError
			if !errors.As(err, &network) || network.Kind != client.NotService {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), "this URL is not the service's API") || network.Op != "getDataset" {
				t.Errorf("says %q of %s", err, network.Op)
			}
		})
	}
	t.Run("a_gateway's_page_is_an_outage", func(t *testing.T) {
		_, err := getDataset(t, newDeployment(t, page(502)).client(t, client.Options{}))
		if got := api.CodeFromError(err); got != api.CodeNotReady {
			t.Errorf("%s: %v", got, err)
		}
	})
	t.Run("a_proxy's_413_is_too_large", func(t *testing.T) {
		_, err := newDeployment(t, page(413)).client(t, client.Options{}).AddData(t.Context(), key, text("id,a\n"), nil)
		if got := api.CodeFromError(err); got != api.CodeTooLarge {
			t.Errorf("%s: %v", got, err)
		}
	})
	t.Run("an_error_of_another_format", func(t *testing.T) {
		_, err := getDataset(t, newDeployment(t, respondJSON(409, `{"message":"busy"}`)).client(t, client.Options{}))
		if got := api.CodeFromError(err); got != api.CodeWrongState || err.Error() != "busy" {
			t.Errorf("%s: %v", got, err)
		}
	})
}

// TestRetries checks which requests are sent again, and the delays before that.
func TestRetries(t *testing.T) {
	t.Parallel()
	busy := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			respondJSON(429, `{"code":"too-many-requests","detail":"slow"}`)(w, nil)
		}
	}
	lost := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "5")
		respondJSON(500, `{"code":"internal"}`)(w, nil)
	}
	busyUntil := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "Sun, 22 Nov 2026 10:00:00 GMT") // the clock of the service
		busy("Sun, 22 Nov 2026 10:00:09 GMT")(w, r)
	}
	cut := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	create := func(t *testing.T, c *client.Client) error {
		t.Helper()
		_, err := client.Call(t.Context(), c, api.CreateDataset, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "abc"}})
		return err
	}
	get := func(t *testing.T, c *client.Client) error {
		t.Helper()
		_, err := getDataset(t, c)
		return err
	}
	remove := func(t *testing.T, c *client.Client) error {
		t.Helper()
		_, err := client.Call(t.Context(), c, api.DeleteDataset, &api.DatasetInput{DatasetKey: key})
		return err
	}
	logIn := func(code string) func(*testing.T, *client.Client) error {
		return func(t *testing.T, c *client.Client) error {
			t.Helper()
			_, err := client.Call(t.Context(), c, api.LogIn, &api.LogInInput{Body: api.Credentials{Username: "a", Password: "b", AuthenticatorCode: code}})
			return err
		}
	}
	for _, c := range []struct {
		name     string
		handler  http.HandlerFunc
		call     func(*testing.T, *client.Client) error
		attempts int
		ok       bool
	}{
		{"503_then_well", respondInTurn(respondJSON(503, "{}"), respondJSON(200, "{}")), get, 2, true},
		{"503_before_a_creation", respondInTurn(respondJSON(503, `{"code":"not-ready"}`), respondJSON(201, "{}")), create, 2, true},
		{"503_of_a_proxy_after_a_creation_may_have_happened", respondInTurn(respondJSON(503, "{}"), respondJSON(201, "{}")), create, 1, false},
		{"504_after_a_creation_may_have_happened", respondInTurn(respondJSON(504, "{}"), respondJSON(201, "{}")), create, 1, false},
		{"a_connection_cut", respondInTurn(cut, cut, respondJSON(200, "{}")), get, 3, true},
		{"a_connection_cut_on_a_creation", respondInTurn(cut, respondJSON(201, "{}")), create, 1, false},
		{"never_well", respondJSON(503, `{"code":"not-ready"}`), get, 5, false},
		{"never_well_behind_a_proxy", respondJSON(503, "{}"), get, 8, false},
		{"500_is_final", respondJSON(500, "{}"), get, 1, false},
		{"500_after_a_creation_may_have_happened", respondInTurn(lost, respondJSON(201, "{}")), create, 1, false},
		{"500_after_a_deletion_may_have_happened", respondInTurn(lost, respondJSON(404, `{"code":"not-found"}`)), remove, 2, true},
		{"404_is_final", respondJSON(404, "{}"), get, 1, false},
		{"a_deletion_whose_answer_was_lost", respondInTurn(cut, respondJSON(404, `{"code":"not-found"}`)), remove, 2, true},
		{"a_gateway_without_a_route_after_a_deletion_may_have_happened", respondInTurn(cut, respondJSON(404, `{"message":"no Route matched"}`)), remove, 2, false},
		{"a_deletion_that_the_service_did_not_process_before", respondInTurn(respondJSON(503, `{"code":"not-ready"}`), respondJSON(404, `{"code":"not-found"}`)), remove, 2, false},
		{"a_login_whose_answer_was_lost", respondInTurn(cut, respondJSON(200, "{}")), logIn(""), 2, true},
		{"a_code_of_an_app_whose_answer_was_lost", respondInTurn(cut, respondJSON(401, `{"code":"bad-credentials"}`)), logIn("123456"), 1, false},
		{"429_with_a_short_wait", respondInTurn(busy("7"), respondJSON(201, "{}")), create, 2, true},
		{"429_with_a_date", respondInTurn(busyUntil, respondJSON(201, "{}")), create, 2, true},
		{"429_with_a_long_wait", busy("3600"), get, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDeployment(t, c.handler)
			err := c.call(t, d.client(t, client.Options{}))
			if (err == nil) != c.ok || len(d.requests()) != c.attempts {
				t.Errorf("%d attempts, want %d; error %v", len(d.requests()), c.attempts, err)
			}
			if c.name == "429_with_a_short_wait" && !slices.Equal(d.waits, []time.Duration{7 * time.Second}) {
				t.Errorf("waited %v", d.waits)
			}
			if c.name == "429_with_a_date" && !slices.Equal(d.waits, []time.Duration{9 * time.Second}) {
				t.Errorf("waited %v", d.waits)
			}
			if c.name == "never_well" && (d.waits[0] > 200*time.Millisecond || d.waits[3] < 800*time.Millisecond) {
				t.Errorf("waited %v", d.waits)
			}
		})
	}
	t.Run("a_wrong_password_is_not_tried_again", func(t *testing.T) {
		d := newDeployment(t, busy("1"))
		_, err := client.Call(t.Context(), d.client(t, client.Options{}), api.LogIn, &api.LogInInput{})
		if api.CodeFromError(err) != api.CodeTooMany || len(d.requests()) != 1 {
			t.Errorf("%d attempts, %v", len(d.requests()), err)
		}
	})
}

// TestRelogin lets tokens expire and checks when the client logs in again.
func TestRelogin(t *testing.T) {
	t.Parallel()
	only := func(good string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+good {
				respondJSON(401, `{"code":"unauthorized"}`)(w, r)
				return
			}
			respondJSON(200, "{}")(w, r)
		}
	}
	t.Run("once_and_again", func(t *testing.T) {
		d := newDeployment(t, only("new"))
		logins := 0
		c := d.client(t, client.Options{Relogin: func(context.Context) (string, error) { logins++; return "new", nil }})
		if _, err := getDataset(t, c); err != nil || logins != 1 || len(d.requests()) != 2 || c.Token() != "new" {
			t.Errorf("%d logins, %d requests, token %s, %v", logins, len(d.requests()), c.Token(), err)
		}
	})
	t.Run("not_for_ever", func(t *testing.T) {
		logins := 0
		c := newDeployment(t, only("right")).client(t, client.Options{Relogin: func(context.Context) (string, error) { logins++; return "wrong", nil }})
		for range 2 {
			if _, err := getDataset(t, c); api.CodeFromError(err) != api.CodeUnauthorized {
				t.Errorf("got %v", err)
			}
		}
		if logins != 1 {
			t.Errorf("%d logins", logins)
		}
	})
	t.Run("by_the_same_client", func(t *testing.T) {
		d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/login" {
				respondJSON(200, `{"access_token":"new"}`)(w, r)
				return
			}
			only("new")(w, r)
		})
		var c *client.Client
		c = d.client(t, client.Options{Relogin: func(ctx context.Context) (string, error) {
			session, err := client.Call(ctx, c, api.LogIn, &api.LogInInput{})
			if err != nil {
				return "", err
			}
			return session.AccessToken, nil
		}})
		if _, err := getDataset(t, c); err != nil || len(d.requests()) != 3 {
			t.Errorf("%d requests, %v", len(d.requests()), err)
		}
	})
	t.Run("its_failure_is_the_error", func(t *testing.T) {
		refused := errors.New("no password")
		c := newDeployment(t, only("x")).client(t, client.Options{Relogin: func(context.Context) (string, error) { return "", refused }})
		if _, err := getDataset(t, c); !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
	})
}

// TestTokenNotSentToOtherHosts checks which hosts receive the token.
func TestTokenNotSentToOtherHosts(t *testing.T) {
	t.Parallel()
	other := newDeployment(t, respondJSON(200, `{"datasetName":"elsewhere"}`))
	foreign := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	redirect := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, foreign+r.URL.Path, http.StatusTemporaryRedirect)
	})
	c := redirect.client(t, client.Options{})

	if d, err := getDataset(t, c); err != nil || d.DatasetName != "elsewhere" {
		t.Fatalf("%+v, %v", d, err)
	}
	if got := other.requests()[0].Header.Get("Authorization"); got != "" {
		t.Errorf("the redirect carried %q", got)
	}
	t.Run("nor_a_password", func(t *testing.T) {
		_, err := client.Call(t.Context(), c, api.LogIn, &api.LogInInput{Body: api.Credentials{Username: "a", Password: "b"}})
		var network *client.NetworkError
		if !errors.As(err, &network) || network.Kind != client.BadRedirect || len(other.requests()) != 1 {
			t.Errorf("%d requests, %v", len(other.requests()), err)
		}
	})
	t.Run("nor_is_a_post_turned_into_a_get", func(t *testing.T) {
		moved := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
		})
		_, err := client.Call(t.Context(), moved.client(t, client.Options{}), api.CreateDataset, &api.CreateDatasetInput{})
		var network *client.NetworkError
		if !errors.As(err, &network) || network.Kind != client.BadRedirect {
			t.Errorf("got %v", err)
		}
	})
	for query, want := range map[string]string{
		"":                                "Bearer secret-token",
		"?upload_id=7":                    "Bearer secret-token",
		"?code=7":                         "Bearer secret-token",
		"?X-Goog-Signature=abc":           "",
		"?X-Amz-Signature=abc&X-Amz-Date": "",
		"?sv=1&sig=abc":                   "",
	} {
		t.Run("upload_address"+query, func(t *testing.T) {
			store := newDeployment(t, func(http.ResponseWriter, *http.Request) {})
			address := strings.Replace(store.URL, "127.0.0.1", "localhost", 1) + "/bucket/x" + query
			_, err := c.UploadData(t.Context(), api.UploadInfo{UploadURL: address, ExtraHeaders: "X-Goog-Content-Length-Range:10,534773760\nx-two: b"}, text("id,a,b\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			h := store.requests()[0].Header
			if h.Get("Authorization") != want || h.Get("X-Goog-Content-Length-Range") != "10,534773760" || h.Get("X-Two") != "b" || h.Get("Content-Type") != "text/csv" {
				t.Errorf("sent %v", h)
			}
		})
	}
}
