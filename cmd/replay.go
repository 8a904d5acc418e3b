package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/download"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/receipt"
	"foretell/internal/table/csvfile"
)

type replayOptions struct {
	output cli.Output
	host   *cli.Factory

	train []string
	blind []string
}

func newReplayCmd(f *cli.Factory) *cobra.Command {
	opts := &replayOptions{host: f}
	cmd := &cobra.Command{
		Use: "replay RECEIPT", Short: "Repeat a training from its receipt and compare the predictions",
		Long: `Reads the receipt of a result and checks that the input files are unchanged. Then
it trains again with the same options and seed, predicts, and compares the
predictions byte by byte. The exit status is 0 if they are the same, and 11 if
not. If the result is beside its receipt, the rows and columns that differ are
listed. Everything runs on this machine, in a temporary folder that is removed.

The files are looked up by name in the folder of the receipt and in the current
one; --train and --blind name others. A race that ended at its time limit cannot
be replayed, because how far it came depended on the machine.`,
		Example: `  foretell replay blind.predictions.csv.receipt.json
  foretell replay blind.predictions.csv.receipt.json --train train.csv --blind blind.csv`,
		Args: cli.PositionalArgs("RECEIPT"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.output.BindItem(cmd, f, cli.ResultType[replayDocument]())
	cmd.Flags().StringArrayVar(&opts.train, "train", nil, "`FILE` that was trained on, several in their order (default by the names in the receipt)")
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "`FILE` that was predicted, several in their order (default by the names in the receipt)")
	return cmd
}

// replayDocument is the output of replay.
type replayDocument struct {
	Receipt string `json:"receipt"`
	Same    bool   `json:"same"`
	Rows    int    `json:"rows"`
	SHA256  string `json:"sha256"`
}

func (o *replayOptions) run(ctx context.Context, path string) error {
	rec, err := download.ReadReceipt(path, "name the receipt that is beside the result, RESULT.csv.receipt.json")
	if err != nil {
		return err
	}
	if err := checkReplayable(path, rec); err != nil {
		return err
	}
	train, err := o.findFiles(ctx, path, "train", o.train, rec.Training)
	if err != nil {
		return err
	}
	blind, err := o.findFiles(ctx, path, "blind", o.blind, rec.Blind)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "foretell-replay-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it lies in the folder for temporary files
	again := filepath.Join(dir, "result.csv")
	if err := o.retrain(ctx, dir, again, rec, train, blind); err != nil {
		return err
	}
	var place *receipt.Difference
	switch err := rec.CheckDigest(ctx, again); {
	case errors.As(err, &place):
		return differenceError(ctx, path, rec, again, err)
	case err != nil:
		return err
	}
	o.output.Note("identical: %s", humanize.Count(rec.Result.Rows, "prediction"))
	return cli.PrintItem(&o.output, replayDocument{Receipt: path, Same: true, Rows: rec.Result.Rows, SHA256: rec.Result.SHA256}, "receipt", "same", "rows", "sha256")
}

// checkReplayable returns an error for a receipt whose race cannot be repeated.
func checkReplayable(path string, rec *receipt.Receipt) error {
	switch {
	case rec.Race == nil || rec.Model.Seed == nil:
		return exit.Errorf(exit.Conflict, "%s does not say how the model was trained", path).
			WithHint("only results of a service with model reports can be replayed, not those of a model file")
	case rec.Race.Outcome == api.OutcomeTimeLimit || rec.Race.Outcome == api.OutcomeCancelled:
		return exit.Errorf(exit.Conflict, "the race reached its time limit or was cancelled: its result depends on the machine").
			WithHint("train without --time-limit, or with a longer one, for a result that can be replayed")
	}
	return nil
}

// findFiles returns the files of a flag: those given, else those named by the receipt. It
// returns an error if their contents have changed.
func (o *replayOptions) findFiles(ctx context.Context, paper, flag string, given []string, was *receipt.Input) ([]string, error) {
	paths := given
	if len(paths) == 0 {
		if was == nil {
			return nil, exit.Usagef("%s does not name the --%s file", paper, flag).WithHint("name it with --%s", flag)
		}
		for _, name := range was.FileNames() {
			path := filepath.Join(filepath.Dir(paper), name)
			if _, err := os.Stat(path); err != nil {
				path = name
			}
			if _, err := os.Stat(path); err != nil {
				return nil, exit.Errorf(exit.NotFound, "%s is neither beside %s nor in the current folder", name, paper).WithHint("name it with --%s", flag)
			}
			paths = append(paths, path)
		}
	}
	sum, err := receipt.DigestFiles(ctx, paths...)
	if err != nil || was == nil || sum == was.Digest {
		return paths, err
	}
	return nil, exit.Errorf(exit.Untrusted, "%s: the SHA-256 differs from that of the --%s file in the receipt", strings.Join(paths, ", "), flag).
		At(paths[0], 0, 0).WithHint("name the unchanged file with --%s", flag)
}

// retrain trains and predicts as in the receipt, in a data folder of its own.
func (o *replayOptions) retrain(ctx context.Context, dir, result string, rec *receipt.Receipt, train, blind []string) error {
	data := filepath.Join(dir, "data")
	args := append([]string{"run"}, train...)
	for _, path := range blind {
		args = append(args, "--blind", path)
	}
	args = append(args, "-o", result, "--no-receipt", "--local", "--data-dir", data)
	args = append(args, rec.Race.Flags()...)
	args = append(args, "--seed", strconv.FormatInt(*rec.Model.Seed, 10))
	if o.output.Quiet {
		args = append(args, "--quiet")
	}
	if o := rec.Options; o != nil {
		for _, flag := range []struct{ name, value string }{
			{"--label", o.Label}, {"--id", o.ID}, {"--delimiter", o.Delimiter}, {"--encoding", o.Encoding}, {"--sheet", o.Sheet}, {"--drop", strings.Join(o.Drop, ",")},
		} {
			if flag.value != "" {
				args = append(args, flag.name, flag.value)
			}
		}
		if o.NoHeader {
			args = append(args, "--no-header-row")
		}
	}
	if len(rec.Result.Columns) > 0 {
		args = append(args, "--columns", rec.Result.Selection)
	}
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	devnull, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer devnull.Close()
	sub := &cli.Factory{Args: args, Now: o.host.Now, Env: o.host.Env, Environ: o.host.Environ, Color: o.host.Color}
	sub.Streams = [3]*os.File{o.host.Streams[0], devnull, o.host.Streams[2]}
	sub.OpenConsole()
	return execute(ctx, sub)
}

// differenceError explains how the new result differs from the receipt at path. If the
// old result is beside it, it lists rows and columns.
func differenceError(ctx context.Context, path string, rec *receipt.Receipt, again string, err error) error {
	e := exit.Errorf(exit.Untrusted, "the predictions differ from those of %s: %w", path, err)
	e.Code = "changed"
	before, errBefore := os.Open(strings.TrimSuffix(path, ".receipt.json"))
	if errBefore != nil {
		return e.WithHint("put the result beside its receipt to list the rows and columns that differ")
	}
	defer before.Close()
	after, errAfter := os.Open(again)
	if errAfter != nil {
		return errAfter
	}
	defer after.Close()
	rows, columns, errCompare := csvfile.Differences(ctx, before, after)
	if errCompare == nil && rows > 0 {
		e.Fact = fmt.Sprintf("the predictions differ from those of %s: %s differ, in %s", path, humanize.Count(rows, "row"), strings.Join(columns, ", "))
	}
	build := build.Current()
	return e.WithHint("compare the program versions: the receipt has %q, this is %q",
		cmp.Or(rec.Binary.Commit, rec.Binary.Version), cmp.Or(build.Commit, build.Version))
}
