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
	wait   waitFlags
	output output
	layout layoutFlags
	host   *factory

	description string
	buckets     int
}

func newDatasetsCreateCmd(f *factory) *cobra.Command {
	opts := &datasetsCreateOptions{host: f}
	cmd := &cobra.Command{
		Use: "create NAME [FILE]...", Short: "Create a dataset, and upload its table if FILE is named",
		Args: positionalArgs("NAME", "[FILE]..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.wait.bind(cmd, f)
	opts.output.bindItem(cmd, f, resultType[api.Dataset]())
	opts.layout.bind(cmd)
	cmd.Flags().StringVar(&opts.description, "description", "", "plain text of 3 to 150 characters")
	cmd.Flags().IntVar(&opts.buckets, "buckets", 0, "bins of a numeric column for the bucketed algorithm, 4 to 100; 0 uses the service's default")
	return cmd
}

func (o *datasetsCreateOptions) run(ctx context.Context, args []string) error {
	ctx, session, done, err := o.wait.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	var file *upload
	if len(args) > 1 {
		if file, err = o.layout.prepareUpload(ctx, &o.output, session.progress, args[1:]...); err != nil {
			return err
		}
		defer file.in.Close()
	}
	body := datasetRequest(args[0], o.description, o.buckets)
	created, err := client.Call(ctx, session.Client, api.CreateDataset, &api.CreateDatasetInput{Body: body})
	if err != nil {
		return err
	}
	if file != nil {
		if err := session.upload(ctx, created, file); err != nil {
			return err
		}
		if !o.wait.noWait {
			dataset, err := session.awaitDataset(ctx, created.DatasetKey)
			if err != nil {
				return err
			}
			return printItem(&o.output, dataset, datasetMembers...)
		}
	}
	dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: created.DatasetKey})
	if err != nil {
		return err
	}
	return printItem(&o.output, dataset, datasetMembers...)
}

// datasetRequest returns the request for a dataset; zero values use the service's
// defaults.
func datasetRequest(name, description string, buckets int) api.NewDataset {
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
	wait   waitFlags
	output output
	layout layoutFlags
	host   *factory
}

func newDatasetsUploadCmd(f *factory) *cobra.Command {
	opts := &datasetsUploadOptions{host: f}
	cmd := &cobra.Command{
		Use: "upload REF FILE...", Short: "Upload the table of a PENDING dataset", Args: positionalArgs("REF", "FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1:]) },
	}
	opts.wait.bind(cmd, f)
	opts.output.bindItem(cmd, f, resultType[api.Dataset]())
	opts.layout.bind(cmd)
	cmd.ValidArgsFunction = opts.wait.completeReference(datasetNames)
	return cmd
}

func (o *datasetsUploadOptions) run(ctx context.Context, ref string, paths []string) error {
	ctx, session, done, err := o.wait.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.datasetKey(ctx, ref)
	if err != nil {
		return err
	}
	file, err := o.layout.prepareUpload(ctx, &o.output, session.progress, paths...)
	if err != nil {
		return err
	}
	defer file.in.Close()
	dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return err
	}
	created := &api.CreatedDataset{DatasetKey: key}
	if dataset.DatasetUploadInfo != nil { // else the client adds the data, which has a smaller limit
		created.DatasetUploadInfo = *dataset.DatasetUploadInfo
	}
	if err := session.upload(ctx, created, file); err != nil {
		return err
	}
	if o.wait.noWait {
		dataset, err = client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	} else {
		dataset, err = session.awaitDataset(ctx, key)
	}
	if err != nil {
		return err
	}
	return printItem(&o.output, dataset, datasetMembers...)
}

// upload is a checked file to be sent to a dataset.
type upload struct {
	in   *input
	size int64 // of its plain form
}

// uploadTexts is the memory for texts, in bytes, if only defects are of interest.
const uploadTexts = 3 << 20

// prepareUpload checks a training file before it is sent.
func (s *layoutFlags) prepareUpload(ctx context.Context, o *output, progress *term.Progress, paths ...string) (*upload, error) {
	in, err := s.openInput(ctx, o.host, false, paths...)
	if err != nil {
		return nil, err
	}
	p := &preflight{host: o.host, train: in, textMemory: uploadTexts}
	if err = p.run(ctx, progress); err == nil {
		p.noteRoles(o)
		err = p.defectError()
	}
	if err == nil {
		err = p.confirmManyClasses(ctx)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return &upload{in: in, size: p.trainProfile.Bytes}, nil
}

// upload sends the file. The dataset stays PENDING until all of it has arrived.
func (c *session) upload(ctx context.Context, created *api.CreatedDataset, file *upload) error {
	meter := c.progress.Bytes("uploading "+file.in.name, file.size)
	_, err := c.Upload(ctx, created, file.in.uploadSource(ctx, file.size), meter.Set)
	meter.Done()
	if err == nil {
		return nil
	}
	again := fmt.Sprintf("foretell datasets upload %s %s", created.DatasetKey, file.in.shellArguments(""))
	if c.continueRun != nil {
		again += " && " + c.continueRun("")
	}
	var interrupted *interruptError
	if errors.As(context.Cause(ctx), &interrupted) {
		e := &cliError{exit: interrupted.exit(), fact: "interrupted while uploading: the dataset is still PENDING", cause: err}
		return e.withHint("continue with `%s`", again)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return exitErrorf(ExitStillRunning, "the upload did not finish before --timeout: the dataset is still PENDING").
			withHint("restart it with `%s`", again)
	}
	err = fileRejected(ctx, file.in.name, err)
	e := asCLIError(ctx, err)
	if e.exit == ExitUnavailable {
		e = e.withHint("the dataset is still PENDING; restart the upload with `%s`", again)
	}
	return e
}
