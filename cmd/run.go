package cmd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/gate"
	"foretell/internal/term"
)

type runOptions struct {
	waiter waiter
	racer  racer
	output output
	shaper shaper
	target target
	gate   gater
	host   *host

	blind   string
	name    string
	buckets int
	planned bool
}

func newRunCmd(h *host) *cobra.Command {
	opts := &runOptions{host: h}
	cmd := &cobra.Command{
		Use:   "run TRAIN [--blind BLIND]",
		Short: "Learn from a CSV and predict another: the whole path",
		Long: `Checks both files, creates a dataset, uploads it, races the algorithms, predicts
the blind file, and writes the verified result. Its path is printed, or the
model's key if there is no blind file.

Without --threshold the best model wins, with --threshold auto the best that
can be climbed to on a service whose races need a threshold: one race after the
other for a quarter less error, until one misses or --time-limit is up.

A race that misses an explicit --threshold, or a model that misses a --require
or does not --beat another, still predicts, and exits with status 10. The
champion of --beat is that of the newest dataset that an earlier run made of a
file of this name.

With --time-limit the race ends so early, by up to a twentieth of the limit, that
there is time to predict.

With --plan it races on a few samples of TRAIN instead, on this machine whatever
service is configured, and forecasts from their learning curve what the race on
all rows will give, and from their time how long it will take. Nothing is sent,
nothing is kept.`,
		Example: `  foretell run train.csv --blind blind.csv
  foretell run train.csv --blind blind.csv --threshold 0.9 -o out.csv
  foretell run train.csv --blind blind.csv --require 'rocAuc>=0.9' --require 'recall[yes]>=0.8' --beat champion
  foretell run train.csv --plan
  foretell run sales.tsv.gz --id order --label churned --blind new.tsv.gz`,
		Args: takes("TRAIN"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.waiter.bindWait(cmd, h)
	opts.racer.bind(cmd)
	opts.output.bindItem(cmd, h, prints[runDocument](), prints[planDocument]())
	opts.shaper.bind(cmd)
	opts.target.bind(cmd, h)
	opts.gate.bind(cmd, &opts.waiter.connector)
	cmd.Flags().StringVar(&opts.blind, "blind", "", "blind `FILE` to predict")
	cmd.Flags().StringVar(&opts.name, "name", "", "name of the dataset (default the file's)")
	cmd.Flags().IntVar(&opts.buckets, "buckets", 0, "bins of a numeric column for the bucketed algorithm, 4 to 100; 0 leaves it to the service")
	cmd.Flags().BoolVar(&opts.planned, "plan", false, "only rehearse on samples, on this machine, and forecast the result and the time")
	for _, name := range planless {
		cmd.MarkFlagsMutuallyExclusive("plan", name)
	}
	return cmd
}

func (o *runOptions) run(ctx context.Context, train string) error {
	began := o.host.now()
	body, err := o.racer.request()
	if err != nil {
		return err
	}
	if err := cmp.Or(o.target.check(&o.output), o.gate.read()); err != nil {
		return err
	}
	ctx, progress, cancel, err := o.waiter.start(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	files, err := o.open(train)
	if err != nil {
		return err
	}
	defer files.Close()
	if err := files.run(ctx, progress); err != nil {
		return err
	}
	files.warn(&o.output)
	if err := files.verdict(); err != nil {
		return err
	}
	if err := cmp.Or(o.racer.fits(len(files.trained.Classes)), o.gate.fits(files.labels())); err != nil {
		return err
	}
	if o.planned {
		return o.plan(ctx, files, progress, body)
	}
	found, err := o.witness(ctx, files)
	if err != nil {
		return err
	}
	conn, err := o.waiter.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	j := &journey{runOptions: o, walk: &walk{conn, progress}, files: files, found: found, began: began}
	if err := o.gate.seekEarlier(ctx, conn, cmp.Or(o.name, files.train.stem()), files.trained); err != nil {
		return err
	}
	if err := j.learn(ctx, body); err != nil {
		return err
	}
	if files.blind != nil {
		if err := j.answer(ctx); err != nil {
			return err
		}
	}
	if j.verdicts, err = o.gate.judge(ctx, conn, j.job.ModelKey); err != nil {
		return err
	}
	if !o.output.quiet {
		j.summarize(ctx, o.host.now().Sub(began))
	}
	if err := j.print(); err != nil {
		return err
	}
	return o.gate.publish(&o.output, j.verdicts, o.racer.verdict(j.job))
}

// open opens the files and settles where the result goes, before any work.
func (o *runOptions) open(train string) (*preflight, error) {
	files := &preflight{}
	if err := oneStdin(train, o.blind); err != nil {
		return nil, err
	}
	var err error
	if files.train, err = o.shaper.input(o.host, train, false); err != nil {
		return nil, err
	}
	if o.blind == "" {
		if o.target.path != "" {
			files.Close()
			return nil, usage("--output without --blind: there is nothing to predict").advise("name the file to predict with --blind")
		}
		return files, nil
	}
	if files.blind, err = o.shaper.input(o.host, o.blind, true); err == nil {
		err = o.target.settle(files.blind, files.train)
	}
	if err != nil {
		files.Close()
		return nil, err
	}
	return files, nil
}

// witness notes what goes in, for the receipt, before it is sent: a file may
// change while a race goes on.
func (o *runOptions) witness(ctx context.Context, files *preflight) (found evidence, err error) {
	if files.blind == nil || o.target.receiptPath() == "" {
		return found, nil
	}
	found.options = o.shaper.options()
	if found.train, err = files.train.witness(ctx, files.trained.Rows); err != nil {
		return found, err
	}
	found.blind, err = files.blind.witness(ctx, files.rows.Rows)
	return found, err
}

// journey is one run on its way.
type journey struct {
	*runOptions
	*walk
	files *preflight
	found evidence
	began time.Time

	table  *api.Dataset
	job    *api.Training
	stairs []stair // of --threshold auto
	model  *api.Model
	result resultDocument
	// verdicts is nil if nothing is required.
	verdicts *gate.Result
}

// learn takes the training file to a model.
func (j *journey) learn(ctx context.Context, body api.NewTraining) error {
	created, err := j.create(ctx)
	if err != nil {
		return err
	}
	train := &upload{in: j.files.train, size: j.files.trained.Bytes}
	if err := j.upload(ctx, created, train); err != nil {
		return err
	}
	if j.table, err = j.dataset(ctx, created.DatasetKey); err != nil {
		return err
	}
	if err := j.compete(ctx, body); err != nil {
		return err
	}
	j.model, err = client.Call(ctx, j.Client, api.GetModel, &api.ModelInput{ModelKey: j.job.ModelKey})
	return err
}

// compete lets the algorithms race on the dataset, or climb.
func (j *journey) compete(ctx context.Context, body api.NewTraining) error {
	if j.racer.climbs {
		var classes []int
		for _, class := range j.files.trained.Classes {
			classes = append(classes, class.Rows)
		}
		c := &climb{walk: j.walk, output: &j.output, body: body, floor: floorOf(body.Metric, classes)}
		job, err := c.up(ctx, j.table)
		j.job, j.stairs = job, c.stairs
		return err
	}
	if limit := body.TimeLimitSeconds; limit != nil {
		seconds := raceSeconds(*limit, j.host.now().Sub(j.began))
		body.TimeLimitSeconds = &seconds
	}
	race, err := client.Call(ctx, j.Client, api.CreateTraining, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: j.table.DatasetKey}, Body: body,
	})
	if err != nil {
		return err
	}
	j.job, err = j.race(ctx, race.TrainingJobKey)
	return err
}

// raceSeconds is how much of a time limit the race gets: what was spent before
// it and a second for predictions come off, so that the command as a whole keeps
// the limit, but never more than a twentieth, rounded up. A slow upload costs no
// quality.
func raceSeconds(limit int, spent time.Duration) int {
	off := int(math.Ceil(spent.Seconds())) + 1
	return max(1, limit-min(off, (limit+19)/20))
}

// create makes the dataset, by the name that was given or a free one. Another
// run may take a free name first, so that it is looked for again.
func (j *journey) create(ctx context.Context) (*api.CreatedDataset, error) {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		name := j.name
		if name == "" {
			var err error
			if name, err = freeName(ctx, j.connection, j.files.train.stem()); err != nil {
				return nil, err
			}
		}
		created, err := client.Call(ctx, j.Client, api.CreateDataset, &api.CreateDatasetInput{
			Body: newDataset(name, "", j.buckets),
		})
		if err == nil || j.name != "" || attempt == attempts || api.CodeOf(err) != api.CodeNameTaken {
			return created, err
		}
	}
}

