package model

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/leaderboard"
	"foretell/internal/term"
)

type modelsDiffOptions struct {
	service connect.ServiceFlags
	output  cli.Output
}

func newModelsDiffCmd(f *cli.Factory) *cobra.Command {
	opts := &modelsDiffOptions{service: connect.ServiceFlags{NoJobs: true, ReadOnly: true}}
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two models: scores with intervals, options, data, importances",
		Long: `Shows two models side by side: their test scores with 95 % intervals, their
training options and data, and, if their races had the same metric and class weights,
the importance of each column. If two intervals overlap, the difference may be due to
chance. To compare two models on the same rows, predict these rows with both models and
compare the results with
` + "`foretell predictions diff A.csv B.csv --answers FILE`" + `.`,
		Example: `  foretell models diff train@v1 train@champion`,
		Args:    cli.PositionalArgs("A", "B"),
		RunE:    func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[leaderboard.Comparison]())
	cmd.ValidArgsFunction = opts.service.CompleteReference(connect.ListModelRefs)
	return cmd
}

func (o *modelsDiffOptions) run(ctx context.Context, refs []string) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	var both [2]*leaderboard.Entry
	for i, ref := range refs {
		key, err := session.ModelKey(ctx, ref)
		if err != nil {
			return err
		}
		if both[i], err = leaderboard.LoadEntryByKey(ctx, session.Client, key); err != nil {
			return err
		}
	}
	if both[0].ModelKey == both[1].ModelKey {
		o.output.Note("%s and %s are the same model", refs[0], refs[1])
	}
	rows := leaderboard.CompareModels(both[0], both[1])
	if o.output.JSON || o.output.Quiet || len(o.output.Fields) > 0 {
		return cli.PrintList(&o.output, rows, "name")
	}
	t := &term.Table{Header: term.TextCells("", both[0].Model, both[1].Model), NoTruncate: true}
	for _, row := range rows {
		if row.Name == "algorithm" {
			row.A, row.B = api.AlgorithmTitle(both[0].Algorithm), api.AlgorithmTitle(both[1].Algorithm)
		}
		t.Rows = append(t.Rows, []term.Cell{{Text: row.Name}, comparisonCell(row.A, row.LowA, row.HighA), comparisonCell(row.B, row.LowB, row.HighB)})
	}
	return o.output.WriteTable(t, true)
}

// comparisonCell formats the value of a property of a model. low and high are the ends of its 95 %
// interval; nil for a property without an interval.
func comparisonCell(v any, low, high *float64) term.Cell {
	switch v := v.(type) {
	case nil:
		return term.Cell{Text: "-"}
	case float64:
		text := strconv.FormatFloat(v, 'f', 4, 64)
		if low != nil && high != nil {
			text += fmt.Sprintf(" (%.4f–%.4f)", *low, *high)
		}
		return term.Cell{Text: text}
	}
	return term.Cell{Text: fmt.Sprint(v)}
}
