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
		Use: "export REF", Short: "Download and verify a model file",
		Long: `Downloads a model file, verifies its checksum, and prints its path.`,
		Args: positionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.serviceFlags.bind(cmd, f)
	opts.wait.bindProgress(cmd)
	opts.output.bindItem(cmd, f, resultType[exportDocument]())
	opts.target = outputFile{host: f, content: "the model", noReceipt: true}
	cmd.Flags().StringVarP(&opts.target.path, "output", "o", "", "`file` for the model, - for standard output (default the first 8 characters of the key and .model)")
	cmd.Flags().BoolVar(&opts.target.force, "force", false, "replace the output file if it exists")
	cmd.ValidArgsFunction = opts.wait.completeReference(modelNames)
	return cmd
}

func (o *modelsExportOptions) run(ctx context.Context, ref string) error {
	if err := o.target.checkStdout(&o.output); err != nil {
		return err
	}
	if o.target.toStdout() && o.target.host.console.OutTerminal {
		return usageErrorf("a model is binary: a terminal cannot show it").withHint("name a file with -o, or pipe the output")
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

// exportDocument is the output of models export.
type exportDocument struct {
	Path     string `json:"path"`
	Bytes    int64  `json:"bytes"`
	ModelKey string `json:"modelKey"`
}

// wholeModel verifies a model file by its checksum; again is the command that downloads
// it again.
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
		return exitErrorf(ExitUntrusted, "the downloaded file is not a model: %w", err).withHint("nothing was written; try again with `%s`", again)
	}
	return nil
}
