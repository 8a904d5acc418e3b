package cmd

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/leaderboard"
	"foretell/internal/race"
)

type leaderboardOptions struct {
	service connect.ServiceFlags
	output  cli.Output
	list    cli.ListFlags

	metric string
}

func newLeaderboardCmd(f *cli.Factory) *cobra.Command {
	opts := &leaderboardOptions{service: connect.ServiceFlags{NoJobs: true, ReadOnly: true}}
	cmd := &cobra.Command{
		Use: "leaderboard [NAME]", Short: "Rank the models of a series by their test scores",
		Long: `Ranks all models of a series by their scores on the test rows, which no algorithm was
trained on, and shows the 95 % interval of each score. A model gets the rank of the model
above it, marked =, if its interval includes the score of the first model with this rank.
The test rows then do not show which of these two models is better. Other models of the
rank are not compared.

Models of tables with different labels, columns or classes are ranked separately. NAME
defaults to the series that was trained last.

The champion is marked with an asterisk. In a pipe, and with --csv or --tsv, the column
champion marks it. ` + "`foretell predict --with NAME`" + ` uses the champion. It need not be the first
model of the leaderboard, because it is chosen by the scores on the validation rows; see
` + "`foretell models --help`" + `.

Models with other data, or another --seed, --group or --time, are tested on other rows.
The sets of test rows are then numbered: #1, #2 and so on follow the number of test rows.
In a pipe and in JSON, testSet is the number of the set.

A model without a test score ranks last, and a dash is printed as its score. A model
without an interval shares a rank only with models of the same score.`,
		Example: `  foretell leaderboard
  foretell leaderboard train --metric macroF1
  foretell leaderboard train --csv`,
		Args: cli.PositionalArgs("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[leaderboard.Entry]())
	opts.output.EmptyHint = cli.FirstRunHint
	opts.list.Bind(cmd)
	cmd.Flags().Lookup("limit").Usage = "print at most the `N` best models; 0 prints all"
	cmd.Flags().StringVar(&opts.metric, "metric", "", "rank by this `metric`: "+race.DescribeMetrics()+" (default the metric of the newest race)")
	cli.SetFlagCompletions(cmd, "metric", api.RaceMetrics()...)
	cmd.ValidArgsFunction = opts.service.CompleteReference(connect.ListDatasetRefs)
	return cmd
}

func (o *leaderboardOptions) run(ctx context.Context, args []string) error {
	if o.metric != "" {
		name, err := race.ParseMetric(o.metric)
		if err != nil {
			return err
		}
		o.metric = name
	}
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	models, err := o.findModels(ctx, session, args)
	if err != nil {
		return err
	}
	if o.metric == "" && len(models) > 0 {
		o.metric = connect.NewestModel(models).Metric
	}
	o.metric = cmp.Or(o.metric, api.MetricAccuracy) // also without models, for the name of the column
	rows, err := leaderboard.Load(ctx, session.Client, models, o.metric)
	if err != nil {
		return err
	}
	if err := race.CheckMetricClass(o.metric, leaderboard.ClassLabels(rows)); err != nil {
		return err
	}
	if n := leaderboard.CountTables(rows); n > 1 {
		o.output.Note("the models were trained on %d tables with different labels, columns or classes, so the models of each table are ranked separately", n)
	}
	if n := o.list.Limit; n > 0 {
		rows = rows[:min(uint(len(rows)), n)]
	}
	if o.output.JSON || o.output.Quiet || len(o.output.Fields) > 0 {
		return cli.PrintList(&o.output, rows, "model")
	}
	if o.output.NoteIfEmpty(len(rows)) {
		return nil
	}
	err = o.output.WriteTable(leaderboard.Table(rows, o.metric, o.output.IsAligned()), true)
	if err == nil && o.output.IsAligned() {
		for _, line := range leaderboard.Footnotes(rows) {
			o.output.Note("%s", line)
		}
	}
	return err
}

// findModels returns the models of the series that args[0] refers to or, without arguments, of the
// series that was trained last.
func (o *leaderboardOptions) findModels(ctx context.Context, session *connect.Session, args []string) ([]client.SeriesModel, error) {
	models, err := connect.Collect(session.AllModels(ctx))
	if err != nil {
		return nil, err
	}
	name := ""
	if len(args) > 0 {
		name = args[0]
	} else if len(models) > 0 {
		name = connect.NewestModel(models).Series
		o.output.Note("models of %s", name)
	}
	of := slices.DeleteFunc(models, func(m client.SeriesModel) bool {
		return m.Series != name && m.Series != client.DatasetName(name, 1) && m.DatasetName != name
	})
	if len(of) == 0 && name != "" {
		return nil, exit.Errorf(exit.NotFound, "no model of %q found", name).WithHint("list the models with `foretell models list`")
	}
	return of, nil
}
