package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/gate"
)

type runOptions struct {
	waiter waiter
	racer  racer
	output output
	shaper shaper
	target target
	gate   gater
	host   *host

	blind   []string
	name    string
	buckets int
	planned bool
	resume  string // the race to go on with; "" starts one
}

func newRunCmd(h *host) *cobra.Command {
	opts := &runOptions{host: h}
	cmd := &cobra.Command{
		Use:   "run TRAIN... [--blind BLIND]...",
		Short: "Train on a table and predict another",
		Long: `Checks both files, creates a dataset, uploads it, races the algorithms, predicts
the blind file and writes the verified result. Its path is printed, or the
model's key if there is no blind file.

Without --threshold the best model wins. --threshold auto is for a service whose
races need a threshold: it runs one race after the other, each for a quarter less
error, until one misses its threshold or --time-limit is over.

A race that misses --threshold still predicts, and so does a model that misses a
--require or does not --beat another. The exit status is then 10. --beat champion
means the best model of the earlier runs of this name that raced for the same
metric on the same columns and classes.

Runs of one name form a series. The name defaults to that of the file. Data that
the series already has is not uploaded again; its dataset gets the next model.
Other data, or other --buckets, become the next dataset: NAME, NAME-2, NAME-3 …
NAME@v3 is the third model of the series, and NAME its champion.

--time-limit holds for the whole command, from reading the files to the verified
result: the race ends early enough to predict, and a queue on the service counts.

A run that is interrupted, or that --timeout ends, prints a command that goes on:
the same one with --resume and the key of its race. It checks that TRAIN is the
data of the race, waits for it or starts it again where its process has ended,
and predicts; the parameters and the time limit of the race stay as they were.

--plan races on two samples of TRAIN instead, always on this machine. From them it
forecasts the result of the race on all rows and the time that it will take. The
samples take 8 seconds at most, beside reading TRAIN; where one is stopped, only
the least time is forecast. Nothing is sent, and nothing is kept.`,
		Example: `  foretell run train.csv --blind blind.csv
  foretell run train.csv --blind blind.csv --threshold 0.9 -o out.csv
  foretell run train.csv --blind blind.csv --require 'rocAuc>=0.9' --require 'recall[yes]>=0.8' --beat champion
  foretell run train.csv --plan
  foretell run sales.tsv.gz --id order --label churned --blind new.tsv.gz`,
		Args: takes("TRAIN..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.waiter.bindWait(cmd, h)
	opts.racer.bind(cmd)
	opts.output.bindItem(cmd, h, prints[runDocument](), prints[planDocument]())
	opts.shaper.bind(cmd)
	opts.target.bind(cmd, h)
	opts.gate.bind(cmd, &opts.waiter.connector)
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE` to predict; several make one table")
	cmd.Flags().StringVar(&opts.name, "name", "", "`name` of the series of datasets and models (default the file's)")
	cmd.Flags().IntVar(&opts.buckets, "buckets", 0, "bins of a numeric column for the bucketed algorithm, 4 to 100; 0 leaves it to the service")
	cmd.Flags().BoolVar(&opts.planned, "plan", false, "only race on samples, on this machine, and forecast the result and the time")
	cmd.Flags().StringVar(&opts.resume, "resume", "", "go on with this `race`, which an interrupted run has started on TRAIN")
	for _, name := range planless {
		cmd.MarkFlagsMutuallyExclusive("plan", name)
	}
	return cmd
}

func (o *runOptions) run(ctx context.Context, train []string) error {
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
	limit := o.racer.deadline(o.host.now, began)
	if o.resume != "" { // the race has its own
		limit.limit = 0
	}
	before, stop := limit.before(ctx)
	defer stop()
	files, err := o.open(before, train)
	if err != nil {
		return limit.explain(before, nil, err)
	}
	defer files.Close()
	files.train.hash = sha256.New()
	if err := files.run(before, progress); err != nil {
		return limit.explain(before, nil, err)
	}
	cost := expense{checking: files.blindTime, trained: files.trained.Bytes, columns: len(files.trained.Columns), limit: limit.limit}
	files.tell(&o.output)
	files.warn(&o.output)
	if err := files.verdict(); err != nil {
		return err
	}
	if err := files.confirm(ctx); err != nil {
		return err
	}
	if err := cmp.Or(o.racer.fits(len(files.trained.Classes)), o.gate.fits(files.labels())); err != nil {
		return err
	}
	if files.rows != nil {
		if err := o.target.columns.fit(files.rows, files.labels()); err != nil {
			return err
		}
	}
	if o.planned {
		return o.plan(ctx, files, progress, body)
	}
	found, err := o.witness(before, files)
	if err != nil {
		return limit.explain(before, nil, err)
	}
	conn, err := o.waiter.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	j := &journey{runOptions: o, walk: &walk{connection: conn, progress: progress}, files: files, found: found, limit: limit, cost: cost}
	if !files.train.kept() && (files.blind == nil || !files.blind.kept()) {
		j.onward = j.resumed
	}
	if err := j.learn(ctx, before, body); err != nil {
		return limit.explain(before, j.job, err)
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
		j.propose()
	}
	if err := j.print(); err != nil {
		return err
	}
	return o.gate.publish(&o.output, j.verdicts, o.racer.verdict(j.job))
}

// open opens the files and settles where the result goes, before any work.
func (o *runOptions) open(ctx context.Context, train []string) (*preflight, error) {
	files := &preflight{host: o.host}
	if err := oneStdin(append(slices.Clone(train), o.blind...)...); err != nil {
		return nil, err
	}
	var err error
	if files.train, err = o.shaper.input(ctx, o.host, false, train...); err != nil {
		return nil, err
	}
	if len(o.blind) == 0 {
		if o.target.path != "" {
			files.Close()
			return nil, usage("--output without --blind: there is nothing to predict").advise("name the file to predict with --blind")
		}
		return files, nil
	}
	if files.blind, err = o.shaper.input(ctx, o.host, true, o.blind...); err == nil {
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
	found.options = files.options(&o.shaper)
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
	limit deadline
	cost  expense

	table  *api.Dataset
	job    *api.Training
	stairs []stair // of --threshold auto
	model  *api.Model
	result resultDocument
	// verdicts is nil if nothing is required.
	verdicts *gate.Result
}

// learn takes the training file to a model, and finds the one that it has to beat.
// What precedes the race has the context before, which the time limit ends.
func (j *journey) learn(ctx, before context.Context, body api.NewTraining) error {
	var err error
	if j.resume != "" {
		err = j.goOn(ctx)
	} else {
		err = j.start(ctx, before, body)
	}
	if err != nil {
		return err
	}
	j.model, err = client.Call(ctx, j.Client, api.GetModel, &api.ModelInput{ModelKey: j.job.ModelKey})
	return err
}

// start prepares the dataset and races on it.
func (j *journey) start(ctx, before context.Context, body api.NewTraining) error {
	err := j.gate.seekEarlier(ctx, j.connection, cmp.Or(j.name, j.files.train.stem()), cmp.Or(body.Metric, api.MetricAccuracy), j.files.trained)
	if err != nil {
		return err
	}
	if j.table, err = j.ready(before); err != nil {
		return err
	}
	return j.compete(ctx, body)
}

// compete lets the algorithms race on the dataset, or climb.
func (j *journey) compete(ctx context.Context, body api.NewTraining) error {
	if j.files.blind != nil {
		j.cost.blind, j.cost.rows = j.files.rows.Bytes, j.files.rows.Rows
	}
	if j.racer.climbs {
		var classes []int
		for _, class := range j.files.trained.Classes {
			classes = append(classes, class.Rows)
		}
		c := &climb{walk: j.walk, output: &j.output, body: body, floor: floorOf(body.Metric, classes), limits: j.limit, reserve: j.cost.answer()}
		job, err := c.up(ctx, j.table)
		j.job, j.stairs = job, c.stairs
		return err
	}
	if err := j.limit.race(&body, j.cost.answer(), j.extended(j.table)); err != nil {
		return err
	}
	race, err := j.CreateTraining(ctx, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: j.table.DatasetKey}, Body: body,
	})
	if err != nil {
		return err
	}
	j.job, err = j.race(ctx, race.TrainingJobKey)
	return err
}

// answer takes the blind file to a verified result.
func (j *journey) answer(ctx context.Context) error {
	blind := &upload{in: j.files.blind, size: j.files.rows.Bytes}
	created, err := j.predict(ctx, j.job.ModelKey, blind)
	if err != nil {
		return err
	}
	again := j.target.later(created.PredictionKey, j.files.blind)
	if j.gate.asked() && j.onward != nil { // to download it would not judge the model
		again = j.onward(j.job.TrainingJobKey)
	}
	prediction, err := j.prediction(ctx, created.PredictionKey, again)
	if err != nil {
		return err
	}
	j.result = resultDocument{
		Path: j.target.path, PredictionKey: created.PredictionKey, ModelKey: j.job.ModelKey, Receipt: j.target.receiptPath(),
	}
	j.found.classes = j.files.labels()
	j.found.prediction, j.found.rows = prediction, &j.result.Rows
	known := truth{label: labelOf(j.files.rows, j.files.trained.Schema.Label, nil), classes: j.found.classes}
	proof := known.after(ctx, j.files.blind.proof(ctx, j.found.classes, j.found.rows))
	if err := j.target.fetch(ctx, download{j.walk, j.found, proof}); err != nil {
		return err
	}
	known.tell(&j.output)
	j.result.Scores = known.score
	return nil
}
