package cmd

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"foretell/internal/learn"
)

type modelsExportOptions struct {
	wait   waitFlags
	output output
	target outputFile
}

func newModelsExportCmd(f *factory) *cobra.Command {
	opts := &modelsExportOptions{wait: waitFlags{serviceFlags: serviceFlags{idle: true}}}
	cmd := &cobra.Command{
		Use: "export REF", Short: "Write the file of a model, checked",
		Long: `Downloads the file of a model as the service keeps it, checks it by the sum at its
end, and gives it its name. The path is printed.`,
		Args: positionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.serviceFlags.bind(cmd, f)
	opts.wait.bindProgress(cmd)
	opts.output.bindItem(cmd, f, resultType[exportDocument]())
	opts.target = outputFile{host: f, content: "the model itself", noReceipt: true}
	cmd.Flags().StringVarP(&opts.target.path, "output", "o", "", "`file` for the model, - for standard output (default KEY.model, of the key's first 8)")
	cmd.Flags().BoolVar(&opts.target.force, "force", false, "replace the output file if it exists")
	cmd.ValidArgsFunction = opts.wait.completeReference(modelNames)
	return cmd
}

func (o *modelsExportOptions) run(ctx context.Context, ref string) error {
	if err := o.target.checkStdout(&o.output); err != nil {
		return err
	}
	if o.target.toStdout() && o.target.host.console.OutTerminal {
		return usageErrorf("a model is no text: a terminal cannot show it").withHint("name a file with -o, or pipe it to where it goes")
	}
	ctx, session, done, err := o.wait.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.modelKey(ctx, ref)
	if err != nil {
		return err
	}
	if o.target.path == "" {
		o.target.path = key[:shortKey] + ".model"
	}
	if err := o.target.checkFree(); err != nil {
		return err
	}
	written := exportDocument{Path: o.target.path, ModelKey: key}
	again := "foretell models export " + key + " -o " + shellQuote(o.target.path)
	err = o.target.writeTemp(ctx, fileDownload{
		progress: session.progress, defaultName: "model", retry: again,
		get: func(w io.Writer) (n int64, err error) {
			written.Bytes, err = session.DownloadModel(ctx, key, w)
			return written.Bytes, err
		},
		check:   func(part string) error { return wholeModel(part, again) },
		install: installFile,
	})
	switch {
	case err != nil || o.target.toStdout():
		return err
	case o.output.json || len(o.output.fields) > 0:
		return printItem(&o.output, &written, "path")
	}
	return o.output.printLine(written.Path)
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
		return exitErrorf(ExitUntrusted, "what arrived is no model: %w", err).withHint("nothing was written; try again with `%s`", again)
	}
	return nil
}
