package download

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/build"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/receipt"
	"foretell/internal/table/csvfile"
)

// CheckReplayable returns an error for a receipt at path whose race cannot be repeated.
func CheckReplayable(path string, rec *receipt.Receipt) error {
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

// FindInput returns the files of a flag: those given, else those that the receipt at receiptPath
// names, beside it or in the current folder. It returns an error if their contents are not
// was, which is nil if the receipt does not have it.
func FindInput(ctx context.Context, receiptPath, flag string, given []string, recorded *receipt.Input) ([]string, error) {
	paths := given
	if len(paths) == 0 {
		if recorded == nil {
			return nil, exit.Usagef("%s does not name the --%s file", receiptPath, flag).WithHint("name it with --%s", flag)
		}
		for _, name := range recorded.FileNames() {
			path := filepath.Join(filepath.Dir(receiptPath), name)
			if _, err := os.Stat(path); err != nil {
				path = name
			}
			if _, err := os.Stat(path); err != nil {
				return nil, exit.Errorf(exit.NotFound, "%s is neither beside %s nor in the current folder", name, receiptPath).WithHint("name it with --%s", flag)
			}
			paths = append(paths, path)
		}
	}
	sum, err := receipt.DigestFiles(ctx, paths...)
	if err != nil || recorded == nil || sum == recorded.Digest {
		return paths, err
	}
	return nil, exit.Errorf(exit.Untrusted, "%s: the SHA-256 differs from that of the --%s file in the receipt", strings.Join(paths, ", "), flag).
		At(paths[0], 0, 0).WithHint("name the unchanged file with --%s", flag)
}

// RunArgs returns the arguments of the run that repeats the training and the prediction of
// a receipt, which must be replayable.
func RunArgs(rec *receipt.Receipt, train, blind []string) []string {
	args := append([]string{"run"}, train...)
	for _, path := range blind {
		args = append(args, "--blind", path)
	}
	args = append(args, rec.Race.Flags()...)
	args = append(args, "--seed", strconv.FormatInt(*rec.Model.Seed, 10))
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
	return args
}

// DifferenceError explains how the new result differs from the receipt at path. If the
// old result is beside it, it lists rows and columns.
func DifferenceError(ctx context.Context, path string, rec *receipt.Receipt, newResult string, err error) error {
	e := exit.Errorf(exit.Untrusted, "the predictions differ from those of %s: %w", path, err)
	e.Code = "changed"
	before, errBefore := os.Open(strings.TrimSuffix(path, ".receipt.json"))
	if errBefore != nil {
		return e.WithHint("put the result beside its receipt to list the rows and columns that differ")
	}
	defer before.Close()
	after, errAfter := os.Open(newResult)
	if errAfter != nil {
		return errAfter
	}
	defer after.Close()
	rows, columns, errCompare := csvfile.Diff(ctx, before, after)
	if errCompare == nil && rows > 0 {
		e.Fact = fmt.Sprintf("the predictions differ from those of %s: %s differ, in %s", path, humanize.Count(rows, "row"), strings.Join(columns, ", "))
	}
	build := build.Current()
	return e.WithHint("compare the program versions: the receipt has %q, this is %q",
		cmp.Or(rec.Binary.Commit, rec.Binary.Version), cmp.Or(build.Commit, build.Version))
}
