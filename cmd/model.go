package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/htmlreport"
	"foretell/internal/report"
	"foretell/internal/term"
)

var (
	modelColumns = []string{"modelKey", "series", "seriesVersion", "algorithm", "achievedPerformance", "testPerformance", "champion", "createdOn"}
	modelMembers = []string{
		"modelKey", "series", "seriesVersion", "version", "algorithm", "metric", "achievedPerformance", "testPerformance", "champion",
		"datasetKey", "trainingJobKey", "createdOn",
	}
)

func newModelsCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "models", Aliases: []string{"model"},
		Short: "Manage trained models",
		Long: `REF is a model's key, its first 6 or more characters, NAME or NAME@champion for the
best model of the series NAME, NAME@v3 for its third model, or @last for the newest
one.

A series has all models of one name, and numbers them across its datasets. Its
champion is the model with the highest validation performance. Only models that were
trained for the same metric as the newest one count. The name of a single dataset
refers only to the models of this dataset.`,
	}
	cmd.AddCommand(newModelsListCmd(f), newModelsGetCmd(f), newModelsReportCmd(f), newModelsDiffCmd(f), newModelsExportCmd(f), newModelsDeleteCmd(f))
	return cmd
}

type modelsListOptions struct {
	service connect.ServiceFlags
	output  cli.Output
	list    cli.ListFlags
}

func newModelsListCmd(f *cli.Factory) *cobra.Command {
	opts := &modelsListOptions{service: connect.ServiceFlags{Idle: true}}
	cmd := &cobra.Command{
		Use: "list [DATASET]", Short: "List models, newest first within a series", Args: cli.PositionalArgs("[DATASET]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[client.SeriesModel]())
	opts.output.EmptyHint = cli.FirstRunHint
	opts.list.Bind(cmd)
	cmd.ValidArgsFunction = opts.service.CompleteReference(connect.ListDatasetRefs)
	return cmd
}

func (o *modelsListOptions) run(ctx context.Context, args []string) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	models := session.AllModels(ctx)
	if len(args) > 0 {
		series, err := session.FindSeries(ctx, args[0])
		if err != nil {
			return err
		}
		models = session.Models(ctx, []client.Series{*series})
	}
	rows, err := connect.CollectLimit(models, o.list.Limit)
	if err != nil {
		return err
	}
	return cli.PrintList(&o.output, rows, modelColumns...)
}

func newModelsGetCmd(f *cli.Factory) *cobra.Command {
	return newGetCmd(f, getCommand[*api.Model]{
		use: "get REF", short: "Show a model", resource: modelResource, hasRequirements: true,
		fetch: func(ctx context.Context, c *client.Client, key string) (*api.Model, error) {
			return client.Call(ctx, c, api.GetModel, &api.ModelInput{ModelKey: key})
		},
		print: func(o *cli.Output, m *api.Model) error { return cli.PrintItem(o, m, modelMembers...) },
	})
}

func newModelsReportCmd(f *cli.Factory) *cobra.Command {
	htmlFile := ""
	return newGetCmd(f, getCommand[*api.ModelReport]{
		use: "report REF", short: "Show a model's scores and feature importances", resource: modelResource, hasRequirements: true,
		fetch: func(ctx context.Context, c *client.Client, key string) (*api.ModelReport, error) {
			return client.Call(ctx, c, api.GetModelReport, &api.ModelInput{ModelKey: key})
		},
		bind: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&htmlFile, "html", "", "write the report with its curves as one HTML `FILE` to read or print anywhere; - is standard output")
			_ = cmd.MarkFlagFilename("html", "html") // the flag is there
		},
		save: func(ctx context.Context, session *connect.Session, key string) (bool, error) {
			if htmlFile == "" {
				return false, nil
			}
			return true, saveReport(ctx, f, session, key, htmlFile)
		},
		print: printReport,
	})
}

// saveReport writes the report of a model as HTML to a file, or to standard output if path is
// "-".
func saveReport(ctx context.Context, f *cli.Factory, session *connect.Session, key, path string) error {
	document, err := htmlreport.Load(ctx, session.Client, key)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return htmlreport.Write(w, document, f.Now) }
	if path == "-" {
		return write(f.Console.Out)
	}
	if err := cli.WriteFileAtomic(path, write); err != nil {
		return exit.Errorf(exit.Unexpected, "cannot write the report to %s: %w", path, err).WithHint("choose another file with --html")
	}
	f.Note("the report is in %s", path)
	return nil
}

// reportWidth is the maximum width of a report.
const reportWidth = 80

// printReport prints a report as text, or its fields if requested.
func printReport(o *cli.Output, r *api.ModelReport) error {
	if o.JSON || o.Quiet || len(o.Fields) > 0 {
		return cli.PrintItem(o, r, "modelKey")
	}
	console, width := o.Factory.Console, reportWidth
	if console.OutTerminal {
		width = min(width, console.OutWidth())
	}
	var text bytes.Buffer
	if err := report.WriteText(&text, r, width); err != nil {
		return err
	}
	fitted := term.EscapeLines(text.String())
	if console.OutTerminal {
		fitted = term.WrapLines(fitted, console.OutWidth())
	}
	_, err := fmt.Fprint(console.Out, fitted)
	return err
}

func newModelsDeleteCmd(f *cli.Factory) *cobra.Command {
	return newDeleteCmd(f, deleteCommand{
		short: "Delete a model and its predictions", resource: modelResource, column: "modelKey",
		question: func(_ context.Context, _ *client.Client, key string) (string, error) {
			return fmt.Sprintf("Delete model %s with its predictions?", key), nil
		},
		remove: func(ctx context.Context, c *client.Client, key string) (deleted, error) {
			_, err := client.Call(ctx, c, api.DeleteModel, &api.ModelInput{ModelKey: key})
			return deleted{ModelKey: key}, err
		},
	})
}
