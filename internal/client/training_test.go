package client_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestCreateTrainingWithoutThreshold starts races without a threshold on services that accept
// null as the threshold, and on services that do not.
func TestCreateTrainingWithoutThreshold(t *testing.T) {
	t.Parallel()
	const made = `{"trainingJobKey":"k","status":"PENDING"}`
	for _, c := range []struct {
		name     string
		refusal  http.HandlerFunc // response to a null threshold; nil accepts it
		sent     []string         // thresholds that two races send
		accepted bool
	}{
		{"one_that_knows_null", nil, []string{"null", "null"}, true},
		{
			"one_that_names_the_field",
			respondJSON(422, `{"code":"invalid","detail":"d","errors":[{"field":"performanceThreshold","message":"is missing"}]}`),
			[]string{"null", "1", "1"},
			true,
		},
		{"one_that_names_nothing", respondJSON(400, `{"message":"bad request"}`), []string{"null", "1", "1"}, true},
		{
			"one_that_refuses_something_else",
			respondJSON(422, `{"code":"invalid","detail":"d","errors":[{"field":"seed","message":"is too large"}]}`),
			[]string{"null", "null"},
			false,
		},
		{"one_that_is_in_another_state", respondJSON(409, `{"code":"wrong_state","detail":"d"}`), []string{"null", "null"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sent []string
			d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var members map[string]json.RawMessage
				_ = json.Unmarshal(body, &members)
				threshold := string(members["performanceThreshold"])
				sent = append(sent, threshold)
				if threshold == "null" && c.refusal != nil {
					c.refusal(w, r)
					return
				}
				respondJSON(201, made)(w, r)
			})
			caller := d.client(t, client.Options{})
			for range 2 {
				_, err := caller.CreateTraining(t.Context(), &api.CreateTrainingInput{
					DatasetInput: api.DatasetInput{DatasetKey: key},
					Body:         api.NewTraining{PerformanceThreshold: api.NewThreshold(nil)},
				})
				if (err == nil) != c.accepted {
					t.Errorf("error %v", err)
				}
			}
			if !slices.Equal(sent, c.sent) {
				t.Errorf("sent %s, want %s", strings.Join(sent, " "), strings.Join(c.sent, " "))
			}
		})
	}
}

// TestOutcomesOfOtherDeployments reads races of a service that does not report outcomes. A
// threshold of 1 means that the race has no threshold.
func TestOutcomesOfOtherDeployments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body, outcome string
		threshold     bool
	}{
		{`{"status":"NOT_COMPLETED","targetPerformance":1}`, api.OutcomeDone, false},
		{`{"status":"COMPLETED","targetPerformance":1}`, api.OutcomeDone, false},
		{`{"status":"NOT_COMPLETED","targetPerformance":0.9}`, api.OutcomeBelow, true},
		{`{"status":"COMPLETED","targetPerformance":0.9}`, api.OutcomeReached, true},
		{`{"status":"TIMEOUT","targetPerformance":1}`, api.OutcomeTimeLimit, false},
		{`{"status":"NOT_COMPLETED","targetPerformance":1,"outcome":"below-threshold"}`, api.OutcomeBelow, true},
	} {
		job, err := client.Call(t.Context(), newDeployment(t, respondJSON(200, c.body)).client(t, client.Options{}), api.GetTraining,
			&api.TrainingInput{TrainingJobKey: key})
		if err != nil {
			t.Fatal(err)
		}
		if job.Outcome != c.outcome || (job.TargetPerformance != nil) != c.threshold {
			t.Errorf("%s: outcome %q, threshold %v", c.body, job.Outcome, job.TargetPerformance)
		}
	}
	page, err := client.Call(t.Context(), newDeployment(t, respondJSON(200, `{"trainingJobs":[
		{"trainingJobKey":"r","status":"COMPLETED","targetPerformance":0.9},
		{"trainingJobKey":"c","parentTrainingJobKey":"r","status":"NOT_COMPLETED","targetPerformance":0.9}]}`)).client(t, client.Options{}),
		api.ListTrainings, &api.ListTrainingsInput{PageInput: api.PageInput{Limit: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if got := page.TrainingJobs[1].Outcome; got != api.OutcomeStopped {
		t.Errorf("a run of a race that another won: %q", got)
	}
}
