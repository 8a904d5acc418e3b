package preflight

import (
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
	drop      []string
	delimiter string
	encoding  string
	sheet     string
	noHeader  bool

	names       []string // of the columns; nil for those of the header
	generatedID string   // name of an ID column that is made
}

// generateIDs is the value of --id that requests a generated ID column.
const generateIDs = "-"

// Bind adds --label, --id and --drop to cmd.
func (s *LayoutFlags) Bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.Label, "label", "", "label `column` (default the one missing in BLIND, else the last)")
	flags.StringVar(&s.id, "id", "", "row ID `column` (default one that looks like IDs, else generated); - generates IDs")
	flags.StringSliceVar(&s.drop, "drop", nil, "`columns` to ignore")
	_ = cmd.RegisterFlagCompletionFunc("label", s.completeColumns) // the flags are there
	_ = cmd.RegisterFlagCompletionFunc("id", s.completeColumns)
	_ = cmd.RegisterFlagCompletionFunc("drop", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, _ := s.completeColumns(cmd, args, typed)
		return cli.CompleteList(names)(cmd, args, typed)
	})
	flags.BoolVar(&s.noHeader, "no-header-row", false, "the files have no header: their columns are named column_1, column_2, …")
	s.BindFormat(cmd)
}

// BindFormat adds the flags for decoding a file.
func (s *LayoutFlags) BindFormat(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.delimiter, "delimiter", "", "field separator, or tab (default detected)")
	flags.StringVar(&s.encoding, "encoding", "", "utf-8, utf-16, latin-1, windows-1252, shift_jis, … (default detected)")
	flags.StringVar(&s.sheet, "sheet", "", "sheet of a workbook (default the first)")
	cli.CompleteValues(cmd, "encoding", "utf-8", "utf-16", "latin-1", "windows-1252")
	cli.CompleteValues(cmd, "delimiter", ",", ";", "tab", "|")
}

func (s *LayoutFlags) frameLayout(blind bool) (repair.Layout, error) {
	shape := repair.Layout{Label: s.Label, Drop: s.drop, Blind: blind, Delimiter: csvfile.AutoDelimiter, Names: s.names, MadeID: s.generatedID, NoHeader: s.noHeader}
	if s.id == generateIDs {
		shape.MakeID = true
	} else {
		shape.ID = s.id
	}
	switch {
	case s.delimiter == "":
	case s.delimiter == "tab" || s.delimiter == `\t`:
		shape.Delimiter = '\t'
	case len(s.delimiter) == 1 && !strings.ContainsAny(s.delimiter, "\"\r\n"):
		shape.Delimiter = s.delimiter[0]
	default:
		return shape, exit.Usagef("invalid --delimiter %q: want one character, or tab", s.delimiter)
	}
	if err := tablefile.CheckEncoding(s.encoding); err != nil {
		return shape, exit.Usagef("--%w", err)
	}
	return shape, nil
}

// IsSet reports whether any of the flags is set.
func (s *LayoutFlags) IsSet() bool {
	return s.Label != "" || s.id != "" || len(s.drop) > 0 || s.delimiter != "" || s.encoding != "" || s.sheet != "" || s.noHeader
}

// Restore sets the options that a receipt has recorded.
func (s *LayoutFlags) Restore(o *receipt.Options) {
	if o != nil {
		s.Label, s.id, s.drop, s.delimiter, s.encoding, s.sheet = o.Label, o.ID, o.Drop, o.Delimiter, o.Encoding, o.Sheet
		s.generatedID, s.names, s.noHeader = o.MadeID, o.Names, o.NoHeader
	}
}
