package download

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/preflight"
	"foretell/internal/receipt"
	"foretell/internal/symlink"
	"foretell/internal/term"
)

// OutputFile is the destination of a downloaded file and holds the flags for it.
type OutputFile struct {
	Factory *cli.Factory
	Path    string
	Force   bool
	// Content describes the content of the file in messages, such as "the predictions".
	Content string
	// NoReceipt is set if no receipt is written.
	NoReceipt bool
	// Columns are the columns to write; nil means all.
	Columns preflight.ColumnsFlag
	// Reasons is the value of --explain; see BindExplain.
	Reasons int
}

// BindExplain adds the flag --explain to cmd. Its value is the number of reasons for each
// prediction.
func (t *OutputFile) BindExplain(cmd *cobra.Command) {
	cmd.Flags().IntVar(&t.Reasons, "explain", 0, "add the columns reason_1 … reason_N to the result: the `N` columns that contribute most to each prediction")
}

// CheckReasons returns a usage error if --explain is below 0 or above api.MaxReasons.
func (t *OutputFile) CheckReasons() error {
	if t.Reasons < 0 || t.Reasons > api.MaxReasons {
		return exit.Usagef("invalid --explain %d: must be between 0 and %d", t.Reasons, api.MaxReasons)
	}
	return nil
}

// NoteMissingReasons prints a note if the service has ignored --explain.
func (t *OutputFile) NoteMissingReasons(o *cli.Output, p *api.Prediction) {
	if int64(t.Reasons) > p.Reasons {
		o.Note("--explain has no effect: this service does not add reasons")
	}
}

// NewPredictionRequest returns the body of a request to predict with a model. modelKey is the key
// of the model.
func (t *OutputFile) NewPredictionRequest(modelKey string) *api.NewPrediction {
	return &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: modelKey}, ReasonsInput: api.ReasonsInput{Reasons: int64(t.Reasons)}}
}

// Bind adds --output, --force, --columns and --no-receipt to cmd.
func (t *OutputFile) Bind(cmd *cobra.Command, f *cli.Factory) {
	t.Factory, t.Content = f, "the predictions"
	cmd.Flags().StringVarP(&t.Path, "output", "o", "", "`file` to write the predictions to as CSV, or - for standard output (default BLIND.predictions.csv)")
	cmd.Flags().BoolVar(&t.Force, "force", false, "replace the output file and its receipt if they exist")
	cmd.Flags().Var(&t.Columns, "columns", "write only these `columns`, such as id,prediction,probability; NEW=SOURCE renames a column; put a name that contains a comma or an equals sign in double quotes")
	cmd.Flags().BoolVar(&t.NoReceipt, "no-receipt", false, "do not write the receipt, OUTPUT.receipt.json")
}

// ToStdout reports whether the file goes to standard output: if its path is - or, for example,
// /dev/stdout.
func (t *OutputFile) ToStdout() bool { return t.Factory.IsStdout(t.Path) }

// CheckStdout returns an error if both the file and JSON would go to standard output.
func (t *OutputFile) CheckStdout(o *cli.Output) error {
	if t.ToStdout() && (o.JSON || len(o.Fields) > 0) {
		return exit.Usagef("-o - writes %s to standard output, so it cannot be combined with --json", t.Content).WithHint("write to a file with -o FILE")
	}
	return nil
}

// ResolvePath sets an empty Path to its default, which is next to blind, the file to predict. It
// returns an error if Path is also the path of an input. The inputs are blind and others. It also
// returns the error of CheckMayWrite.
func (t *OutputFile) ResolvePath(blind *preflight.InputTable, others ...*preflight.InputTable) error {
	if t.Path == "" {
		dir := filepath.Dir(blind.Paths[0])
		if blind.IsSpooled() {
			dir = "."
		}
		t.Path = filepath.Join(dir, blind.Stem()+".predictions.csv")
	}
	for _, in := range append(others, blind) {
		if in.HasPath(t.Path) {
			return exit.Usagef("the output \"%s\" is also the input \"%s\"", t.Path, in.Name).WithHint(otherOutputHint)
		}
	}
	return t.CheckMayWrite()
}

