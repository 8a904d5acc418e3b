package preflight

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/receipt"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/repair"
	"foretell/internal/tablefile"
)

// LayoutFlags holds the flags that describe how a file differs from the canonical form: a
// CSV with commas, the ID first and the label last.
type LayoutFlags struct {
	Label     string
	id        string
	drop      columnList
	delimiter string
	encoding  string
	sheet     string
	skipRows  int
	noHeader  bool
	orUTF8    bool // the encoding applies only to text that is neither UTF-8 nor UTF-16
	// trainingID is the name of the training file's ID column; "" means that --id applies to both
	// files.
	trainingID string
	// trainingColumns are the only columns of the training file that become features; nil for all
	// columns.
	trainingColumns []string

	columnNames  []string // names of the columns; nil if the header names them
	generatedID  string   // name of a generated ID column
	addedColumns []string // names of added columns
}

// maxSkipRows is the largest value of --skip-rows.
const maxSkipRows = 10_000

// generateIDs is the value of --id that requests a generated ID column.
const generateIDs = "-"

// RoleHelp says in the help of --label and --id which columns a command uses without these flags.
type RoleHelp struct {
	label string // the help of --label
	id    string // the default of --id
}

// The help of commands that read only a training file; a training file and perhaps a blind file; a
// blind file, whose model is known; and a blind file that was predicted, whose receipt is known.
var (
	TrainingRoles  = RoleHelp{label: "`column` of the labels (default the last column)", id: inferredID}
	BothFilesRoles = RoleHelp{label: "`column` of the labels (default the column that BLIND lacks or has without values, or else the last column)", id: inferredID}
	BlindRoles     = RoleHelp{label: "`column` of the labels in BLIND (default the label of the training file, if BLIND has this column)", id: "the ID column of the training file, or else " + inferredID}
	PredictedRoles = RoleHelp{label: "`column` of the labels in BLIND (default as in the prediction)", id: "as in the prediction"}
)

// inferredID is the default of --id for a file whose IDs no other file names.
const inferredID = "a column that looks like IDs, or else generated IDs"

// Bind adds --label, --id, --drop and the flags of the format to cmd.
func (l *LayoutFlags) Bind(cmd *cobra.Command, help RoleHelp) {
	flags := cmd.Flags()
	flags.StringVar(&l.Label, "label", "", help.label)
	flags.StringVar(&l.id, "id", "", "`column` of the row IDs, or - to generate IDs (default "+help.id+")")
	flags.Var(&l.drop, "drop", "`columns` to ignore, separated by commas; in a list, put a name that contains a comma in double quotes")
	_ = cmd.RegisterFlagCompletionFunc("label", l.completeColumns) // fails only if the flag does not exist
	_ = cmd.RegisterFlagCompletionFunc("id", l.completeColumns)
	_ = cmd.RegisterFlagCompletionFunc("drop", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, _ := l.completeColumns(cmd, args, typed)
		return cli.CompleteList(names)(cmd, args, typed)
	})
	flags.BoolVar(&l.noHeader, "no-header-row", false, "the files have no header; their columns are called column_1, column_2, …")
	l.BindFormat(cmd)
}

// BindTrainingRoles adds two hidden flags with which `foretell replay` sets the columns of the
// training file: --training-id and --training-columns. If --training-id is set, --id applies only to
// the blind file.
func (l *LayoutFlags) BindTrainingRoles(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.trainingID, "training-id", "", "`column` of the row IDs of the training file; if it has no such column, IDs are generated")
	cmd.Flags().StringSliceVar(&l.trainingColumns, "training-columns", nil, "the only `columns` of the training file that are features")
	for _, name := range []string{"training-id", "training-columns"} {
		_ = cmd.Flags().MarkHidden(name) // the flag exists
	}
}

