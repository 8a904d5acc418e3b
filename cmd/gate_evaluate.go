package cmd

import (
	"cmp"
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/gate"
)

// prepare checks the classes and finds the baseline before a race on a dataset.
func (g *requirementFlags) prepare(ctx context.Context, session *session, dataset, metric string) error {
	if !g.isSet() {
		return nil
	}
	classes, err := session.classLabels(ctx, dataset)
	if err != nil {
		return err
	}
	if err := g.checkClasses(classes); err != nil {
		return err
	}
	return g.findBaseline(ctx, session, dataset, cmp.Or(metric, api.MetricAccuracy))
}

// finish prints a finished race and checks its model. below, which may be nil, is the
// error of a missed threshold.
func (g *requirementFlags) finish(ctx context.Context, o *output, session *session, job *api.Training, below error) error {
	verdicts, err := g.evaluate(ctx, session, job.ModelKey)
	if err != nil {
		return err
	}
	if err := printItem(o, job, trainingMembers...); err != nil {
		return err
	}
	return g.publish(o, verdicts, below)
}

// evaluate checks a model against the requirements; nil if there are none.
func (g *requirementFlags) evaluate(ctx context.Context, session *session, model string) (*gate.Report, error) {
	if !g.isSet() {
		return nil, nil
	}
	report, err := session.modelReport(ctx, model)
	if err != nil {
		return nil, err
	}
	if report != nil {
		labels := make([]string, len(report.Classes))
		for i, c := range report.Classes {
			labels[i] = c.Label
		}
		if err := g.checkClasses(labels); err != nil {
			return nil, err
		}
	}
	r := &gate.Report{Model: model, At: g.host.now()}
	for _, requirement := range g.requirements {
		r.Results = append(r.Results, requirement.Evaluate(report))
	}
	if g.beat == "" {
		return r, nil
	}
	if g.baseline.key == "" {
		r.Results = append(r.Results, gate.NoBaseline(g.beat, g.baseline.reason))
		return r, nil
	}
	other, err := session.modelReport(ctx, g.baseline.key)
	if err != nil {
		return nil, err
	}
	verdict := gate.Compare(report, other, g.baseline.name)
	if g.baseline.dataset != "" {
		judged, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: model})
		if err != nil {
			return nil, err
		}
		if judged.DatasetKey != g.baseline.dataset {
			verdict.Reason += differentDataNote
		}
	}
	r.Results = append(r.Results, verdict)
	return r, nil
}

// modelReport returns a model's report; nil if the service has no reports, which are an
// extension.
func (c *session) modelReport(ctx context.Context, model string) (*api.ModelReport, error) {
	report, err := client.Call(ctx, c.Client, api.GetModelReport, &api.ModelInput{ModelKey: model})
	var problem *api.Problem
	if errors.As(err, &problem) && (problem.Status == 404 || problem.Status == 405 || problem.Status == 501) {
		return nil, nil
	}
	return report, err
}
