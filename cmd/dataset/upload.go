package dataset

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/preflight"
	"foretell/internal/term"
)

type datasetsCreateOptions struct {
	wait    connect.WaitFlags
	output  cli.Output
	layout  preflight.LayoutFlags
	factory *cli.Factory

	description string
	buckets     int
}

func newDatasetsCreateCmd(f *cli.Factory) *cobra.Command {
	opts := &datasetsCreateOptions{factory: f}
	cmd := &cobra.Command{
		Use: "create NAME [FILE]...", Short: "Create a dataset, and upload its table if FILE is named",
		Args: cli.PositionalArgs("NAME", "[FILE]..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.wait.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[api.Dataset]())
	opts.layout.Bind(cmd, preflight.TrainingRoles)
	cmd.Flags().StringVar(&opts.description, "description", "", fmt.Sprintf("`text` that describes the dataset, %d to %d characters", api.MinDescriptionLength, api.MaxDescriptionLength))
	cmd.Flags().IntVar(&opts.buckets, "buckets", 0, fmt.Sprintf("number of bins of a numeric column, %d to %d; 0 uses the default of the service", api.MinBuckets, api.MaxBuckets))
	return cmd
}

func (o *datasetsCreateOptions) run(ctx context.Context, args []string) error {
	if !client.IsDatasetName(args[0]) {
		return exit.Usagef("invalid NAME %q: must have %d to %d characters", args[0], api.MinNameLength, api.MaxNameLength)
	}
	if n := utf8.RuneCountInString(o.description); o.description != "" && (n < api.MinDescriptionLength || n > api.MaxDescriptionLength) {
		return exit.Usagef("invalid --description: must have %d to %d characters, got %d", api.MinDescriptionLength, api.MaxDescriptionLength, n)
	}
	if err := CheckBuckets(o.buckets); err != nil {
		return err
	}
	if len(args) == 1 {
		if err := cmp.Or(o.factory.CheckReadingFlags("FILE"), o.factory.CheckFlagsWithout("FILE", "no-wait")); err != nil {
			return err
		}
	}
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	var file *preflight.Upload
	if len(args) > 1 {
		if file, err = o.layout.PrepareUpload(ctx, &o.output, session.Progress, args[1:]...); err != nil {
			return err
		}
		defer file.In.Close()
		file.IsNew = true
	}
	body := preflight.DatasetRequest(args[0], o.description, o.buckets)
	if file != nil {
		body.FileName = file.In.UploadName(ctx, file.Size)
	}
	created, err := session.CreateDataset(ctx, &api.CreateDatasetInput{Body: body})
	if api.CodeFromError(err) == api.CodeNameTaken && file != nil { // the dataset was created by an earlier command, or by a proxy that has sent the request twice
		return exit.FromError(ctx, err).WithHint("choose another name; but if `foretell datasets list` shows this dataset as PENDING, an earlier upload was interrupted: continue this upload with `%s`",
			term.Command("datasets upload", "", args...))
	}
	if err != nil {
		return err
	}
	if file != nil {
		if err := preflight.UploadFile(ctx, session, created, file); err != nil {
			return err
		}
		if !o.wait.NoWait {
			dataset, err := session.AwaitDataset(ctx, created.DatasetKey)
			if err != nil {
				return preflight.DeleteIfOverQuota(ctx, session, created.DatasetKey, err)
			}
			return cli.PrintItem(&o.output, dataset, datasetItemFields...)
		}
	}
	if _, err := os.Stat(args[0]); err == nil && file == nil {
		name := term.ShellQuote(args[0])
		o.output.Note("%s was taken as the name of the dataset, not as its file, so the dataset is empty; upload the file with `foretell datasets upload %s %s`", name, created.DatasetKey, name)
	}
	dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: created.DatasetKey})
	if err != nil {
		return err
	}
	return cli.PrintItem(&o.output, dataset, datasetItemFields...)
}

// CheckBuckets returns a usage error unless buckets is 0, which means the default of the service,
// or within the limits of [api.NewDataset].
func CheckBuckets(buckets int) error {
	if buckets != 0 && (buckets < api.MinBuckets || buckets > api.MaxBuckets) {
		return exit.Usagef("invalid --buckets %d: must be between %d and %d, or 0 for the default of the service", buckets, api.MinBuckets, api.MaxBuckets)
	}
	return nil
}

type datasetsUploadOptions struct {
	wait    connect.WaitFlags
	output  cli.Output
	layout  preflight.LayoutFlags
	factory *cli.Factory
}

func newDatasetsUploadCmd(f *cli.Factory) *cobra.Command {
	opts := &datasetsUploadOptions{factory: f}
	cmd := &cobra.Command{
		Use: "upload REF FILE...", Short: "Upload the table of a PENDING dataset", Args: cli.PositionalArgs("REF", "FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1:]) },
	}
	opts.wait.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[api.Dataset]())
	opts.layout.Bind(cmd, preflight.TrainingRoles)
	cmd.ValidArgsFunction = opts.wait.CompleteReference(connect.ListDatasetRefs)
	return cmd
}

func (o *datasetsUploadOptions) run(ctx context.Context, ref string, paths []string) error {
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.DatasetKey(ctx, ref)
	if err != nil {
		return err
	}
	file, err := o.layout.PrepareUpload(ctx, &o.output, session.Progress, paths...)
	if err != nil {
		return err
	}
	defer file.In.Close()
	dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return err
	}
	created := &api.CreatedDataset{DatasetKey: key}
	if dataset.DatasetUploadInfo != nil { // without it, the file is sent with AddData, which accepts at most 32 MB
		created.DatasetUploadInfo = *dataset.DatasetUploadInfo
	}
	if err := preflight.UploadFile(ctx, session, created, file); err != nil {
		return err
	}
	if o.wait.NoWait {
		dataset, err = client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	} else {
		dataset, err = session.AwaitDataset(ctx, key)
	}
	if err != nil {
		return err
	}
	return cli.PrintItem(&o.output, dataset, datasetItemFields...)
}
