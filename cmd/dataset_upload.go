package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/term"
)

type datasetsCreateOptions struct {
	waiter waiter
	output output
	shaper shaper
	host   *host

	description string
	buckets     int
}

func newDatasetsCreateCmd(h *host) *cobra.Command {
	opts := &datasetsCreateOptions{host: h}
	cmd := &cobra.Command{
		Use: "create NAME [FILE]...", Short: "Create a dataset, and upload its table if one is named",
		Args: takes("NAME", "[FILE]..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.waiter.bind(cmd, h)
	opts.output.bindItem(cmd, h, prints[api.Dataset]())
	opts.shaper.bind(cmd)
	cmd.Flags().StringVar(&opts.description, "description", "", "plain text of 3 to 150 characters")
	cmd.Flags().IntVar(&opts.buckets, "buckets", 0, "bins of a numeric column for the bucketed algorithm, 4 to 100; 0 leaves it to the service")
	return cmd
}

func (o *datasetsCreateOptions) run(ctx context.Context, args []string) error {
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	var file *upload
	if len(args) > 1 {
		if file, err = o.shaper.upload(ctx, &o.output, walk.progress, args[1:]...); err != nil {
			return err
		}
		defer file.in.Close()
	}
	body := newDataset(args[0], o.description, o.buckets)
	created, err := client.Call(ctx, walk.Client, api.CreateDataset, &api.CreateDatasetInput{Body: body})
	if err != nil {
		return err
	}
	if file != nil {
		if err := walk.upload(ctx, created, file); err != nil {
			return err
		}
		if !o.waiter.noWait {
			dataset, err := walk.dataset(ctx, created.DatasetKey)
			if err != nil {
				return err
			}
			return item(&o.output, dataset, datasetMembers...)
		}
	}
	dataset, err := client.Call(ctx, walk.Client, api.GetDataset, &api.DatasetInput{DatasetKey: created.DatasetKey})
	if err != nil {
		return err
	}
	return item(&o.output, dataset, datasetMembers...)
}

// newDataset is the request for a dataset; zero values leave things to the
// service.
func newDataset(name, description string, buckets int) api.NewDataset {
	body := api.NewDataset{DatasetName: name}
	if description != "" {
		body.Description = &description
	}
	if buckets != 0 {
		body.NumberOfBuckets = &buckets
	}
	return body
}

type datasetsUploadOptions struct {
	waiter waiter
	output output
	shaper shaper
	host   *host
}

func newDatasetsUploadCmd(h *host) *cobra.Command {
	opts := &datasetsUploadOptions{host: h}
	cmd := &cobra.Command{
		Use: "upload REF FILE...", Short: "Upload the table of a PENDING dataset", Args: takes("REF", "FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1:]) },
	}
	opts.waiter.bind(cmd, h)
	opts.output.bindItem(cmd, h, prints[api.Dataset]())
	opts.shaper.bind(cmd)
	cmd.ValidArgsFunction = opts.waiter.complete(datasetNames)
	return cmd
}

func (o *datasetsUploadOptions) run(ctx context.Context, ref string, paths []string) error {
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := walk.datasetKey(ctx, ref)
	if err != nil {
		return err
	}
	file, err := o.shaper.upload(ctx, &o.output, walk.progress, paths...)
	if err != nil {
		return err
	}
	defer file.in.Close()
	dataset, err := client.Call(ctx, walk.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return err
	}
	created := &api.CreatedDataset{DatasetKey: key}
	if dataset.DatasetUploadInfo != nil { // else the client adds the data, which has a smaller limit
		created.DatasetUploadInfo = *dataset.DatasetUploadInfo
	}
	if err := walk.upload(ctx, created, file); err != nil {
		return err
	}
	if o.waiter.noWait {
		dataset, err = client.Call(ctx, walk.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	} else {
		dataset, err = walk.dataset(ctx, key)
	}
	if err != nil {
		return err
	}
	return item(&o.output, dataset, datasetMembers...)
}

// upload is a checked file on its way to a dataset.
type upload struct {
	in   *input
	size int64 // of its plain form
}

// uploadTexts is the memory for texts where nothing but defects is looked for.
const uploadTexts = 3 << 20

// upload checks a training file before it is sent.
func (s *shaper) upload(ctx context.Context, o *output, progress *term.Progress, paths ...string) (*upload, error) {
	in, err := s.input(ctx, o.host, false, paths...)
	if err != nil {
		return nil, err
	}
	p := &preflight{host: o.host, train: in, textMemory: uploadTexts}
	if err = p.run(ctx, progress); err == nil {
		p.tell(o)
		err = p.verdict()
	}
	if err == nil {
		err = p.confirm(ctx)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return &upload{in: in, size: p.trained.Bytes}, nil
}

// upload sends the file. Until all of it has arrived the dataset stays PENDING.
func (w *walk) upload(ctx context.Context, created *api.CreatedDataset, file *upload) error {
	meter := w.progress.Bytes("uploading "+file.in.name, file.size)
	_, err := w.Upload(ctx, created, file.in.source(ctx, file.size), meter.Set)
	meter.Done()
	if err == nil {
		return nil
	}
	again := fmt.Sprintf("foretell datasets upload %s %s", created.DatasetKey, file.in.arguments(""))
	if w.onward != nil {
		again += " && " + w.onward("")
	}
	var stopped *interruption
	if errors.As(context.Cause(ctx), &stopped) {
		f := &failure{exit: stopped.exit(), fact: "interrupted while uploading: the dataset is still PENDING", cause: err}
		return f.advise("go on with `%s`", again)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fail(ExitStillRunning, "the upload was not done after --timeout: the dataset is still PENDING").
			advise("start it again with `%s`", again)
	}
	err = rejected(ctx, file.in.name, err)
	f := explain(ctx, err)
	if f.exit == ExitUnavailable {
		f = f.advise("the dataset is still PENDING; start again with `%s`", again)
	}
	return f
}