// otherOutputHint is the part of hints that says how to choose another output.
const otherOutputHint = "write to another file with -o"

// CheckMayWrite returns an error if the output file or its receipt exists and must not be
// replaced.
func (t *OutputFile) CheckMayWrite() error {
	if t.ToStdout() {
		return nil
	}
	path := t.Path
	if !t.isStream() { // /dev/stdout is a link to a file that has no folder
		path = symlink.Resolve(path)
	}
	if err := cli.CheckOutputPath(path, t.Force, otherOutputHint); err != nil {
		return err
	}
	if t.isStream() {
		return nil
	}
	return t.checkMayWriteReceipt()
}

// isStream reports whether the destination is standard output, a device or a pipe, which can
// neither be replaced nor removed.
func (t *OutputFile) isStream() bool {
	if t.ToStdout() {
		return true
	}
	info, err := os.Stat(t.Path)
	return err == nil && !info.Mode().IsRegular()
}

// IsExistingFile reports whether a file exists at Path. The result would replace this file.
func (t *OutputFile) IsExistingFile() bool {
	_, err := os.Stat(t.Path)
	return err == nil && !t.isStream()
}

// RejectedPath returns a path for a result that must not replace the file at Path, such as
// OUT.rejected.csv for OUT.csv. It is not the path of an input. An earlier rejected result may
// exist there.
func (t *OutputFile) RejectedPath(inputs ...*preflight.InputTable) string {
	ext := filepath.Ext(t.Path)
	base := strings.TrimSuffix(t.Path, ext) + ".rejected"
	path := base + ext
	for n := 2; slices.ContainsFunc(inputs, func(in *preflight.InputTable) bool { return in.HasPath(path) }); n++ {
		path = base + "-" + strconv.Itoa(n) + ext
	}
	return path
}

// CheckMayWriteRejected returns an error if a rejected result could not be written; see
// [OutputFile.RejectedPath]. It returns nil if no file exists at Path, because a rejected result is
// then written to Path.
func (t *OutputFile) CheckMayWriteRejected(inputs ...*preflight.InputTable) error {
	if !t.IsExistingFile() {
		return nil
	}
	rejected := *t
	rejected.Path = t.RejectedPath(inputs...)
	return rejected.CheckMayWrite()
}

// WrittenPaths returns the paths of all files that a run may write: the result, a rejected result,
// and their receipts.
func (t *OutputFile) WrittenPaths() []string {
	if t.isStream() {
		return nil
	}
	rejected := t.RejectedPath()
	return []string{t.Path, receipt.Path(t.Path), rejected, receipt.Path(rejected)}
}

// ResumeCommand returns the command that later downloads the result of the prediction with the
// given key. The command verifies the result against blind, unless blind is nil.
func (t *OutputFile) ResumeCommand(key string, blind *preflight.InputTable) string {
	command := "foretell predictions download " + key
	if blind != nil && !blind.IsSpooled() {
		command += " " + blind.ShellArguments("--blind")
	}
	return command + t.formatFlags()
}

// PredictCommand returns the command that later predicts the file blind and writes the predictions
// to the same output file. model is the name or key of the model, quoted for a shell. If blind is a
// stream, the command has a placeholder for the file.
func (t *OutputFile) PredictCommand(blind *preflight.InputTable, model string) string {
	files := "BLIND.csv"
	if !blind.IsSpooled() {
		files = blind.ShellArguments("")
	}
	command := "foretell predict " + files + " --with " + model
	if t.Reasons > 0 {
		command += " --explain " + strconv.Itoa(t.Reasons)
	}
	return command + t.formatFlags()
}

// formatFlags returns the flags with which a command writes the same file: -o, --columns, --force
// and --no-receipt.
func (t *OutputFile) formatFlags() string {
	flags := ""
	if t.Columns != nil {
		flags += " --columns " + term.ShellQuote(t.Columns.String())
	}
	if t.Force {
		flags += " --force"
	}
	if t.NoReceipt {
		flags += " --no-receipt"
	}
	return flags + " -o " + term.ShellQuote(t.Path)
}
