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
	wait     waitFlags
	training trainFlags
	output   output
	layout   layoutFlags
	target   outputFile
	gate     requirementFlags
	host     *factory

	blind    []string
	name     string
	buckets  int
	planOnly bool
	resume   string // the race to go on with; "" starts one
}

func newRunCmd(f *factory) *cobra.Command {
	opts := &runOptions{host: f}
	cmd := &cobra.Command{
		Use:   "run TRAIN... [--blind BLIND]...",
		Short: "Train on a table and predict another",
		Long: `Checks both files, creates a dataset, uploads it, races the algorithms, predicts
the blind file and writes the verified result. Its path is printed, or the
model's key if there is no blind file.

Without --threshold the best model wins. --threshold auto is for a service whose
races need a threshold: it runs one race after the other, each with a quarter less
error, until one misses its threshold or --time-limit ends.

A race that misses --threshold still predicts, and so does a model that misses a
--require or does not --beat another. The exit status is then 10. --beat champion
compares with the best model of earlier runs of this name that raced for the same
metric on the same columns and classes.

Runs of one name form a series. The name defaults to that of the file. Data that
the series already has is not uploaded again; its dataset gets the next model.
Other data, or other --buckets, create the next dataset: NAME, NAME-2, NAME-3 …
NAME@v3 is the third model of the series, NAME its champion.

--time-limit applies to the whole command, from reading the files to the verified
result: the race ends early enough to predict, and time in the queue counts.

A run that is interrupted, or that --timeout ends, prints the command that continues
it: the same one with --resume and the key of its race. It checks that TRAIN is the
data of the race, waits for the race, or starts it again if its process has ended,
and predicts. The parameters and the time limit of the race do not change.

--plan races on two samples of TRAIN instead, always on this machine. From them it
forecasts the result and the duration of the race on all rows. The samples take at
most 8 seconds, besides reading TRAIN; if one is stopped, only a lower bound of the
duration is forecast. Nothing is sent, and nothing is kept.`,
		Example: `  foretell run train.csv --blind blind.csv
  foretell run train.csv --blind blind.csv --threshold 0.9 -o out.csv
  foretell run train.csv --blind blind.csv --require 'rocAuc>=0.9' --require 'recall[yes]>=0.8' --beat champion
  foretell run train.csv --plan
  foretell run sales.tsv.gz --id order --label churned --blind new.tsv.gz`,
		Args: positionalArgs("TRAIN..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.wait.bindWait(cmd, f)
	opts.training.bind(cmd)
	opts.output.bindItem(cmd, f, resultType[runDocument](), resultType[planDocument]())
	opts.layout.bind(cmd)
	opts.target.bind(cmd, f)
	opts.gate.bind(cmd, &opts.wait.serviceFlags)
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE` to predict; several are joined")
	cmd.Flags().StringVar(&opts.name, "name", "", "`name` of the series of datasets and models (default the file's)")
	cmd.Flags().IntVar(&opts.buckets, "buckets", 0, "bins of a numeric column for the bucketed algorithm, 4 to 100; 0 uses the service's default")
	cmd.Flags().BoolVar(&opts.planOnly, "plan", false, "only race on samples, on this machine, and forecast the result and the duration")
	cmd.Flags().StringVar(&opts.resume, "resume", "", "continue this `race`, which an interrupted run started on TRAIN")
	for _, name := range planConflicts {
		cmd.MarkFlagsMutuallyExclusive("plan", name)
	}
	return cmd
}

func (o *runOptions) run(ctx context.Context, train []string) error {
	began := o.host.now()
	body, err := o.training.request()
	if err != nil {
		return err
	}
	if err := cmp.Or(o.target.checkStdout(&o.output), o.gate.parse()); err != nil {
		return err
	}
	ctx, progress, cancel, err := o.wait.start(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	limit := o.training.deadline(o.host.now, began)
	if o.resume != "" { // the race has its own
		limit.limit = 0
	}
	before, stop := limit.prepContext(ctx)
	defer stop()
	files, err := o.openInputs(before, train)
	if err != nil {
		return limit.explain(before, nil, err)
	}
	defer files.Close()
	files.train.hash = sha256.New()
	if err := files.run(before, progress); err != nil {
		return limit.explain(before, nil, err)
	}
	cost := costEstimate{checking: files.blindTime, trained: files.trainProfile.Bytes, columns: len(files.trainProfile.Columns), limit: limit.limit}
	files.noteRoles(&o.output)
	files.noteWarnings(&o.output)
	if err := files.defectError(); err != nil {
		return err
	}
	if err := files.confirmManyClasses(ctx); err != nil {
		return err
	}
	if err := cmp.Or(o.training.checkAlgorithms(len(files.trainProfile.Classes)), o.gate.checkClasses(files.classLabels())); err != nil {
		return err
	}
	if files.blindProfile != nil {
		if err := o.target.columns.check(files.blindProfile, files.classLabels()); err != nil {
			return err
		}
	}
	if o.planOnly {
		return o.plan(ctx, files, progress, body)
	}
	found, err := o.hashInputs(before, files)
	if err != nil {
		return limit.explain(before, nil, err)
	}
	session, err := o.wait.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	session.progress = progress
	p := &runPipeline{runOptions: o, session: session, files: files, provenance: found, limit: limit, cost: cost}
	if !files.train.isSpooled() && (files.blind == nil || !files.blind.isSpooled()) {
		p.continueRun = p.resumeWith
	}
	if err := p.train(ctx, before, body); err != nil {
		return limit.explain(before, p.job, err)
	}
	if files.blind != nil {
		if err := p.predict(ctx); err != nil {
			return err
		}
	}
	if p.gateReport, err = o.gate.evaluate(ctx, session, p.job.ModelKey); err != nil {
		return err
	}
	if !o.output.quiet {
		p.summarize(ctx, o.host.now().Sub(began))
		p.suggestNext()
	}
	if err := p.print(); err != nil {
		return err
	}
	return o.gate.publish(&o.output, p.gateReport, o.training.thresholdError(p.job))
}

// openInputs opens the files and resolves the output path, before any work.
func (o *runOptions) openInputs(ctx context.Context, train []string) (*preflight, error) {
	files := &preflight{host: o.host}
	if err := checkOneStdin(append(slices.Clone(train), o.blind...)...); err != nil {
		return nil, err
	}
	var err error
	if files.train, err = o.layout.openInput(ctx, o.host, false, train...); err != nil {
		return nil, err
	}
	if len(o.blind) == 0 {
		if o.target.path != "" {
			files.Close()
			return nil, usageErrorf("--output without --blind: there is nothing to predict").withHint("name the file to predict with --blind")
		}
		return files, nil
	}
	if files.blind, err = o.layout.openInput(ctx, o.host, true, o.blind...); err == nil {
		err = o.target.resolvePath(files.blind, files.train)
	}
	if err != nil {
		files.Close()
		return nil, err
	}
	return files, nil
}

// hashInputs digests the inputs for the receipt before they are sent, because a file may
// change during a race.
func (o *runOptions) hashInputs(ctx context.Context, files *preflight) (found provenance, err error) {
	if files.blind == nil || o.target.receiptPath() == "" {
		return found, nil
	}
	found.options = files.readOptions(&o.layout)
	if found.train, err = files.train.hashInput(ctx, files.trainProfile.Rows); err != nil {
		return found, err
	}
	found.blind, err = files.blind.hashInput(ctx, files.blindProfile.Rows)
	return found, err
}

// runPipeline is the state of one run.
type runPipeline struct {
	*runOptions
	*session
	files      *preflight
	provenance provenance
	limit      deadline
	cost       costEstimate

	dataset *api.Dataset
	job     *api.Training
	steps   []searchStep // of --threshold auto
	model   *api.Model
	result  resultDocument
	// gateReport is nil if there are no requirements.
	gateReport *gate.Report
}

// train trains a model, or resumes a race, and finds the baseline. before is the context
// for everything before the race; it ends with the time limit.
func (p *runPipeline) train(ctx, before context.Context, body api.NewTraining) error {
	var err error
	if p.resume != "" {
		err = p.resumeTraining(ctx)
	} else {
		err = p.trainNew(ctx, before, body)
	}
	if err != nil {
		return err
	}
	p.model, err = client.Call(ctx, p.Client, api.GetModel, &api.ModelInput{ModelKey: p.job.ModelKey})
	return err
}

// trainNew prepares the dataset and races on it.
func (p *runPipeline) trainNew(ctx, before context.Context, body api.NewTraining) error {
	err := p.gate.findBaselineForRun(ctx, p.session, cmp.Or(p.name, p.files.train.stem()), cmp.Or(body.Metric, api.MetricAccuracy), p.files.trainProfile)
	if err != nil {
		return err
	}
	if p.dataset, err = p.ensureDataset(before); err != nil {
		return err
	}
	return p.race(ctx, body)
}

// race races on the dataset, or searches for a threshold.
func (p *runPipeline) race(ctx context.Context, body api.NewTraining) error {
	if p.files.blind != nil {
		p.cost.blind, p.cost.rows = p.files.blindProfile.Bytes, p.files.blindProfile.Rows
	}
	if p.training.autoThreshold {
		var classes []int
		for _, class := range p.files.trainProfile.Classes {
			classes = append(classes, class.Rows)
		}
		c := &thresholdSearch{session: p.session, output: &p.output, body: body, first: firstThreshold(body.Metric, classes), deadline: p.limit, reserve: p.cost.afterRace()}
		job, err := c.run(ctx, p.dataset)
		p.job, p.steps = job, c.steps
		return err
	}
	if err := p.limit.limitRace(&body, p.cost.afterRace(), p.hasExtensions(p.dataset)); err != nil {
		return err
	}
	race, err := p.CreateTraining(ctx, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: p.dataset.DatasetKey}, Body: body,
	})
	if err != nil {
		return err
	}
	p.job, err = p.awaitModel(ctx, race.TrainingJobKey)
	return err
}

// predict predicts the blind file and downloads the verified result.
func (p *runPipeline) predict(ctx context.Context) error {
	blind := &upload{in: p.files.blind, size: p.files.blindProfile.Bytes}
	created, err := p.submitPrediction(ctx, p.job.ModelKey, blind)
	if err != nil {
		return err
	}
	again := p.target.resumeCommand(created.PredictionKey, p.files.blind)
	if p.gate.isSet() && p.continueRun != nil { // to download it would not judge the model
		again = p.continueRun(p.job.TrainingJobKey)
	}
	prediction, err := p.awaitPrediction(ctx, created.PredictionKey, again)
	if err != nil {
		return err
	}
	p.result = resultDocument{
		Path: p.target.path, PredictionKey: created.PredictionKey, ModelKey: p.job.ModelKey, Receipt: p.target.receiptPath(),
	}
	p.provenance.classes = p.files.classLabels()
	p.provenance.prediction, p.provenance.rows = prediction, &p.result.Rows
	known := blindLabel{column: findLabel(p.files.blindProfile, p.files.trainProfile.Schema.Label, nil), classes: p.provenance.classes}
	proof := known.scoreAfter(ctx, p.files.blind.resultVerifier(ctx, p.provenance.classes, p.provenance.rows))
	if err := p.target.download(ctx, resultDownload{p.session, p.provenance, proof}); err != nil {
		return err
	}
	known.noteScore(&p.output)
	p.result.Scores = known.score
	return nil
}
