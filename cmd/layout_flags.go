package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/frame"
	"foretell/internal/receipt"
	"foretell/internal/tablefile"
)

// layoutFlags holds the flags that describe how a file differs from the canonical form: a
// CSV with commas, the ID first and the label last.
type layoutFlags struct {
	label     string
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

func (s *layoutFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.label, "label", "", "label `column` (default the one missing in BLIND, else the last)")
	flags.StringVar(&s.id, "id", "", "row ID `column` (default one that looks like IDs, else generated); - generates IDs")
	flags.StringSliceVar(&s.drop, "drop", nil, "`columns` to ignore")
	_ = cmd.RegisterFlagCompletionFunc("label", s.completeColumns) // the flags are there
	_ = cmd.RegisterFlagCompletionFunc("id", s.completeColumns)
	_ = cmd.RegisterFlagCompletionFunc("drop", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, _ := s.completeColumns(cmd, args, typed)
		return completeList(names)(cmd, args, typed)
	})
	flags.BoolVar(&s.noHeader, "no-header-row", false, "the files have no header: their columns are named column_1, column_2, …")
	s.bindFormat(cmd)
}

// bindFormat adds the flags for decoding a file.
func (s *layoutFlags) bindFormat(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.delimiter, "delimiter", "", "field separator, or tab (default detected)")
	flags.StringVar(&s.encoding, "encoding", "", "utf-8, utf-16, latin-1, windows-1252, shift_jis, … (default detected)")
	flags.StringVar(&s.sheet, "sheet", "", "sheet of a workbook (default the first)")
	completeValues(cmd, "encoding", "utf-8", "utf-16", "latin-1", "windows-1252")
	completeValues(cmd, "delimiter", ",", ";", "tab", "|")
}

func (s *layoutFlags) frameLayout(blind bool) (frame.Layout, error) {
	shape := frame.Layout{Label: s.label, Drop: s.drop, Blind: blind, Delimiter: frame.DetectDelimiter, Names: s.names, MadeID: s.generatedID, NoHeader: s.noHeader}
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
		return shape, usageErrorf("invalid --delimiter %q: want one character, or tab", s.delimiter)
	}
	if err := tablefile.CheckEncoding(s.encoding); err != nil {
		return shape, usageErrorf("--%w", err)
	}
	return shape, nil
}

// isSet reports whether any of the flags is set.
func (s *layoutFlags) isSet() bool {
	return s.label != "" || s.id != "" || len(s.drop) > 0 || s.delimiter != "" || s.encoding != "" || s.sheet != "" || s.noHeader
}

// restore sets the options that a receipt has recorded.
func (s *layoutFlags) restore(o *receipt.Options) {
	if o != nil {
		s.label, s.id, s.drop, s.delimiter, s.encoding, s.sheet = o.Label, o.ID, o.Drop, o.Delimiter, o.Encoding, o.Sheet
		s.generatedID, s.names, s.noHeader = o.MadeID, o.Names, o.NoHeader
	}
}
