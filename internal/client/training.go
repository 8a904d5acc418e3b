package client

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"foretell/internal/api"
)

// noThreshold is the threshold of a race without one on a service that needs
// one. That is a service that tells no outcome of a race, either.
const noThreshold = 1.0

// CreateTraining starts a race. A race without a threshold is an extension: a
// service that refuses it is asked again with a threshold of 1, and so are all
// races of this client after that.
func (c *Client) CreateTraining(ctx context.Context, in *api.CreateTrainingInput) (*api.CreatedTraining, error) {
	none := in.Body.PerformanceThreshold.Given && in.Body.PerformanceThreshold.Value == nil
	if !none || !c.needsThreshold.Load() {
		created, err := Call(ctx, c, api.CreateTraining, in)
		if !none || !refusesNull(err) {
			return created, err
		}
	}
	substitute := *in
	substitute.Body.PerformanceThreshold = api.NewThreshold(new(noThreshold))
	created, err := Call(ctx, c, api.CreateTraining, &substitute)
	if err == nil {
		c.needsThreshold.Store(true)
	}
	return created, err
}

// refusesNull reports whether a service may have refused a request because its
// threshold is null. One that names the fields at fault has to name this one.
func refusesNull(err error) bool {
	var problem *api.Problem
	if !errors.As(err, &problem) || problem.Status != http.StatusBadRequest && problem.Status != http.StatusUnprocessableEntity {
		return false
	}
	return len(problem.Errors) == 0 || slices.ContainsFunc(problem.Errors, func(e api.FieldError) bool {
		return e.Field == "performanceThreshold" || e.Field == "targetPerformance"
	})
}

// fillOutcome says what a service without outcomes leaves unsaid of a race or
// run. race is the status of a run's race, if it is known.
func fillOutcome(t *api.Training, race string) {
	if t.Outcome != "" {
		return
	}
	if t.TargetPerformance != nil && *t.TargetPerformance == noThreshold {
		t.TargetPerformance = nil
	}
	t.Outcome = api.OutcomeOf(t.Status, t.TargetPerformance, race == api.TrainingCompleted)
}

// fillOutcomes does so for races and their runs.
func fillOutcomes(jobs []api.Training) {
	races := map[string]string{}
	for _, t := range jobs {
		races[t.TrainingJobKey] = t.Status
	}
	for i := range jobs {
		fillOutcome(&jobs[i], races[jobs[i].ParentTrainingJobKey])
	}
}

// fillRunOutcomes does so for the runs of a race whose threshold is not
// told here.
func fillRunOutcomes(p *api.TrainingProgress) {
	some := noThreshold
	if p.Outcome == "" {
		p.Outcome = api.OutcomeOf(p.Status, &some, false)
	}
	for i := range p.Jobs {
		if job := &p.Jobs[i]; job.Outcome == "" {
			job.Outcome = api.OutcomeOf(job.Status, &some, p.Status == api.TrainingCompleted)
		}
	}
}
