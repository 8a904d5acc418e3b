package report

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/term"
)

// Document is the content of a report: a model, its dataset, its race and its scores.
type Document struct {
	// Name is the reference of the model, such as train@v3.
	Name    string
	Model   *api.Model
	Dataset *api.Dataset
	// Training is nil if the service does not report the race of a model.
	Training *api.Training
	// Report is nil if the service has no report of the model. ReportError is then its error.
	Report      *api.ModelReport
	ReportError error
	// Drift compares a file with the training file. It may be nil.
	Drift *api.DriftReport
}

// Load reads a model, its dataset, its race and its report. It is no error if the service has no report
// of the model; see [Document].
func Load(ctx context.Context, c *client.Client, key string) (*Document, error) {
	d := &Document{}
	var err error
	if d.Model, err = client.Call(ctx, c, api.GetModel, &api.ModelInput{ModelKey: key}); err != nil {
		return nil, err
	}
	if d.Dataset, err = client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: d.Model.DatasetKey}); err != nil {
		return nil, err
	}
	if race := d.Model.TrainingJobKey; race != "" {
		if d.Training, err = client.Call(ctx, c, api.GetTraining, &api.TrainingInput{TrainingJobKey: race}); err != nil {
			return nil, err
		}
	}
	d.Name = ModelName(d.Model, d.Dataset)
	d.Report, err = client.Call(ctx, c, api.GetModelReport, &api.ModelReportInput{ModelInput: api.ModelInput{ModelKey: key}})
	if client.IsMissingOperation(err) {
		d.ReportError, err = err, nil
	}
	return d, err
}

// ModelName returns the reference of a model, such as train@v3.
func ModelName(m *api.Model, d *api.Dataset) string {
	return cmp.Or(m.Series, d.DatasetName) + "@v" + strconv.Itoa(cmp.Or(m.SeriesVersion, m.Version))
}

// Step is a command that a reader of the report can run, and its purpose.
type Step struct {
	Purpose string `json:"purpose"`
	Command string `json:"command"`
}

// Steps returns the commands that train the model again and predict with it. It returns
// an empty list if the dataset or the race is unknown.
func (d *Document) Steps() []Step {
	if d.Dataset == nil || d.Training == nil {
		return []Step{} // an array in JSON
	}
	var flags []string
	if n := d.Dataset.NumberOfBuckets; n > 0 && n != api.DefaultBuckets {
		flags = append(flags, fmt.Sprintf("--buckets %d", n))
	}
	if label := d.Dataset.LabelName; label != "" {
		flags = append(flags, "--label "+term.ShellQuote(label))
	}
	upload := term.Command("datasets create", strings.Join(flags, " "), d.Dataset.DatasetName, "train.csv")
	return []Step{
		{"On a service without the dataset, upload the training file, and write the name of the dataset instead of its key in the next command. Add flags such as --id and --drop if the first upload had them: the service does not store them.", upload},
		{describeRepeatStep(d.Training), RaceCommand(d.Training, d.Report)},
		{"Predict with the model.", "foretell predict blind.csv --with " + term.ShellQuote(d.Name)},
	}
}

// describeRepeatStep returns the purpose of the step that repeats a race. A race that was ended
// early cannot be repeated exactly, because its end depended on the speed of the machine or on
// the user.
func describeRepeatStep(job *api.Training) string {
	switch job.Outcome {
	case api.OutcomeTimeLimit:
		return "Repeat the race. It reached its time limit, so the same data, options and seed may make another model."
	case api.OutcomeCancelled:
		return "Repeat the race. It was cancelled, so the same data, options and seed may make another model."
	}
	return "Repeat the race. The same data, options and seed make the same model, with the same version of foretell."
}

// RaceCommand returns the command that repeats a race. It has the key of the dataset, because the
// name may mean a newer dataset of the series. r is the report of its model, or nil.
// algorithms are the algorithms of the race. They are needed only if r is nil; otherwise
// RaceCommand uses the algorithms in r.
func RaceCommand(job *api.Training, r *api.ModelReport, algorithms ...string) string {
	flags := RaceFlags(job, r)
	if r == nil {
		flags = strings.TrimSpace(flags + algorithmFlag(algorithms))
	}
	return term.Command("training create", flags, api.ShortKey(job.DatasetKey))
}

// algorithmFlag returns the flag that chooses algorithms, with a space before it. It returns "" if
// no or all algorithms are given, because a race trains all algorithms by default.
func algorithmFlag(algorithms []string) string {
	if n := len(algorithms); n == 0 || n == len(api.Algorithms(2)) { // their number does not depend on the classes
		return ""
	}
	return " --algorithm " + strings.Join(algorithms, ",")
}

// RaceFlags returns the flags that repeat a race. r is the report of its model, or nil. With a
// report, the flags include the algorithms, and omit options that had no effect on the model; see
// [api.ModelReport.EffectiveTraining].
func RaceFlags(job *api.Training, r *api.ModelReport) string {
	if r != nil {
		applied := r.EffectiveTraining(*job)
		job = &applied
	}
	var flags []string
	add := func(format string, args ...any) { flags = append(flags, fmt.Sprintf(format, args...)) }
	if job.Metric != "" && job.Metric != api.MetricAccuracy {
		add("--metric %s", term.ShellQuote(job.Metric))
	}
	if job.TargetPerformance != nil {
		add("--threshold %g", *job.TargetPerformance)
	}
	if job.ScalingFactor > 0 {
		add("--scaling-factor %d", job.ScalingFactor)
	}
	if job.GroupColumn != "" {
		add("--group %s", term.ShellQuote(job.GroupColumn))
	}
	if job.TimeColumn != "" {
		add("--time %s", term.ShellQuote(job.TimeColumn))
	}
	if job.Effort != "" {
		add("--effort %s", job.Effort)
	}
	if !job.ClassWeights.IsZero() {
		add("--class-weight %s", term.ShellQuote(job.ClassWeights.String()))
	}
	for _, pair := range job.Monotone.Pairs() {
		add("--monotone %s", term.ShellQuote(pair))
	}
	if limit := job.TimeLimitSeconds; limit > 0 && limit != api.DefaultTimeLimitSeconds {
		add("--time-limit %s", formatLimit(limit))
	}
	if r == nil {
		if job.Seed != nil {
			add("--seed %d", *job.Seed)
		}
		return strings.Join(flags, " ")
	}
	add("--seed %d", r.Seed)
	var names []string
	for _, a := range r.Algorithms {
		names = append(names, a.Algorithm)
	}
	return strings.Join(flags, " ") + algorithmFlag(names)
}

// formatLimit formats a time limit as a flag: 90s, 5m, 2h.
func formatLimit(seconds int) string {
	switch {
	case seconds%3600 == 0:
		return fmt.Sprintf("%dh", seconds/3600)
	case seconds%60 == 0:
		return fmt.Sprintf("%dm", seconds/60)
	}
	return fmt.Sprintf("%ds", seconds)
}