// BindFormat adds the flags that describe the format of a file, such as --delimiter and --encoding.
func (l *LayoutFlags) BindFormat(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&l.delimiter, "delimiter", "", "character that separates fields, or tab (default detected)")
	flags.StringVar(&l.encoding, "encoding", "", "encoding of the file: utf-8, utf-16, latin-1, windows-1252, shift_jis, … (default detected)")
	flags.StringVar(&l.sheet, "sheet", "", "name of the sheet to read from a workbook (default the first visible sheet)")
	flags.IntVar(&l.skipRows, "skip-rows", 0, "`number` of lines or rows of a sheet to ignore above the header")
	cli.SetFlagCompletions(cmd, "encoding", "utf-8", "utf-16", "latin-1", "windows-1252")
	cli.SetFlagCompletions(cmd, "delimiter", ",", ";", "tab", "|")
}

// BindAnswersFormat adds the flags that describe the format of a file of true labels. answers is
// the name of this file in the help.
func (l *LayoutFlags) BindAnswersFormat(cmd *cobra.Command, answers string) {
	l.BindFormat(cmd)
	flags := cmd.Flags()
	flags.Lookup("delimiter").Usage = "character that separates the fields of " + answers + ", or tab (default detected)"
	flags.Lookup("encoding").Usage = "encoding of " + answers + ", and of predictions that are not Unicode: latin-1, windows-1252, shift_jis, … (default detected)"
	flags.Lookup("skip-rows").Usage = "`number` of lines or rows of a sheet to ignore above the header of " + answers
	flags.Lookup("sheet").Usage = "name of the sheet of " + answers + " to read from a workbook (default the first visible sheet)"
}

// ForPredictions returns the flags for a file of predictions; l describes the file of the true
// labels. The format of the predictions is detected, because the two formats often differ. Of l,
// only the encoding is kept. It is used if the predictions are neither UTF-8 nor UTF-16.
func (l *LayoutFlags) ForPredictions() *LayoutFlags {
	return &LayoutFlags{encoding: l.encoding, orUTF8: true}
}

func (l *LayoutFlags) parseLayout(blind bool) (repair.Layout, error) {
	layout := repair.Layout{Label: l.Label, Drop: l.drop.GetSlice(), Blind: blind, Delimiter: csvfile.AutoDelimiter, Names: l.columnNames, GeneratedIDName: l.generatedID, Add: l.addedColumns, NoHeader: l.noHeader}
	switch {
	case l.id == generateIDs:
		layout.GenerateID = true
	case l.generatedID != "": // set by SetFromReceipt
		layout.GenerateID, layout.CopyID = true, l.id
	default:
		layout.ID = l.id
	}
	switch {
	case l.delimiter == "":
	case l.delimiter == "tab" || l.delimiter == `\t`:
		layout.Delimiter = '\t'
	case len(l.delimiter) == 1 && !strings.ContainsAny(l.delimiter, "\"\r\n"):
		layout.Delimiter = l.delimiter[0]
	default:
		return layout, exit.Usagef("invalid --delimiter %q: must be a single character or the word \"tab\"", l.delimiter)
	}
	if l.skipRows < 0 || l.skipRows > maxSkipRows {
		return layout, exit.Usagef("invalid --skip-rows %d: must be between 0 and %d", l.skipRows, maxSkipRows)
	}
	if err := tablefile.CheckEncoding(l.encoding); err != nil {
		return layout, exit.Usagef("invalid --%w", err)
	}
	return layout, nil
}

// SetFromReceipt sets each flag that has not been set, to the option of the receipt.
func (l *LayoutFlags) SetFromReceipt(o *receipt.Options) {
	if o == nil {
		return
	}
	if l.id == "" {
		l.id, l.generatedID = o.ID, o.MadeID
	}
	drop := l.drop.GetSlice()
	if len(drop) == 0 {
		drop = o.Drop
	}
	l.drop = newColumnList(slices.Concat(drop, o.Ignored))
	l.Label, l.delimiter, l.encoding, l.sheet = cmp.Or(l.Label, o.Label), cmp.Or(l.delimiter, o.Delimiter), cmp.Or(l.encoding, o.Encoding), cmp.Or(l.sheet, o.Sheet)
	l.skipRows, l.noHeader = cmp.Or(l.skipRows, o.SkipRows), l.noHeader || o.NoHeader
	l.addedColumns, l.columnNames = o.Added, o.Names
}
