package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"foretell/internal/blob"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/download"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/receipt"
	"foretell/internal/term"
)

type replayOptions struct {
	wait    connect.WaitFlags
	output  cli.Output
	factory *cli.Factory

	train []string
	blind []string
}

func newReplayCmd(f *cli.Factory) *cobra.Command {
	opts := &replayOptions{factory: f}
	cmd := &cobra.Command{
		Use: "replay RECEIPT", Short: "Repeat a race from its receipt and compare the predictions",
		Long: `Reads the receipt of a result, and checks that the input files are unchanged. Then the
command trains with the same options and seed, predicts, and compares the new
predictions with the SHA-256 of the result in the receipt. If all bytes are the same, the
exit status is 0, otherwise 11. Everything runs on this machine, in a temporary folder
that is removed at the end.

If the result is in the folder of its receipt, the command first compares the result with
the receipt. If the result was changed, the exit status is 11, too. If the new predictions
differ from an unchanged result, the command prints how many rows and which columns
differ. The cause may be another kind of processor, or another version of the program than
the one that the receipt names.

The input files must be in the folder of the receipt or in the current folder, unless
--train and --blind name them. If the time limit ended the race, or only its training
on all rows, the race cannot be replayed, because its progress depended on the speed of
the machine.`,
		Example: `  foretell replay blind.predictions.csv.receipt.json
  foretell replay blind.predictions.csv.receipt.json --train train.csv --blind blind.csv`,
		Args: cli.PositionalArgs("RECEIPT"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.output.BindItem(cmd, f, cli.ResultType[replayDocument]())
	opts.wait.Factory, opts.wait.Cmd = f, cmd // this command uses no service
	opts.wait.BindProgress(cmd)
	cmd.Flags().StringArrayVar(&opts.train, "train", nil, "training `FILE`; repeat the flag for several files, in the order of the run (default the files that the receipt names)")
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE`; repeat the flag for several files, in the order of the run (default the files that the receipt names)")
	return cmd
}

// replayDocument is the output of replay.
type replayDocument struct {
	Receipt string `json:"receipt"`
	Same    bool   `json:"same"` // always true, because a different result is an error
	Rows    int    `json:"rows"`
	SHA256  string `json:"sha256"`
	// Result is the path of the result file, whose SHA-256 is SHA256. It is empty if the folder
	// of the receipt does not contain the file.
	Result string `json:"result,omitempty"`
}

func (o *replayOptions) run(ctx context.Context, path string) error {
	if _, _, _, err := o.wait.StartProgress(ctx); err != nil { // only to check the flag: the run shows its own progress
		return err
	}
	rec, err := term.Interruptible(ctx, func() (*receipt.Receipt, error) {
		return download.ReadReceipt(path, "use the receipt in the folder of the result, RESULT.csv.receipt.json")
	})
	if errors.Is(err, receipt.ErrDamaged) {
		next := receipt.Path(path)
		if _, statErr := os.Stat(next); statErr == nil {
			return exit.Usagef("%s is not a receipt", path).WithHint("name the receipt of this result: `foretell replay %s`", term.ShellQuote(next))
		}
	}
	if err != nil {
		return err
	}
	if err := download.CheckReplayable(path, rec); err != nil {
		return err
	}
	train, err := download.FindAndVerifyInput(ctx, path, "train", o.train, rec.Training)
	if err != nil {
		return err
	}
	blind, err := download.FindAndVerifyInput(ctx, path, "blind", o.blind, rec.Blind)
	if err != nil {
		return err
	}
	kept, err := download.CheckResultFile(ctx, path, rec)
	if err != nil {
		return err
	}
	if kept == "" {
		o.output.Note("the result, %s, is not in the folder of its receipt, so only the SHA-256 in the receipt is compared", rec.Result.Name)
	}
	dir, err := os.MkdirTemp("", "foretell-replay-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	again := filepath.Join(dir, "result.csv")
	if err := o.retrain(ctx, dir, again, rec, train, blind); err != nil {
		return err
	}
	result, err := os.Open(again)
	if err != nil {
		return err
	}
	defer result.Close()
	var place *receipt.LineDifference
	switch err := rec.CheckDigest(ctx, result); {
	case errors.As(err, &place):
		return download.DifferenceError(ctx, path, kept, rec, again, err)
	case err != nil:
		return err
	}
	against := "the SHA-256 in the receipt"
	if kept != "" {
		against = kept
	}
	o.output.Note("identical to %s: %s", against, humanize.Count(rec.Result.Rows, "prediction"))
	return cli.PrintItem(&o.output, replayDocument{Receipt: path, Same: true, Rows: rec.Result.Rows, SHA256: rec.Result.SHA256, Result: kept}, "receipt", "same", "rows", "sha256")
}

// retrain trains and predicts with the options in the receipt, in a new data folder below dir. It
// writes the predictions to the path result. train and blind are the paths of the input files.
func (o *replayOptions) retrain(ctx context.Context, dir, result string, rec *receipt.Receipt, train, blind []string) error {
	data := filepath.Join(dir, "data")
	args := append(download.RunArgs(rec, train, blind), "-o", result, "--no-receipt")
	if o.output.Quiet {
		args = append(args, "--quiet")
	}
	if flag := o.output.Cmd.Flags().Lookup(config.KeyProgress); flag.Changed {
		args = append(args, "--progress", flag.Value.String())
	}
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	devnull, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer devnull.Close()
	// On a terminal, Enter would end the race early and change its result, so the race gets no
	// terminal as input.
	err = exit.FromNested(ctx, execute(ctx, o.factory.NewNested(args, config.Isolate(o.factory.Env, data), devnull, devnull)), dir)
	if err == nil {
		return nil
	}
	// The hint of the run is about its data folder, which replay removes.
	if failed := exit.FromError(ctx, err).Status; (failed == exit.Unexpected || failed == exit.JobFailed || failed == exit.Unavailable) && blob.IsDiskFull(dir) {
		free, _, _ := blob.DiskSpace(dir) // 0 on an error
		return exit.Errorf(exit.Unexpected, "the disk of the temporary folder %s is full: %s free", dir, term.FormatBytes(int64(free))).
			WithHint("free space there, or set TMPDIR to a folder on another disk")
	}
	return err
}
