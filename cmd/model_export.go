package cmd

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"foretell/internal/learn"
)

type modelsExportOptions struct {
	waiter waiter
	output output
	target target
}

func newModelsExportCmd(h *host) *cobra.Command {
	opts := &modelsExportOptions{waiter: waiter{connector: connector{idle: true}}}
	cmd := &cobra.Command{
		Use: "export REF", Short: "Write the file of a model, checked",
		Long: `Downloads the file of a model as the service keeps it, checks it by the sum at its
end, and gives it its name. The path is printed.`,
		Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.waiter.connector.bind(cmd, h)
	opts.waiter.bindProgress(cmd)
	opts.output.bindItem(cmd, h, prints[exportDocument]())
	opts.target = target{host: h, content: "the model itself", noReceipt: true}
	cmd.Flags().StringVarP(&opts.target.path, "output", "o", "", "`file` for the model, - for standard output (default KEY.model, of the key's first 8)")
	cmd.Flags().BoolVar(&opts.target.force, "force", false, "replace the output file if it exists")
	cmd.ValidArgsFunction = opts.waiter.complete(modelNames)
	return cmd
}

func (o *modelsExportOptions) run(ctx context.Context, ref string) error {
	if err := o.target.check(&o.output); err != nil {
		return err
	}
	if o.target.toStdout() && o.target.host.console.OutTerminal {
		return usage("a model is no text: a terminal cannot show it").advise("name a file with -o, or pipe it to where it goes")
	}
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := walk.modelKey(ctx, ref)
	if err != nil {
		return err
	}
	if o.target.path == "" {
		o.target.path = key[:shortKey] + ".model"
	}
	if err := o.target.free(); err != nil {
		return err
	}
	written := exportDocument{Path: o.target.path, ModelKey: key}
	again := "foretell models export " + key + " -o " + quote(o.target.path)
	err = o.target.receive(ctx, arrival{
		progress: walk.progress, standIn: "model", again: again,
		get: func(w io.Writer) (n int64, err error) {
			written.Bytes, err = walk.DownloadModel(ctx, key, w)
			return written.Bytes, err
		},
		check: func(part string) error { return wholeModel(part, again) },
		land:  landAlone,
	})
	switch {
	case err != nil || o.target.toStdout():
		return err
	case o.output.json || len(o.output.fields) > 0:
		return item(&o.output, &written, "path")
	}
	return o.output.line(written.Path)
}

// exportDocument is what is printed of a model that was written.
type exportDocument struct {
	Path     string `json:"path"`
	Bytes    int64  `json:"bytes"`
	ModelKey string `json:"modelKey"`
}

// wholeModel proves a model file by its own sum; again is the command that gets
// it once more.
func wholeModel(path, again string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := learn.VerifyModel(file, info.Size()); err != nil {
		return fail(ExitUntrusted, "what arrived is no model: %w", err).advise("nothing was written; try again with `%s`", again)
	}
	return nil
}
