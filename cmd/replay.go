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
	"foretell/internal/frame"
	"foretell/internal/receipt"
)

type replayOptions struct {
	output output
	host   *host

	train []string
	blind []string
}

func newReplayCmd(h *host) *cobra.Command {
	opts := &replayOptions{host: h}
	cmd := &cobra.Command{
		Use: "replay RECEIPT", Short: "Train again as a receipt says, and compare the predictions bit for bit",
		Long: `Reads the receipt of a result and checks that the input files are unchanged. Then
it trains again with the same options and seed, predicts, and compares the
predictions byte by byte. The exit status is 0 if they are the same, and 11 if
not. If the result is beside its receipt, the rows and columns that differ are
named. All of it happens on this machine, in a temporary folder that is removed.

The files are looked up by name in the folder of the receipt and in the current
one; --train and --blind name others. A race that ended at its time limit cannot
be replayed, because how far it came depended on the machine.`,
		Example: `  foretell replay blind.predictions.csv.receipt.json
  foretell replay blind.predictions.csv.receipt.json --train train.csv --blind blind.csv`,
		Args: takes("RECEIPT"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.output.bindItem(cmd, h, prints[replayed]())
	cmd.Flags().StringArrayVar(&opts.train, "train", nil, "`FILE` that was trained on, several in their order (default by the names in the receipt)")
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "`FILE` that was predicted, several in their order (default by the names in the receipt)")
	return cmd
}

// replayed is what replay prints.
type replayed struct {
	Receipt string `json:"receipt"`
	Same    bool   `json:"same"`
	Rows    int    `json:"rows"`
	SHA256  string `json:"sha256"`
}

func (o *replayOptions) run(ctx context.Context, path string) error {
	paper, err := readReceipt(path, "name the receipt that is beside the result, RESULT.csv.receipt.json")
	if err != nil {
		return err
	}
	if err := repeatable(path, paper); err != nil {
		return err
	}
	train, err := o.find(ctx, path, "train", o.train, paper.Training)
	if err != nil {
		return err
	}
	blind, err := o.find(ctx, path, "blind", o.blind, paper.Blind)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "foretell-replay-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it lies in the folder for temporary files
	again := filepath.Join(dir, "result.csv")
	if err := o.again(ctx, dir, again, paper, train, blind); err != nil {
		return err
	}
	var place *receipt.Difference
	switch err := paper.Check(ctx, again); {
	case errors.As(err, &place):
		return differs(ctx, path, paper, again, err)
	case err != nil:
		return err
	}
	o.output.note("the same: %s, bit for bit", plural(paper.Result.Rows, "prediction"))
	return item(&o.output, replayed{Receipt: path, Same: true, Rows: paper.Result.Rows, SHA256: paper.Result.SHA256}, "receipt", "same", "rows", "sha256")
}

// repeatable is an error for a receipt whose race cannot be run again.
func repeatable(path string, paper *receipt.Receipt) error {
	switch {
	case paper.Race == nil || paper.Model.Seed == nil:
		return fail(ExitConflict, "%s does not say how the model was trained", path).
			advise("only results of a service that has model reports can be replayed, and not those of a model file")
	case paper.Race.Outcome == api.OutcomeTimeLimit || paper.Race.Outcome == api.OutcomeCancelled:
		return fail(ExitConflict, "the race was ended by its time limit or by hand: how far it came depended on the machine").
			advise("train without --time-limit, or with a longer one, for a result that can be replayed")
	}
	return nil
}

// find returns the paths of the files that were given as flag: those that the user
// names, or those that the receipt does. It is an error if their bytes have changed.
func (o *replayOptions) find(ctx context.Context, paper, flag string, given []string, was *receipt.Input) ([]string, error) {
	paths := given
	if len(paths) == 0 {
		if was == nil {
			return nil, usage("%s does not name the file that was given as --%s", paper, flag).advise("name it with --%s", flag)
		}
		for _, name := range was.FileNames() {
			path := filepath.Join(filepath.Dir(paper), name)
			if _, err := os.Stat(path); err != nil {
				path = name
			}
			if _, err := os.Stat(path); err != nil {
				return nil, fail(ExitNotFound, "%s is neither beside %s nor in the current folder", name, paper).advise("name it with --%s", flag)
			}
			paths = append(paths, path)
		}
	}
	sum, err := receipt.SumOf(ctx, paths...)
	if err != nil || was == nil || sum == was.Sum {
		return paths, err
	}
	return nil, fail(ExitUntrusted, "%s: the SHA-256 is not that of the --%s file in the receipt", strings.Join(paths, ", "), flag).
		at(paths[0], 0, 0).advise("name the unchanged file with --%s", flag)
}

// again trains and predicts as the receipt says, with a data folder of its own.
func (o *replayOptions) again(ctx context.Context, dir, result string, paper *receipt.Receipt, train, blind []string) error {
	data := filepath.Join(dir, "data")
	args := append([]string{"run"}, train...)
	for _, path := range blind {
		args = append(args, "--blind", path)
	}
	args = append(args, "-o", result, "--no-receipt", "--local", "--data-dir", data)
	args = append(args, paper.Race.Flags()...)
	args = append(args, "--seed", strconv.FormatInt(*paper.Model.Seed, 10))
	if o.output.quiet {
		args = append(args, "--quiet")
	}
	if o := paper.Options; o != nil {
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
	if len(paper.Result.Columns) > 0 {
		args = append(args, "--columns", paper.Result.Picked)
	}
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	devnull, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer devnull.Close()
	sub := &host{args: args, now: o.host.now, env: o.host.env, color: o.host.color}
	sub.streams = [3]*os.File{o.host.streams[0], devnull, o.host.streams[2]}
	sub.openConsole()
	return sub.execute(ctx)
}

// differs says how the result that was made again differs from the one of the
// receipt at path: by rows and columns if that is beside it.
func differs(ctx context.Context, path string, paper *receipt.Receipt, again string, err error) error {
	f := fail(ExitUntrusted, "the predictions are not those of %s: %w", path, err)
	f.code = "changed"
	before, errBefore := os.Open(strings.TrimSuffix(path, ".receipt.json"))
	if errBefore != nil {
		return f.advise("with the result beside its receipt, the rows and columns that differ are named")
	}
	defer before.Close()
	after, errAfter := os.Open(again)
	if errAfter != nil {
		return errAfter
	}
	defer after.Close()
	rows, columns, errCompare := frame.Differences(ctx, before, after)
	if errCompare == nil && rows > 0 {
		f.fact = fmt.Sprintf("the predictions are not those of %s: %s differ, in %s", path, plural(rows, "row"), strings.Join(columns, ", "))
	}
	build := currentBuild()
	return f.advise("see whether the program is the same: the receipt names it as %q, this is %q",
		cmp.Or(paper.Binary.Commit, paper.Binary.Version), cmp.Or(build.Commit, build.Version))
}
