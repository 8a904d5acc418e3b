package requirement

import (
	"cmp"
	"context"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/gate"
	"foretell/internal/term"
)

// Prepare checks the classes of the requirements and finds the baseline, before a race on a dataset.
func (f *Flags) Prepare(ctx context.Context, session *connect.Session, dataset string) error {
	if !f.IsSet() {
		return nil
	}
	classes, err := session.FetchClassLabels(ctx, dataset)
	if err != nil {
		return err
	}
	if err := f.CheckClasses(classes); err != nil {
		return err
	}
	return f.setBaselineForRace(ctx, session, dataset)
}

// PrintAndEvaluate prints a finished race and checks its model against the requirements.
// thresholdErr is the error of a missed threshold and may be nil.
func (f *Flags) PrintAndEvaluate(ctx context.Context, o *cli.Output, session *connect.Session, job *api.Training, thresholdErr error) error {
	results, err := f.Evaluate(ctx, session, job.ModelKey)
	if err == nil {
		_, err = f.ApplyToChampion(ctx, o, session, job.ModelKey, results)
	}
	if err != nil {
		return exit.WithContinueCommand(ctx, err, f.waitCommand(job.TrainingJobKey))
	}
	if err := cli.PrintItem(o, job, TrainingFields...); err != nil {
		return err
	}
	return f.Publish(ctx, o, results, thresholdErr)
}

// waitCommand returns the command that checks the model of a race against the same requirements.
func (f *Flags) waitCommand(race string) string {
	command := []string{"training", "wait", race}
	for _, text := range f.texts {
		command = append(command, "--require", text)
	}
	if f.beat != "" {
		command = append(command, "--beat", f.beat)
	}
	if f.junit != "" {
		command = append(command, "--junit", f.junit)
	}
	return term.CommandLine(command)
}

// Evaluate checks a model against the requirements. It returns nil if there are no requirements.
func (f *Flags) Evaluate(ctx context.Context, session *connect.Session, model string) (*gate.Report, error) {
	if !f.IsSet() {
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
		if err := f.CheckClasses(labels); err != nil {
			return nil, err
		}
	}
	r := &gate.Report{Model: model, At: f.factory.Now()}
	for _, requirement := range f.requirements {
		r.Results = append(r.Results, requirement.Evaluate(report))
	}
	if f.beat == "" {
		return r, nil
	}
	if f.baseline.key == "" {
		r.Results = append(r.Results, gate.SkippedResult(f.beat, f.baseline.reason))
		return r, nil
	}
	verdict, err := f.compareWithBaseline(ctx, session, model, report)
	if err != nil {
		return nil, err
	}
	r.Results = append(r.Results, verdict)
	return r, nil
}

// compareWithBaseline checks whether a model with the given report is better than the baseline. A
// model that cannot be compared with the champion is not better: otherwise, any model that was
// trained on a table with one wrong label or one more column would replace the champion.
func (f *Flags) compareWithBaseline(ctx context.Context, session *connect.Session, model string, report *api.ModelReport) (gate.Result, error) {
	other, err := session.ModelReport(ctx, f.baseline.key)
	if err != nil {
		return gate.Result{}, err
	}
	verdict := gate.Compare(report, other, f.baseline.name)
	var tasks [2]client.Task
	var data [2]string
	for i, key := range []string{model, f.baseline.key} {
		m, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: key})
		if err != nil {
			return gate.Result{}, err
		}
		d, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: m.DatasetKey})
		if err != nil {
			return gate.Result{}, err
		}
		tasks[i] = client.Task{TableSchema: d.TableSchema(), ScoreKind: client.ModelScoreKind(&m.ModelExtensions)}
		data[i] = cmp.Or(d.SHA256, d.DatasetKey)
	}
	if difference := tasks[0].Difference(&tasks[1]); difference != "" && f.BeatsChampion() {
		verdict.Holds, verdict.Baseline, verdict.BaselineRows = false, nil, 0
		verdict.Reason = "missed: cannot be compared (" + difference + "); train without --beat to accept a model without a comparison, or use another --name"
		return verdict, nil
	}
	// Which rows are test rows depends on the data, the seed, and the columns of --group and --time.
	if verdict.Baseline != nil && (data[0] != data[1] || report.Seed != other.Seed || report.GroupColumn != other.GroupColumn || report.TimeColumn != other.TimeColumn) {
		verdict.Reason += ", on other test rows"
	}
	return verdict, nil
}

// EvaluateScores checks the scores of a file of predictions against the requirements. It returns
// nil if there are no requirements. classes are the labels of the classes, and measure returns the
// score that a requirement is about.
func (f *Flags) EvaluateScores(predictions string, classes []string, measure func(*gate.Requirement) gate.Score) (*gate.Report, error) {
	if !f.IsSet() {
		return nil, nil
	}
	if err := f.CheckClasses(classes); err != nil {
		return nil, err
	}
	r := &gate.Report{Predictions: predictions, At: f.factory.Now()}
	for _, requirement := range f.requirements {
		r.Results = append(r.Results, requirement.EvaluateScore(measure(requirement)))
	}
	return r, nil
}
