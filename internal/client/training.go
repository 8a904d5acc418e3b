package client

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"foretell/internal/api"
)

// substituteThreshold is sent instead of null to services that require a threshold.
const substituteThreshold = 1.0

// CreateTraining starts a race. A race without a threshold is an extension of the API. If the
// service rejects it, the client sends a threshold of 1 instead, for this and all later races.
func (c *Client) CreateTraining(ctx context.Context, in *api.CreateTrainingInput) (*api.CreatedTraining, error) {
	none := in.Body.PerformanceThreshold.IsSet && in.Body.PerformanceThreshold.Value == nil
	if !none || !c.needsThreshold.Load() {
		created, err := Call(ctx, c, api.CreateTraining, in)
		if !none || !rejectsNullThreshold(err) {
			return created, err
		}
	}
	substitute := *in
	substitute.Body.PerformanceThreshold = api.NewThreshold(new(substituteThreshold))
	created, err := Call(ctx, c, api.CreateTraining, &substitute)
	if err == nil {
		c.needsThreshold.Store(true)
	}
	return created, err
}

// rejectsNullThreshold reports whether err may mean that the service rejected a null
// threshold. If the problem lists invalid fields, the threshold must be among them.
func rejectsNullThreshold(err error) bool {
	var problem *api.Problem
	if !errors.As(err, &problem) || problem.Status != http.StatusBadRequest && problem.Status != http.StatusUnprocessableEntity {
		return false
	}
	return len(problem.Errors) == 0 || slices.ContainsFunc(problem.Errors, func(e api.FieldError) bool {
		return e.Field == "performanceThreshold" || e.Field == "targetPerformance"
	})
}

// fillOutcome sets the outcome of a race, or of one algorithm in a race, if the service did not
// report it. It then also removes a threshold of substituteThreshold, which CreateTraining has sent
// for a race without a threshold. raceStatus is the status of the race that an algorithm belongs
// to; "" if unknown.
func fillOutcome(t *api.Training, raceStatus string) {
	if t.Outcome != "" {
		return
	}
	if t.TargetPerformance != nil && *t.TargetPerformance == substituteThreshold {
		t.TargetPerformance = nil
	}
	t.Outcome = api.OutcomeFromStatus(t.Status, t.TargetPerformance, raceStatus == api.TrainingCompleted)
}

// fillOutcomes sets the outcomes of races and their runs.
func fillOutcomes(jobs []api.Training) {
	races := map[string]string{}
	for _, t := range jobs {
		races[t.TrainingJobKey] = t.Status
	}
	for i := range jobs {
		fillOutcome(&jobs[i], races[jobs[i].ParentTrainingJobKey])
	}
}

// fillRunOutcomes sets the missing outcomes of a race and its algorithms. It assumes that the race
// has a threshold, because p does not say whether it has one.
func fillRunOutcomes(p *api.TrainingProgress) {
	some := substituteThreshold
	if p.Outcome == "" {
		p.Outcome = api.OutcomeFromStatus(p.Status, &some, false)
	}
	for i := range p.Jobs {
		if job := &p.Jobs[i]; job.Outcome == "" {
			job.Outcome = api.OutcomeFromStatus(job.Status, &some, p.Status == api.TrainingCompleted)
		}
	}
}
