package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/frame"
	"foretell/internal/tablefile"
)

// layoutFlags holds the flags that say how a file differs from the contract's
// shape: a CSV with commas, the ID first and the label last.
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

// generateIDs as --id asks for an ID column to be made.
const generateIDs = "-"

func (s *layoutFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.label, "label", "", "`column` that is the label (default the one that BLIND lacks, else the last)")
	flags.StringVar(&s.id, "id", "", "`column` that is the row ID (default one that looks like it, else IDs are made); - makes IDs")
	flags.StringSliceVar(&s.drop, "drop", nil, "leave out these `columns`")
	_ = cmd.RegisterFlagCompletionFunc("label", s.completeColumns) // the flags are there
	_ = cmd.RegisterFlagCompletionFunc("id", s.completeColumns)
	_ = cmd.RegisterFlagCompletionFunc("drop", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, _ := s.completeColumns(cmd, args, typed)
		return completeList(names)(cmd, args, typed)
	})
	flags.BoolVar(&s.noHeader, "no-header-row", false, "the files have no header: their columns are called column_1, column_2, …")
	s.bindFormat(cmd)
}

// bindFormat adds the flags that say how the text of a file is read.
func (s *layoutFlags) bindFormat(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.delimiter, "delimiter", "", "character between the fields, or tab (default found out)")
	flags.StringVar(&s.encoding, "encoding", "", "utf-8, utf-16, latin-1, windows-1252, shift_jis, … (default found out)")
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
		return shape, usageErrorf("--delimiter %q: one character is needed, or tab", s.delimiter)
	}
	if err := tablefile.CheckEncoding(s.encoding); err != nil {
		return shape, usageErrorf("--%w", err)
	}
	return shape, nil
}
