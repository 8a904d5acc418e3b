package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

var (
	datasetColumns = []string{"datasetKey", "datasetName", "status", "bytes", "numberOfBuckets", "createdOn"}
	datasetMembers = []string{
		"datasetKey", "datasetName", "series", "description", "status", "failureReason",
		"numberOfBuckets", "rows", "bytes", "sha256", "createdOn", "updatedOn",
	}
)

func newDatasetsCmd(h *host) *cobra.Command {
	cmd := &cobra.Command{
		Use: "datasets", Aliases: []string{"dataset"},
		Short: "Tables to learn from",
		Long: `A dataset is a table with a label. It is PENDING until its CSV is uploaded,
PROCESSING while the service prepares it, and then COMPLETED or FAILED.

REF is a dataset's key, at least 6 characters of it, its name, or @last. The name
of a series of datasets (NAME, NAME-2, NAME-3 …) means its newest one, but for
delete.`,
	}
	cmd.AddCommand(
		newDatasetsListCmd(h), newDatasetsGetCmd(h), newDatasetsCreateCmd(h),
		newDatasetsUploadCmd(h), newDatasetsWaitCmd(h), newDatasetsDeleteCmd(h),
	)
	return cmd
}

type datasetsListOptions struct {
	connector connector
	output    output
	lister    lister

	state     string
	withModel bool
}

func newDatasetsListCmd(h *host) *cobra.Command {
	opts := &datasetsListOptions{connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "list", Short: "List datasets, newest first", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindList(cmd, h, prints[api.DatasetEntry]())
	opts.output.first = firstRun
	opts.lister.bind(cmd)
	cmd.Flags().StringVar(&opts.state, "state", "", "only PENDING, PROCESSING, COMPLETED or FAILED ones")
	choices(cmd, "state", api.DatasetPending, api.DatasetProcessing, api.DatasetCompleted, api.DatasetFailed)
	cmd.Flags().BoolVar(&opts.withModel, "with-model", false, "only those that have a model")
	return cmd
}

func (o *datasetsListOptions) run(ctx context.Context) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	in := api.ListDatasetsInput{State: o.state, WithModelOnly: o.withModel}
	datasets, err := collectSome(client.AllDatasets(ctx, conn.Client, in), o.lister.limit)
	if err != nil {
		return err
	}
	return list(&o.output, datasets, datasetColumns...)
}

func newDatasetsGetCmd(h *host) *cobra.Command {
	return newInquiryCmd(h, inquiry[*api.Dataset]{
		use: "get REF", short: "Show a dataset with its columns and classes", noun: datasetNoun,
		ask: func(ctx context.Context, c *client.Client, key string) (*api.Dataset, error) {
			return client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: key})
		},
		print: printDataset,
	})
}

// printDataset prints a dataset and below it, in tables, its columns and classes.
func printDataset(o *output, d *api.Dataset) error {
	if err := item(o, d, datasetMembers...); err != nil || o.json || o.quiet || len(o.fields) > 0 {
		return err
	}
	if len(d.Columns) > 0 {
		fmt.Fprintln(o.host.console.Out)
		if err := list(o, d.Columns, "name", "kind", "missing", "distinct"); err != nil {
			return err
		}
	}
	if len(d.Classes) > 0 {
		fmt.Fprintln(o.host.console.Out)
		return list(o, d.Classes, "label", "rows")
	}
	return nil
}

type datasetsWaitOptions struct {
	waiter waiter
	output output
}

func newDatasetsWaitCmd(h *host) *cobra.Command {
	opts := &datasetsWaitOptions{}
	cmd := &cobra.Command{
		Use: "wait REF", Short: "Wait until a dataset is prepared", Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.waiter.bindWait(cmd, h)
	opts.output.bindItem(cmd, h, prints[api.Dataset]())
	cmd.ValidArgsFunction = opts.waiter.complete(datasetNames)
	return cmd
}

func (o *datasetsWaitOptions) run(ctx context.Context, ref string) error {
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := walk.datasetKey(ctx, ref)
	if err != nil {
		return err
	}
	dataset, err := walk.dataset(ctx, key)
	if err != nil {
		return err
	}
	return printDataset(&o.output, dataset)
}

func newDatasetsDeleteCmd(h *host) *cobra.Command {
	return newRemovalCmd(h, removal{
		short: "Delete a dataset with its races, models and predictions", noun: oneDatasetNoun, column: "datasetKey",
		question: func(ctx context.Context, c *client.Client, key string) (string, error) {
			d, err := client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: key})
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("Delete dataset %s (%s) with its races, models and predictions?", d.DatasetName, key), nil
		},
		remove: func(ctx context.Context, c *client.Client, key string) (deleted, error) {
			_, err := client.Call(ctx, c, api.DeleteDataset, &api.DatasetInput{DatasetKey: key})
			return deleted{DatasetKey: key}, err
		},
	})
}

// dataset waits until a dataset is prepared. One that FAILED is an error with
// the reason.
func (w *walk) dataset(ctx context.Context, key string) (*api.Dataset, error) {
	if err := w.takeUp(ctx, key); err != nil {
		return nil, err
	}
	phase := w.progress.Phase("the service is preparing the dataset")
	defer phase.Done()
	status, again := "", "foretell datasets wait "+key
	dataset, err := w.WaitDataset(ctx, key, func(d *api.Dataset) {
		if d.SHA256 != "" { // so that a run finds it again
			again = w.further("foretell datasets wait "+key, "")
		}
		if status = d.Status; status == api.DatasetPending {
			phase.Tick("which is still PENDING")
			return
		}
		phase.Tick("")
	})
	switch {
	case err != nil && status == api.DatasetPending && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fail(ExitStillRunning, "dataset %s is still PENDING after --timeout: it has no data yet", key).
			advise("upload its CSV with `foretell datasets upload %s FILE`", key)
	case err != nil:
		return nil, w.left(ctx, err, "dataset", key, again)
	}
	if dataset.Status == api.DatasetFailed {
		f := fail(ExitRejected, "dataset %s was rejected: %s", dataset.DatasetName, dataset.FailureReason)
		return nil, f.advise("mend the file, delete the dataset with `foretell datasets delete %s`, and create it again", key)
	}
	return dataset, nil
}

// finishPreparing goes on with the preparation of a dataset whose process has ended;
// of another it does nothing.
func (w *walk) finishPreparing(ctx context.Context, key string) error {
	if !w.embedded { // a server goes on by itself
		return nil
	}
	d, err := client.Call(ctx, w.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil || d.Status != api.DatasetProcessing || !d.Interrupted {
		return err
	}
	_, err = w.dataset(ctx, key)
	return err
}
