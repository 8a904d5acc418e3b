package requirement

import (
	"cmp"
	"context"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/gate"
)

// Prepare checks the classes and finds the baseline before a race on a dataset.
func (g *Flags) Prepare(ctx context.Context, session *connect.Session, dataset, metric string) error {
	if !g.IsSet() {
		return nil
	}
	classes, err := session.ClassLabels(ctx, dataset)
	if err != nil {
		return err
	}
	if err := g.CheckClasses(classes); err != nil {
		return err
	}
	return g.findBaseline(ctx, session, dataset, cmp.Or(metric, api.MetricAccuracy))
}

// Finish prints a finished race and checks its model. below, which may be nil, is the
// error of a missed threshold.
func (g *Flags) Finish(ctx context.Context, o *cli.Output, session *connect.Session, job *api.Training, below error) error {
	verdicts, err := g.Evaluate(ctx, session, job.ModelKey)
	if err != nil {
		return err
	}
	if err := cli.PrintItem(o, job, TrainingMembers...); err != nil {
		return err
	}
	return g.Publish(o, verdicts, below)
}

// Evaluate checks a model against the requirements; nil if there are none.
func (g *Flags) Evaluate(ctx context.Context, session *connect.Session, model string) (*gate.Report, error) {
	if !g.IsSet() {
		return nil, nil
	}
	report, err := session.ModelReport(ctx, model)
	if err != nil {
		return nil, err
	}
	if report != nil {
		labels := make([]string, len(report.Classes))
		for i, c := range report.Classes {
			labels[i] = c.Label
		}
		if err := g.CheckClasses(labels); err != nil {
			return nil, err
		}
	}
	r := &gate.Report{Model: model, At: g.host.Now()}
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
	other, err := session.ModelReport(ctx, g.baseline.key)
	if err != nil {
		return nil, err
	}
	verdict := gate.Compare(report, other, g.baseline.name)
	if g.baseline.dataset != "" {
		candidate, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: model})
		if err != nil {
			return nil, err
		}
		if candidate.DatasetKey != g.baseline.dataset {
			verdict.Reason += differentDataNote
		}
	}
	r.Results = append(r.Results, verdict)
	return r, nil
}