// answer takes the blind file to a verified result.
func (j *journey) answer(ctx context.Context) error {
	blind := &upload{in: j.files.blind, size: j.files.rows.Bytes}
	created, err := j.predict(ctx, j.job.ModelKey, blind)
	if err != nil {
		return err
	}
	prediction, err := j.prediction(ctx, created.PredictionKey, j.target.later(created.PredictionKey, j.files.blind))
	if err != nil {
		return err
	}
	j.result = resultDocument{
		Path: j.target.path, PredictionKey: created.PredictionKey, ModelKey: j.job.ModelKey, Receipt: j.target.receiptPath(),
	}
	j.found.classes = j.files.labels()
	j.found.prediction, j.found.rows = prediction, &j.result.Rows
	return j.target.fetch(ctx, download{j.walk, j.found, j.files.blind.proof(ctx, j.found.classes, j.found.rows)})
}

// summarize tells a person how it went.
func (j *journey) summarize(ctx context.Context, took time.Duration) {
	w, style := j.host.console.Err, j.host.console.ErrStyle
	// What a blend is made of and how many rows the figures come from tells the
	// report, which is an extension: another deployment may have none.
	report, err := client.Call(ctx, j.Client, api.GetModelReport, &api.ModelInput{ModelKey: j.job.ModelKey})
	if err != nil {
		report = &api.ModelReport{}
	}
	winner := style.Bold(term.Escape(cmp.Or(j.model.Algorithm, "the best model")))
	fmt.Fprintf(w, "%s %s in %s\n", winner, wins(j.job), term.Duration(took))
	if len(report.Blend) > 0 {
		fmt.Fprintf(w, "  %-10s %s\n", "made of", term.Escape(report.Shares()))
	}
	figure := func(name string, value *float64, rows int64) {
		switch {
		case value == nil && report.Rows == 0: // nothing is known of it
		case value != nil && rows > 0:
			fmt.Fprintf(w, "  %-10s %s %.4f on %s\n", name, j.job.Metric, *value, plural(int(rows), "row"))
		case report.Rows > 0:
			fmt.Fprintf(w, "  %-10s not measured: too few rows, or no time\n", name)
		default:
			fmt.Fprintf(w, "  %-10s %s %.4f\n", name, j.job.Metric, *value)
		}
	}
	figure("validation", j.job.AchievedPerformance, report.ValidationRows)
	figure("test", j.job.TestPerformance, report.TestRows)
	if j.result.Rows > 0 {
		fmt.Fprintf(w, "  %s, verified\n", plural(j.result.Rows, "prediction"))
	}
}

