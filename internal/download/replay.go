package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/receipt"
	"foretell/internal/table/csvfile"
)

// CheckReplayable returns an error if repeating the race of a receipt may produce another result.
// rec is the receipt, and path its path.
func CheckReplayable(path string, rec *receipt.Receipt) error {
	switch {
	case rec.Race == nil || rec.Model.Seed == nil:
		return exit.Errorf(exit.Conflict, "the receipt %s does not contain the options with which the model was trained", path).
			WithHint("only a result of a service with model reports can be replayed; this result was made with a model file, or by a service without model reports")
	case rec.Race.Outcome == api.OutcomeCancelled:
		return exit.Errorf(exit.Conflict, "the race was cancelled, so its result depends on the time of the cancellation").
			WithHint("to get a result that can be replayed, train again and let the race end by itself")
	case rec.Race.Outcome == api.OutcomeTimeLimit:
		return exit.Errorf(exit.Conflict, "the race reached its time limit, so its result depends on the machine").
			WithHint("to get a result that can be replayed, train without --time-limit or with a longer one")
	case rec.Race.RefitInterrupted:
		return exit.Errorf(exit.Conflict, "the time limit stopped the refit on all rows, so the model depends on the speed of the machine").
			WithHint("to get a result that can be replayed, train without --time-limit or with a longer one")
	}
	return nil
}

// FindAndVerifyInput returns the paths of the files that a receipt is about: the training files if
// flag is "train", and the predicted files if flag is "blind". given holds the values of this flag.
// If given is empty, it looks for the files that the receipt names, first in the folder of the
// receipt and then in the current folder. recorded is what the receipt says about the files; it is
// nil if the receipt does not name them. It is an error if the contents of the files differ from
// recorded.Digest, or if given is empty and recorded is nil.
func FindAndVerifyInput(ctx context.Context, receiptPath, flag string, given []string, recorded *receipt.Input) ([]string, error) {
	paths, noun := given, map[string]string{"train": "training file", "blind": "blind file"}[flag]
	if len(paths) == 0 {
		if recorded == nil {
			return nil, exit.Usagef("%s does not name the %s", receiptPath, noun).WithHint("add --%s FILE", flag)
		}
		for _, name := range recorded.FileNames() {
			path := filepath.Join(filepath.Dir(receiptPath), name)
			if _, err := os.Stat(path); err != nil {
				path = name
			}
			if _, err := os.Stat(path); err != nil {
				return nil, exit.Errorf(exit.NotFound, "the file %s is neither in the folder of %s nor in the current folder", name, receiptPath).WithHint("add --%s FILE with its path", flag)
			}
			paths = append(paths, path)
		}
	}
	sum, err := receipt.DigestFiles(ctx, paths...)
	if err != nil || recorded == nil || sum == recorded.Digest {
		return paths, err
	}
	return nil, exit.Errorf(exit.Untrusted, "%s: the SHA-256 differs from that of the %s in the receipt", strings.Join(paths, ", "), noun).
		At(paths[0], 0, 0).WithHint("use the unchanged file with --%s FILE", flag)
}

// RunArgs returns the arguments of the run command that repeats the training and the
// prediction of a receipt. The receipt must pass [CheckReplayable].
func RunArgs(rec *receipt.Receipt, train, blind []string) []string {
	args := []string{"run"}
	for _, path := range train {
		if strings.HasPrefix(path, "-") { // it is not a flag
			path = "." + string(filepath.Separator) + path
		}
		args = append(args, path)
	}
	for _, path := range blind {
		args = append(args, "--blind="+path)
	}
	args = append(args, rec.Race.RunFlags()...)
	args = append(args, "--seed", strconv.FormatInt(*rec.Model.Seed, 10))
	// The race ended before its time limit, so a longer limit does not change it. With the same limit,
	// the race could reach it on a slower machine.
	args = append(args, "--time-limit", (api.MaxTimeLimitSeconds * time.Second).String())
	if o := rec.Options; o != nil {
		if len(rec.Race.Features) > 0 && o.Label != "" {
			args = append(args, "--training-columns", cli.ListFlagValue(rec.Race.Features))
		}
		id := o.GivenID
		if o.TrainingID == "" { // a receipt of an earlier version
			id = o.ID
		}
		args = appendFlags(args, "--label", o.Label, "--training-id", o.TrainingID, "--id", id)
		args = appendLayoutFlags(args, o)
	}
	if len(rec.Result.Columns) > 0 {
		args = append(args, "--columns", rec.Result.Selection)
	}
	if rec.Result.Reasons > 0 {
		args = append(args, "--explain", strconv.Itoa(rec.Result.Reasons))
	}
	return args
}

// appendLayoutFlags appends the flags with which the files of a receipt were read, except the flags
// that choose the label and the ID.
func appendLayoutFlags(args []string, o *receipt.Options) []string {
	args = appendFlags(args, "--delimiter", o.Delimiter, "--encoding", o.Encoding, "--sheet", o.Sheet, "--drop", cli.ListFlagValue(o.Drop))
	if o.SkipRows > 0 {
		args = append(args, "--skip-rows", strconv.Itoa(o.SkipRows))
	}
	if o.NoHeader {
		args = append(args, "--no-header-row")
	}
	return args
}

// appendFlags appends flags, which are given as names and values in turn. It omits those whose value is "".
func appendFlags(args []string, flags ...string) []string {
	for i := 0; i < len(flags); i += 2 {
		if flags[i+1] != "" {
			args = append(args, flags[i:i+2]...)
		}
	}
	return args
}

// CheckResultFile verifies the result next to a receipt. rec is the receipt, and receiptPath its
// path. It returns the path of the result, or "" if the file does not exist.
func CheckResultFile(ctx context.Context, receiptPath string, rec *receipt.Receipt) (path string, err error) {
	path = strings.TrimSuffix(receiptPath, ".receipt.json")
	if path == receiptPath { // the receipt was renamed
		path = filepath.Join(filepath.Dir(receiptPath), rec.Result.Name)
	}
	file, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return "", err
	}
	defer file.Close()
	if err := rec.CheckDigest(ctx, file); err != nil {
		return "", MismatchError(ctx, path, receiptPath, rec, err)
	}
	return path, nil
}

// DifferenceError returns the error for a repeated result, at newResult, that differs from the
// receipt rec at path. oldResult is the path that [CheckResultFile] has returned. If it is not "",
// the error lists the columns that differ and counts their rows. Otherwise the error contains err,
// the first difference.
func DifferenceError(ctx context.Context, path, oldResult string, rec *receipt.Receipt, newResult string, err error) error {
	e := exit.Errorf(exit.Untrusted, "the predictions differ from the predictions of %s: %w", path, err)
	e.Code = "changed"
	if oldResult == "" {
		return e.WithHint("to see which rows and columns differ, put the result into the folder of its receipt and run the command again")
	}
	before, errBefore := os.Open(oldResult)
	if errBefore != nil {
		return errBefore
	}
	defer before.Close()
	after, errAfter := os.Open(newResult)
	if errAfter != nil {
		return errAfter
	}
	defer after.Close()
	rows, columns, errCompare := csvfile.Diff(ctx, before, after)
	if errCompare == nil && rows > 0 {
		e.Fact = fmt.Sprintf("the predictions differ from the predictions of %s: %s differ, in %s", path, humanize.Count(rows, "row"), strings.Join(columns, ", "))
	}
	build := build.Current()
	return e.WithHint("compare the versions of the program: the receipt is from the build %q, and this is the build %q",
		cmp.Or(rec.Binary.Commit, rec.Binary.Version), cmp.Or(build.Commit, build.Version))
}
