package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// outputFile is the destination of a downloaded file.
type outputFile struct {
	host  *factory
	path  string
	force bool
	// content describes the file in messages.
	content string
	// noReceipt disables the receipt.
	noReceipt bool
	// columns are the columns of the result to keep; nil for all.
	columns columnsFlag
}

func (t *outputFile) bind(cmd *cobra.Command, f *factory) {
	t.host, t.content = f, "the predictions"
	cmd.Flags().StringVarP(&t.path, "output", "o", "", "`file` for the predictions, - for standard output (default BLIND.predictions.csv)")
	cmd.Flags().BoolVar(&t.force, "force", false, "replace the output file and its receipt if they exist")
	cmd.Flags().Var(&t.columns, "columns", "write only these `columns`, such as id,prediction,probability; NEW=SOURCE renames one")
	cmd.Flags().BoolVar(&t.noReceipt, "no-receipt", false, "write no OUTPUT.receipt.json beside the output")
}

// toStdout reports whether the file goes to standard output.
func (t *outputFile) toStdout() bool { return t.path == "-" }

// checkStdout returns an error if both the file and JSON would go to standard output.
func (t *outputFile) checkStdout(o *output) error {
	if t.toStdout() && (o.json || len(o.fields) > 0) {
		return usageErrorf("-o - prints %s and cannot be combined with --json", t.content).withHint("name a file with -o")
	}
	return nil
}

// resolvePath sets the default path beside the blind file. It returns an error if the
// file exists or is an input.
func (t *outputFile) resolvePath(blind *input, others ...*input) error {
	if t.path == "" {
		dir := filepath.Dir(blind.paths[0])
		if blind.isSpooled() {
			dir = "."
		}
		t.path = filepath.Join(dir, blind.stem()+".predictions.csv")
	}
	for _, in := range append(others, blind) {
		if in.reads(t.path) {
			return usageErrorf("the output %s is the input %s", t.path, in.name).withHint("name another file with -o")
		}
	}
	return t.checkFree()
}

// checkFree returns an error if the file exists and must not be replaced.
func (t *outputFile) checkFree() error {
	if t.toStdout() {
		return nil
	}
	info, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir := filepath.Dir(t.path); !isDir(dir) {
			return exitErrorf(ExitNotFound, "the folder %s of the output does not exist", dir).
				withHint("create it, or name another file with -o")
		}
		return t.checkReceiptFree()
	case err != nil:
		return err
	case info.IsDir():
		return usageErrorf("the output %s is a folder", t.path).withHint("name a file with -o")
	case !info.Mode().IsRegular():
		return nil // see passes
	case !t.force:
		return exitErrorf(ExitConflict, "the output %s already exists", t.path).withHint("replace it with --force, or name another file with -o")
	}
	return nil
}

// isStream reports whether the target is a device or a pipe, which can neither be
// replaced nor removed.
func (t *outputFile) isStream() bool {
	if t.toStdout() {
		return true
	}
	info, err := os.Stat(t.path)
	return err == nil && !info.Mode().IsRegular()
}

// resumeCommand returns the command that downloads a result later. blind may be nil.
func (t *outputFile) resumeCommand(key string, blind *input) string {
	command := "foretell predictions download " + key
	if blind != nil && !blind.isSpooled() {
		command += " " + blind.shellArguments("--blind")
	}
	if t.columns != nil {
		command += " --columns " + shellQuote(t.columns.String())
	}
	return command + " -o " + shellQuote(t.path)
}