// wins says in words how the race was decided.
func wins(job *api.Training) string {
	switch {
	case job.Status == api.TrainingCompleted && named(job.TargetPerformance):
		return fmt.Sprintf("reached %g", job.TargetPerformance)
	case job.Status == api.TrainingTimedOut:
		return "was best at the time limit"
	}
	return "won"
}

// runDocument is what run prints as JSON.
type runDocument struct {
	DatasetKey          string   `json:"datasetKey"`
	DatasetName         string   `json:"datasetName"`
	TrainingJobKey      string   `json:"trainingJobKey"`
	Status              string   `json:"status"`
	Metric              string   `json:"metric"`
	TargetPerformance   float64  `json:"targetPerformance"`
	AchievedPerformance *float64 `json:"achievedPerformance"`
	TestPerformance     *float64 `json:"testPerformance"`
	TrainingPerformance *float64 `json:"trainingPerformance"`
	Algorithm           string   `json:"algorithm,omitempty"`
	ModelKey            string   `json:"modelKey"`
	PredictionKey       string   `json:"predictionKey,omitempty"`
	Rows                int      `json:"rows,omitempty"`
	Path                string   `json:"path,omitempty"`
	Receipt             string   `json:"receipt,omitempty"`

	Requirements []gate.Verdict `json:"requirements,omitempty"`
	Stairs       []stair        `json:"stairs,omitempty"`
}

// print gives the path of the predictions, or the model's key without any.
func (j *journey) print() error {
	if j.target.toStdout() {
		return nil
	}
	doc := runDocument{
		DatasetKey: j.table.DatasetKey, DatasetName: j.table.DatasetName,
		TrainingJobKey: j.job.TrainingJobKey, Status: j.job.Status, Metric: j.job.Metric,
		TargetPerformance: j.job.TargetPerformance, AchievedPerformance: j.job.AchievedPerformance,
		TestPerformance: j.job.TestPerformance, TrainingPerformance: j.job.TrainingPerformance,
		Algorithm: j.model.Algorithm, ModelKey: j.job.ModelKey,
		PredictionKey: j.result.PredictionKey, Rows: j.result.Rows, Path: j.result.Path, Receipt: j.result.Receipt, Stairs: j.stairs,
	}
	if j.verdicts != nil {
		doc.Requirements = j.verdicts.Verdicts
	}
	switch {
	case j.output.json || len(j.output.fields) > 0:
		return item(&j.output, doc, "path")
	case j.files.blind == nil:
		return j.output.line(doc.ModelKey)
	}
	return j.output.line(doc.Path)
}
