package model

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/download"
	"foretell/internal/exit"
	"foretell/internal/learn/model"
	"foretell/internal/modelfile"
	"foretell/internal/receipt"
	"foretell/internal/term"
)

type modelsExportOptions struct {
	wait   connect.WaitFlags
	output cli.Output
	target download.OutputFile

	format string
	// features are the input columns of an ONNX model.
	features []model.ONNXFeature
}

// The values of --format.
const (
	formatForetell = "foretell"
	formatPython   = "python"
	formatONNX     = "onnx"
)

// exportEndings are the endings of the default file names by format.
var exportEndings = map[string]string{formatForetell: ".model", formatPython: ".py", formatONNX: ".onnx"}

func newModelsExportCmd(f *cli.Factory) *cobra.Command {
	opts := &modelsExportOptions{wait: connect.WaitFlags{ServiceFlags: connect.ServiceFlags{NoJobs: true}}}
	cmd := &cobra.Command{
		Use: "export REF", Short: "Download and verify a model file",
		Long: `Downloads a model file, verifies its checksum, and prints its path. With --model FILE,
` + "`foretell predict`" + ` and ` + "`foretell explain`" + ` use the file without a service.

--format python writes a Python program that contains the model and needs only NumPy.
The program predicts a CSV file as ` + "`foretell predict`" + ` does, with the same row IDs and
columns, and can be imported:

  python3 champion.py blind.csv -o result.csv

The Python program does not compare the file with the training rows. It only warns about
columns of numbers and dates in which it cannot read most values. Its probabilities
differ from those of ` + "`foretell predict`" + ` by at most one millionth, that is, at most in
the last of the six digits.

--format onnx writes an ONNX model (IR 8, ai.onnx 13, ai.onnx.ml 3), for example for ONNX
Runtime 1.14 or later. The input is called features. It is a tensor of float64 with the
dimensions rows × features, and missing cells are NaN. The outputs are called label and
probabilities. The probabilities are calibrated, and differ from those of
` + "`foretell predict`" + ` by at most one millionth.

The inputs of the ONNX model are features, which a program must compute from the cells of
a file: codes of categories, amounts, parts of dates, and words and scores of texts. The
command prints which kinds of features the model needs. The property foretell.features of
the ONNX model describes each feature, and so does features in the output of --json. The
Python program computes the features of a file:

  python3 champion.py blind.csv --features -o features.csv`,
		Example: `  foretell models export train@champion -o champion.model
  foretell models export train@champion --format python -o champion.py
  foretell models export train@champion --format onnx -o champion.onnx`,
		Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.ServiceFlags.Bind(cmd, f)
	opts.wait.BindProgress(cmd)
	opts.output.BindItem(cmd, f, cli.ResultType[exportDocument]())
	opts.target = download.OutputFile{Factory: f, Content: "the model", NoReceipt: true}
	cmd.Flags().StringVarP(&opts.target.Path, "output", "o", "", "`file` to write the model to, or - for standard output (default KEY.model, KEY.py or KEY.onnx, where KEY is the first 8 characters of the key)")
	cmd.Flags().BoolVar(&opts.target.Force, "force", false, "replace the output file if it exists")
	cmd.Flags().StringVar(&opts.format, "format", formatForetell, "`format` of the file: foretell, python or onnx")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{formatForetell, formatPython, formatONNX}, cobra.ShellCompDirectiveNoFileComp)) // fails only if the flag is not defined
	cmd.ValidArgsFunction = opts.wait.CompleteReference(connect.ListModelRefs)
	return cmd
}

func (o *modelsExportOptions) run(ctx context.Context, ref string) error {
	ending, known := exportEndings[o.format]
	if !known {
		return exit.Usagef("invalid --format %q: must be foretell, python or onnx", o.format)
	}
	if err := o.target.CheckStdout(&o.output); err != nil {
		return err
	}
	if o.target.ToStdout() && o.target.Factory.Console.OutTerminal && o.format != formatPython {
		return exit.Usagef("a model file is binary and cannot be printed on a terminal").WithHint("write the model to a file with -o FILE, or pipe the output")
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
		o.target.Path = api.ShortKey(key) + ending
	}
	if err := o.target.CheckMayWrite(); err != nil {
		return err
	}
	written := exportDocument{Path: o.target.Path, ModelKey: key}
	digest, err := o.downloadAndExport(ctx, session, key)
	if err != nil {
		return err
	}
	written.Bytes, written.SHA256 = digest.Bytes, digest.SHA256
	written.Features = o.features
	if o.features != nil && !o.output.Quiet {
		o.target.Factory.Note("the ONNX model does not compute %s; `foretell models export %s --format python` writes a program that computes the features of a file with --features", modelfile.StepsOutsideONNX(o.features), term.ShellQuote(ref))
	}
	if o.target.ToStdout() {
		return nil
	}
	if o.output.JSON || len(o.output.Fields) > 0 {
		return cli.PrintItem(&o.output, &written, "path")
	}
	return o.output.PrintLine(written.Path)
}

// downloadAndExport downloads the model, writes it to the target in the format of --format, and
// returns the digest of the file.
func (o *modelsExportOptions) downloadAndExport(ctx context.Context, session *connect.Session, key string) (digest receipt.Digest, err error) {
	again := "foretell models export " + key
	if o.format != formatForetell {
		again += " --format " + o.format
	}
	again += " -o " + term.ShellQuote(o.target.Path)
	err = o.target.DownloadFile(ctx, download.FileDownload{
		Progress: session.Progress, DefaultName: "model", Retry: again,
		Get: func(w io.Writer) (int64, error) {
			if o.format == formatForetell {
				return session.DownloadModel(ctx, key, w)
			}
			return 0, download.WithModelFile(ctx, session, key, func(path string) error {
				if err := download.VerifyModelFile(path, again); err != nil {
					return err
				}
				if o.format == formatPython {
					return modelfile.WritePython(w, path)
				}
				var err error
				o.features, err = modelfile.WriteONNX(w, path)
				return err
			})
		},
		Check: func(tempPath string) error {
			if digest, err = receipt.DigestFiles(ctx, tempPath); err != nil {
				return err
			}
			if o.format != formatForetell {
				return nil // Get has verified the model before it was converted
			}
			return download.VerifyModelFile(tempPath, again)
		},
		Install: o.target.InstallWithoutReceipt,
	})
	return digest, err
}

// exportDocument is the output of models export.
type exportDocument struct {
	Path     string `json:"path"`
	Bytes    int64  `json:"bytes"`
	ModelKey string `json:"modelKey"`
	// SHA256 is also in the receipts of predictions with the file.
	SHA256 string `json:"sha256"`
	// Features are the input columns of an ONNX model.
	Features []model.ONNXFeature `json:"features,omitempty"`
}
