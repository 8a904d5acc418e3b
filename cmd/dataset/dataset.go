// Package dataset implements the command datasets and its subcommands: datasets list, get, create,
// upload, wait and delete.
package dataset

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/cmd/crud"
	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
)

// datasetListFields are the fields that `datasets list` prints, and datasetItemFields the fields that other
// commands print for a single dataset.
var (
	datasetListFields = []string{"datasetKey", "datasetName", "status", "bytes", "numberOfBuckets", "createdOn"}
	datasetItemFields = []string{
		"datasetKey", "datasetName", "series", "description", "status", "failureReason",
		"numberOfBuckets", "rows", "bytes", "sha256", "createdOn", "updatedOn",
	}
)

// NewDatasetsCmd returns the command datasets.
func NewDatasetsCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "datasets", Aliases: []string{"dataset"},
		Short: "Manage datasets",
		Long: `A dataset is a table with a label. It is PENDING until its CSV is uploaded,
PROCESSING while the service prepares it, and then COMPLETED or FAILED.

REF selects a dataset. It has one of these forms:

  KEY    the key of the dataset, or at least its first 6 characters
  NAME   the name of the dataset
  @last  the newest dataset

The datasets of the series NAME are called NAME, NAME-2, NAME-3 and so on. NAME selects
the newest dataset of the series, except for ` + "`foretell datasets delete`" + `, which deletes the
dataset called NAME.`,
	}
	cmd.AddCommand(
		newDatasetsListCmd(f), newDatasetsGetCmd(f), newDatasetsCreateCmd(f),
		newDatasetsUploadCmd(f), newDatasetsWaitCmd(f), newDatasetsDeleteCmd(f),
	)
	return cmd
}

type datasetsListOptions struct {
	service connect.ServiceFlags
	output  cli.Output
	list    cli.ListFlags

	state     string
	withModel bool
}

func newDatasetsListCmd(f *cli.Factory) *cobra.Command {
	opts := &datasetsListOptions{service: connect.ServiceFlags{NoJobs: true, ReadOnly: true}}
	cmd := &cobra.Command{
		Use: "list", Short: "List datasets, newest first", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[api.DatasetEntry]())
	opts.output.EmptyHint = cli.FirstRunHint
	opts.list.Bind(cmd)
	cmd.Flags().StringVar(&opts.state, "state", "", "list only datasets in this state: PENDING, PROCESSING, COMPLETED or FAILED")
	cli.SetFlagCompletions(cmd, "state", api.DatasetPending, api.DatasetProcessing, api.DatasetCompleted, api.DatasetFailed)
	cmd.Flags().BoolVar(&opts.withModel, "with-model", false, "list only datasets that have a model")
	return cmd
}

func (o *datasetsListOptions) run(ctx context.Context) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	o.output.Filtered = o.state != "" || o.withModel
	in := api.ListDatasetsInput{State: o.state, WithModelOnly: o.withModel}
	datasets, err := connect.CollectLimit(client.AllDatasets(ctx, session.Client, in), o.list.Limit)
	if err != nil {
		return err
	}
	return cli.PrintList(&o.output, datasets, datasetListFields...)
}

func newDatasetsGetCmd(f *cli.Factory) *cobra.Command {
	return crud.NewRequestCmd(f, crud.RequestCommand[*api.Dataset]{
		Use: "get REF", Short: "Show a dataset with its columns and classes", Resource: crud.Datasets,
		Fetch: func(ctx context.Context, c *client.Client, key string) (*api.Dataset, error) {
			return client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: key})
		},
		Print: printDataset,
	})
}

// printDataset prints a dataset, followed by tables of its columns and classes.
func printDataset(o *cli.Output, d *api.Dataset) error {
	if err := cli.PrintItem(o, d, datasetItemFields...); err != nil || o.JSON || o.Quiet || len(o.Fields) > 0 {
		return err
	}
	if len(d.Columns) > 0 {
		fmt.Fprintln(o.Factory.Console.Out)
		if err := cli.PrintList(o, d.Columns, "name", "kind", "missing", "distinct"); err != nil {
			return err
		}
	}
	if len(d.Classes) > 0 {
		fmt.Fprintln(o.Factory.Console.Out)
		return cli.PrintList(o, d.Classes, "label", "rows")
	}
	return nil
}

func newDatasetsWaitCmd(f *cli.Factory) *cobra.Command {
	return crud.NewWaitCmd(f, crud.WaitCommand[*api.Dataset]{
		Short: "Wait until a dataset is prepared", Resource: crud.Datasets, Await: (*connect.Session).AwaitDataset, Print: printDataset,
	})
}

func newDatasetsDeleteCmd(f *cli.Factory) *cobra.Command {
	return crud.NewDeleteCmd(f, crud.DeleteCommand{
		Short: "Delete a dataset with its races, models and predictions", Resource: crud.DatasetsByExactName, Column: "datasetKey",
		Question: func(ctx context.Context, c *client.Client, key string) (string, error) {
			d, err := client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: key})
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("Delete dataset %s (%s) with its races, models and predictions?", d.DatasetName, key), nil
		},
		Remove: func(ctx context.Context, c *client.Client, key string) (crud.Deleted, error) {
			_, err := client.Call(ctx, c, api.DeleteDataset, &api.DatasetInput{DatasetKey: key})
			return crud.Deleted{DatasetKey: key}, err
		},
	})
}
