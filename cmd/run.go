package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/cmd/dataset"
	"foretell/cmd/prediction"
	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/download"
	"foretell/internal/exit"
	"foretell/internal/gate"
	"foretell/internal/preflight"
	"foretell/internal/race"
	"foretell/internal/requirement"
)

type runOptions struct {
	wait     connect.WaitFlags
	training race.Flags
	output   cli.Output
	layout   preflight.LayoutFlags
	target   download.OutputFile
	gate     requirement.Flags
	factory  *cli.Factory

	blind    []string
	name     string
	buckets  int
	planOnly bool
	resume   string // the race to resume; "" starts a new one
	unnoted  bool   // whether the last check has findings that were not printed yet; see noteFindings
}

func newRunCmd(f *cli.Factory) *cobra.Command {
	opts := &runOptions{factory: f}
	cmd := &cobra.Command{
		Use: "run TRAIN... [--blind BLIND]...", Short: "Train on a table and predict another",
		Long: `Checks both files, creates a dataset, uploads the training file, trains several
algorithms (a race), predicts the blind file, and writes the verified result. Prints
the path of the result or, without a blind file, the key of the model. --effort fast
takes a fraction of the time and makes a slightly worse model. --effort best takes up to
three times as long, and makes a better model of some large tables.

Without --threshold, the model is a blend of the algorithms. --threshold auto is for a
service whose races require a threshold. The command then runs one race after another.
Each threshold allows at most three quarters of the error of the previous race. The search
ends when a race misses its threshold, or when the time of --time-limit is over.

On a terminal, Enter ends the race. The command then predicts with the best model so far,
verifies the result, and ends with exit status 0. With the embedded service, the first
Ctrl-C has the same effect. With a server, Ctrl-C leaves the race running, and prints the
command that later predicts with its model.

If a race misses --threshold, or its model misses --require or --beat, the exit status
is 10, but the result is still written. It never replaces an existing OUT.csv: with
--force, it is written to OUT.rejected.csv instead. If all test rows are of one class,
as can happen with --time, only a requirement on a recall can be met.

--beat champion compares the model with the champion of earlier runs of this name. The
model misses --beat if its label, columns, classes, metric, class weights, --group or
--time differ from those of the champion. A model that meets --beat becomes the champion.
A model that misses --require or --beat is rejected, so it cannot be the champion.
--threshold does not affect the choice of the champion.

` + runSeriesHelp + `Models are numbered across the datasets of a series. With --with, other commands select
a model: NAME@v3 is the third model of the series NAME. NAME is the champion, which is
the best model on the newest training file; see ` + "`foretell models --help`" + `.

--time-limit applies to the whole command, from reading the files to the verified
result, and includes the time in the queue. The race ends early enough for the
prediction to end within the limit.

If the command is interrupted or reaches --timeout, it prints the command that continues
it: the same command with --resume and the key of the race. With --resume, the command
checks that TRAIN is the data of the race, waits for the race, and predicts.

Without a server, a signal such as SIGTERM stops the race, and --resume predicts with its
best model so far. If the process that ran the race ended in another way, for example
because of SIGKILL or --timeout, --resume starts the race over with the same parameters and
time limit. --time-limit cannot be changed. Omit the other flags of the race, or repeat
them with the same values.

--plan forecasts the result and the duration of the race on all rows. The forecast is
made from races on two samples of TRAIN, which needs at least 2,000 rows. These races run
on this machine, and take at most 8 seconds in addition to reading TRAIN. No data is sent
or kept.`,
		Example: `  foretell run train.csv --blind blind.csv
  foretell run train.csv --blind blind.csv --threshold 0.9 -o out.csv
  foretell run train.csv --blind blind.csv --require 'rocAuc>=0.9' --require 'recall[yes]>=0.8' --beat champion
  foretell run train.csv --plan
  foretell run sales.tsv.gz --id order --label churned --blind new.tsv.gz`,
		Args: cli.PositionalArgs("TRAIN..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.wait.BindWait(cmd, f)
	opts.training.Bind(cmd)
	opts.output.BindItem(cmd, f, cli.ResultType[runDocument](), cli.ResultType[race.Plan]())
	opts.layout.Bind(cmd, preflight.BothFilesRoles)
	opts.layout.BindTrainingRoles(cmd)
	opts.target.Bind(cmd, f)
	opts.target.BindExplain(cmd)
	opts.gate.Bind(cmd, &opts.wait.ServiceFlags)
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE` to predict; if repeated, the files are joined into one table")
	cmd.Flags().StringVar(&opts.name, "name", "", fmt.Sprintf("`name` of the series of datasets and models, %d to %d characters (default the name of the training file; if this series has other columns, the name of the folder is added)", api.MinNameLength, api.MaxNameLength))
	cmd.Flags().IntVar(&opts.buckets, "buckets", 0, fmt.Sprintf("number of bins of a numeric column, %d to %d; 0 uses the default of the service", api.MinBuckets, api.MaxBuckets))
	cmd.Flags().BoolVar(&opts.planOnly, "plan", false, "forecast the result and the duration from races on samples, on this machine")
	cmd.Flags().StringVar(&opts.resume, "resume", "", "continue the `race` that an interrupted run has started on TRAIN")
	markPlanConflicts(cmd)
	return cmd
}

func (o *runOptions) run(ctx context.Context, train []string) error {
	began := o.factory.Now()
	body, err := o.training.Request()
	if err != nil {
		return err
	}
	if err := o.checkFlags(); err != nil {
		return err
	}
	ctx, progress, cancel, err := o.wait.StartProgress(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	limit := o.training.Deadline(o.factory.Now, began)
	prepCtx, stop := limit.PreparationContext(ctx)
	defer stop()
	files, err := o.openInputs(prepCtx, train)
	if err != nil {
		return limit.TranslateError(prepCtx, nil, err)
	}
	defer files.Close()
	session, former, err := o.checkAndConnect(ctx, prepCtx, progress, limit, files)
	if err != nil {
		return err
	}
	if o.planOnly {
		return o.plan(ctx, files, progress, body)
	}
	defer session.Close()
	o.warnIfIncomparable(former, files, &body)
	found, err := o.hashInputs(prepCtx, files)
	if err != nil {
		return limit.TranslateError(prepCtx, nil, err)
	}
	p := &runPipeline{runOptions: o, Session: session, files: files, provenance: found, limit: limit, cost: o.estimateCost(files, limit)}
	if !files.Train.IsSpooled() && (files.Blind == nil || !files.Blind.IsSpooled()) {
		p.RunCommand = p.resumeCommand
	} else if files.Blind != nil {
		p.PredictCommand = func(model string) string { return o.target.PredictCommand(files.Blind, model) }
	}
	if err := p.train(ctx, prepCtx, body); err != nil {
		return limit.TranslateError(ctx, p.job, err)
	}
	if err := p.evaluate(ctx); err != nil { // before the prediction, which may fail
		return exit.WithContinueCommand(ctx, err, p.continueCommand())
	}
	kept := ""
	if files.Blind != nil {
		if p.gateReport.NumMissed() > 0 || o.training.ThresholdError(p.job) != nil {
			kept = p.keepExistingOutput()
		}
		if err := p.predict(ctx); err != nil {
			return err
		}
	}
	if !o.output.Quiet {
		p.printSummary(ctx, o.factory.Now().Sub(began))
		p.printNextCommands()
	}
	if err := p.print(); err != nil {
		return err
	}
	return p.addKeptOutputHint(kept, o.gate.Publish(ctx, &o.output, p.gateReport, o.training.ThresholdError(p.job)))
}

// checkFlags returns a usage error for an invalid flag, before any file is read.
func (o *runOptions) checkFlags() error {
	if o.name != "" && !client.IsDatasetName(o.name) {
		return exit.Usagef("invalid --name %q: must have %d to %d characters", o.name, api.MinNameLength, api.MaxNameLength)
	}
	if strings.HasPrefix(o.name, "-") {
		return exit.Usagef("invalid --name %q: must not begin with a dash, because commands would read the name as a flag", o.name)
	}
	if o.resume != "" && o.training.TimeLimit != 0 {
		return exit.Usagef("--time-limit has no effect with --resume: the race keeps its time limit").WithHint("omit the flag and run `%s`", o.factory.CommandWith("time-limit", ""))
	}
	return cmp.Or(dataset.CheckBuckets(o.buckets), o.target.CheckStdout(&o.output), o.target.CheckExtension(), o.target.CheckReasons(), o.gate.Parse())
}

// estimateCost returns an estimator of how long the command will take after its race. The estimator
// uses only what is known before the race.
func (o *runOptions) estimateCost(files *preflight.Preflight, limit race.Deadline) race.CostEstimator {
	return race.CostEstimator{
		CheckTime: files.BlindCheckTime, TrainBytes: files.TrainProfile.Bytes, Columns: len(files.TrainProfile.Columns), Limit: limit.Limit,
	}
}

// openInputs opens the files and resolves the output path.
func (o *runOptions) openInputs(ctx context.Context, train []string) (*preflight.Preflight, error) {
	files := &preflight.Preflight{Factory: o.factory}
	if err := preflight.CheckOneStdin(append(slices.Clone(train), o.blind...)...); err != nil {
		return nil, err
	}
	var err error
	if files.Train, err = o.layout.OpenInput(ctx, o.factory, false, train...); err != nil {
		return nil, err
	}
	inputs := files.Train.Paths
	if len(o.blind) == 0 {
		err = o.checkBlindFlags()
	} else if files.Blind, err = o.layout.OpenInput(ctx, o.factory, true, o.blind...); err == nil {
		inputs = slices.Concat(inputs, files.Blind.Paths)
		if err = o.target.ResolvePath(files.Blind, files.Train); err == nil && (o.gate.IsSet() || o.training.Threshold != nil) {
			err = o.target.CheckMayWriteRejected(files.Train, files.Blind)
		}
	}
	if err == nil {
		err = o.gate.CheckJUnitFile(o.target.WrittenPaths(), inputs...)
	}
	if err != nil {
		files.Close()
		return nil, err
	}
	return files, nil
}

// checkBlindFlags returns a usage error for a flag that has no effect without --blind.
func (o *runOptions) checkBlindFlags() error {
	flag := ""
	switch {
	case o.target.Path != "":
		flag = "--output"
	case o.target.Reasons > 0:
		flag = "--explain"
	case o.target.Columns != nil:
		flag = "--columns"
	case o.target.NoReceipt:
		flag = "--no-receipt"
	case o.target.Force && !o.wait.Cmd.Flags().Changed("junit"):
		flag = "--force"
	default:
		return nil
	}
	return exit.Usagef("%s has no effect without --blind: there is nothing to predict", flag).WithHint("add --blind FILE with the file to predict")
}

// hashInputs computes the digests of the inputs for the receipt. It is called before the race,
// because a file may change during a race.
func (o *runOptions) hashInputs(ctx context.Context, files *preflight.Preflight) (provenance download.Provenance, err error) {
	if files.Blind == nil || o.target.ReceiptPath() == "" {
		return provenance, nil
	}
	provenance.Options, provenance.Warnings = files.ReceiptOptions(&o.layout), files.ReceiptWarnings()
	if provenance.Train, err = files.Train.ReceiptInput(ctx, files.TrainProfile.Rows); err != nil {
		return provenance, err
	}
	provenance.Blind, err = files.Blind.ReceiptInput(ctx, files.BlindProfile.Rows)
	return provenance, err
}

// runPipeline is the state of one run.
type runPipeline struct {
	*runOptions
	*connect.Session
	files      *preflight.Preflight
	provenance download.Provenance
	limit      race.Deadline
	cost       race.CostEstimator

	// seriesStem is the name of the series if --name is not given; see chooseSeriesStem.
	seriesStem string
	dataset    *api.Dataset
	job        *api.Training
	steps      []race.SearchStep // the races of --threshold auto
	model      *api.Model
	result     prediction.Result
	// gateReport is nil if there are no requirements.
	gateReport *gate.Report
}

// train starts a race or resumes one, waits for its model, and finds the baseline of --beat. prepCtx
// is the context of everything before the race; it ends at the time limit.
func (p *runPipeline) train(ctx, prepCtx context.Context, body api.NewTraining) error {
	if p.resume != "" {
		return p.resumeTraining(ctx, &body)
	}
	return p.trainNew(ctx, prepCtx, body)
}

// evaluate reads the model of the race, checks it against the requirements, and lets the results
// decide whether the model can be the champion.
func (p *runPipeline) evaluate(ctx context.Context) (err error) {
	if p.model, err = client.Call(ctx, p.Client, api.GetModel, &api.ModelInput{ModelKey: p.job.ModelKey}); err != nil {
		return err
	}
	if p.gateReport, err = p.gate.Evaluate(ctx, p.Session, p.job.ModelKey); err != nil {
		return err
	}
	return p.applyToChampion(ctx)
}

// trainNew prepares the dataset and runs a race on it. prepCtx is the context of everything before
// the race; it ends at the time limit.
func (p *runPipeline) trainNew(ctx, prepCtx context.Context, body api.NewTraining) error {
	err := p.chooseSeriesStem(ctx)
	if err != nil {
		return err
	}
	series := func(all []client.Series) client.Series { return findRunSeries(all, p.name, p.seriesStem) }
	err = p.gate.SetBaselineForRun(ctx, p.Session, series)
	if err != nil {
		return err
	}
	if p.dataset, err = p.findOrCreateDataset(prepCtx); err != nil {
		return p.limit.TranslateError(prepCtx, nil, err)
	}
	return p.runRace(ctx, body)
}

// runRace runs a race on the dataset or, for --threshold auto, several races with increasing
// thresholds.
func (p *runPipeline) runRace(ctx context.Context, body api.NewTraining) error {
	if p.files.Blind != nil {
		p.cost.BlindBytes, p.cost.Rows = p.files.BlindProfile.Bytes, p.files.BlindProfile.Rows
	}
	if p.training.AutoThreshold {
		var classes []int
		for _, class := range p.files.TrainProfile.Classes {
			classes = append(classes, class.Rows)
		}
		c := &race.ThresholdSearch{Session: p.Session, Output: &p.output, Body: body, First: race.FirstThreshold(body.Metric, classes), Deadline: p.limit, Reserve: p.cost.AfterRace()}
		job, err := c.Run(ctx, p.dataset)
		p.job, p.steps = job, c.Steps
		return err
	}
	if err := p.limit.LimitRace(&body, p.cost.AfterRace(), p.HasExtensions(p.dataset)); err != nil {
		return err
	}
	race, err := p.StartRace(ctx, &api.CreateTrainingInput{DatasetInput: api.DatasetInput{DatasetKey: p.dataset.DatasetKey}, Body: body})
	if err != nil {
		return err
	}
	p.job, err = p.AwaitModel(ctx, race.TrainingJobKey)
	return err
}
