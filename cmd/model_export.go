package cmd

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/download"
	"foretell/internal/exit"
	"foretell/internal/learn"
	"foretell/internal/term"
)

type modelsExportOptions struct {
	wait   connect.WaitFlags
	output cli.Output
	target download.OutputFile
}

func newModelsExportCmd(f *cli.Factory) *cobra.Command {
	opts := &modelsExportOptions{wait: connect.WaitFlags{ServiceFlags: connect.ServiceFlags{Idle: true}}}
	cmd := &cobra.Command{
		Use: "export REF", Short: "Download and verify a model file",
		Long: `Downloads a model file, verifies its checksum, and prints its path.`,
		Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.ServiceFlags.Bind(cmd, f)
	opts.wait.BindProgress(cmd)
	opts.output.BindItem(cmd, f, cli.ResultType[exportDocument]())
	opts.target = download.OutputFile{Factory: f, Content: "the model", NoReceipt: true}
	cmd.Flags().StringVarP(&opts.target.Path, "output", "o", "", "`file` to write the model to; - is standard output (default KEY.model, with the first 8 characters of the key)")
	cmd.Flags().BoolVar(&opts.target.Force, "force", false, "replace the output file if it exists")
	cmd.ValidArgsFunction = opts.wait.CompleteReference(connect.ListModelRefs)
	return cmd
}

func (o *modelsExportOptions) run(ctx context.Context, ref string) error {
	if err := o.target.CheckStdout(&o.output); err != nil {
		return err
	}
	if o.target.ToStdout() && o.target.Factory.Console.OutTerminal {
		return exit.Usagef("a model file is binary and cannot be printed on a terminal").WithHint("write it to a file with -o FILE, or pipe the output")
	}
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.ModelKey(ctx, ref)
	if err != nil {
		return err
	}
	if o.target.Path == "" {
		o.target.Path = key[:cli.ShortKeyLength] + ".model"
	}
	if err := o.target.CheckFree(); err != nil {
		return err
	}
	written := exportDocument{Path: o.target.Path, ModelKey: key}
	again := "foretell models export " + key + " -o " + term.ShellQuote(o.target.Path)
	err = o.target.DownloadFile(ctx, download.FileDownload{
		Progress: session.Progress, DefaultName: "model", Retry: again,
		Get: func(w io.Writer) (n int64, err error) {
			written.Bytes, err = session.DownloadModel(ctx, key, w)
			return written.Bytes, err
		},
		Check:   func(part string) error { return verifyModelFile(part, again) },
		Install: download.InstallFile,
	})
	switch {
	case err != nil || o.target.ToStdout():
		return err
	case o.output.JSON || len(o.output.Fields) > 0:
		return cli.PrintItem(&o.output, &written, "path")
	}
	return o.output.PrintLine(written.Path)
}

// exportDocument is the output of models export.
type exportDocument struct {
	Path     string `json:"path"`
	Bytes    int64  `json:"bytes"`
	ModelKey string `json:"modelKey"`
}

// verifyModelFile verifies a model file with its checksum. again is the command that
// downloads it again.
func verifyModelFile(path, again string) error {
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
		return exit.Errorf(exit.Untrusted, "the downloaded file is not a model: %w", err).WithHint("no model was written; try again with `%s`", again)
	}
	return nil
}
