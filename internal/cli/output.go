package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/exit"
	"foretell/internal/term"
)

// Output prints a command's result in the requested format.
type Output struct {
	Factory *Factory
	Cmd     *cobra.Command
	// fieldNames are the JSON fields of the result; nil if they are unknown.
	fieldNames []string

	JSON     bool
	Fields   []string
	Filter   filter // --jq or --template; nil if neither is set
	csv      bool
	tsv      bool
	noHeader bool
	Quiet    bool
	// NoTruncate disables truncating cells on a narrow terminal.
	NoTruncate bool
	// Untrusted is set if a list has texts of unknown people, such as requests for an account. A
	// CSV of the list then has neither formulas nor control characters.
	Untrusted bool
	// EmptyHint is the command that creates the first item of a list. It is printed on a
	// terminal if the list is empty, unless Filtered is set.
	EmptyHint string
	// Filtered is set if the list has only some of the items, as with --state.
	Filtered bool
}

// ResultType returns the type T of the result of a command. BindItem and BindList use it to
// check --fields before the command runs.
func ResultType[T any]() reflect.Type { return reflect.TypeFor[T]() }

// BindItem adds the output flags to a command whose result is one item. types are the types
// that the item may have.
func (o *Output) BindItem(cmd *cobra.Command, f *Factory, types ...reflect.Type) {
	o.Factory, o.Cmd = f, cmd
	for _, t := range types {
		for _, name := range term.JSONFieldNames(t) {
			if !slices.Contains(o.fieldNames, name) {
				o.fieldNames = append(o.fieldNames, name)
			}
		}
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.JSON, "json", false, "print one JSON document, even for errors")
	flags.Var((*fieldsFlag)(o), "fields", "print only these fields, a list of JSON `names`")
	o.BindFilter()
	flags.BoolVarP(&o.Quiet, "quiet", "q", false, "print only the key or path; no progress, notices or warnings")
	SetFlagGroup(flags, GroupOutput, "json", "fields", "jq", "template", "quiet")
	_ = cmd.RegisterFlagCompletionFunc("fields", CompleteList(o.fieldNames)) // fails only if the flag is not defined
}

// BindList adds the output flags to a command whose result is a list. types are the types that
// its items may have.
func (o *Output) BindList(cmd *cobra.Command, f *Factory, types ...reflect.Type) {
	o.BindItem(cmd, f, types...)
	flags := cmd.Flags()
	flags.BoolVar(&o.csv, "csv", false, "print CSV")
	flags.BoolVar(&o.tsv, "tsv", false, "print tab-separated values, as in a pipe")
	flags.BoolVar(&o.noHeader, "no-header", false, "omit the header line")
	SetFlagGroup(flags, GroupOutput, "csv", "tsv", "no-header")
	for _, form := range []string{"json", "jq", "template"} {
		cmd.MarkFlagsMutuallyExclusive(form, "csv", "tsv", "quiet")
		cmd.MarkFlagsMutuallyExclusive(form, "no-header")
	}
	cmd.MarkFlagsMutuallyExclusive("quiet", "no-header")
}

// fieldsFlag is the value of --fields.
type fieldsFlag Output

func (f *fieldsFlag) String() string { return strings.Join(f.Fields, ",") }

// Set parses comma-separated names.
func (f *fieldsFlag) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if err := validateField(name, f.fieldNames); err != nil {
			return err
		}
		f.Fields = append(f.Fields, name)
	}
	return nil
}

// Type returns the name of the type for pflag.
func (f *fieldsFlag) Type() string { return "strings" }

func validateField(name string, members []string) error {
	if members == nil || slices.Contains(members, name) {
		return nil
	}
	return exit.Usagef("--fields: unknown field %q", name).WithHint("known fields: %s", strings.Join(members, ", "))
}

// ListFlags holds the flags of every list command.
type ListFlags struct {
	Limit uint
}

// Bind adds --limit to cmd.
func (l *ListFlags) Bind(cmd *cobra.Command) {
	cmd.Flags().UintVar(&l.Limit, "limit", 0, "print at most the `N` newest items; 0 prints all")
}

// Note prints a notice to standard error unless --quiet is set.
func (o *Output) Note(format string, args ...any) {
	if !o.Quiet {
		o.Factory.Note(format, args...)
	}
}

// PrintList prints items. columns are the fields to print if --fields is not set. The first
// column is the key; --quiet prints only the keys.
func PrintList[T any](o *Output, items []T, columns ...string) error {
	if items == nil {
		items = []T{} // in JSON, an empty list
	}
	return o.printList(items, reflect.TypeFor[T](), columns)
}

// printList does the same as PrintList. items is a slice whose elements have the type element.
// printList is not generic, because the program would then contain a copy of it for each type.
func (o *Output) printList(items any, element reflect.Type, columns []string) error {
	columns, err := o.chooseColumns(element, columns)
	if err != nil {
		return err
	}
	records, err := ToRecords(items)
	if err != nil {
		return err
	}
	switch {
	case o.JSON && len(o.Fields) == 0:
		return o.PrintJSON(items)
	case o.JSON:
		return o.printSelected(records)
	case o.Quiet:
		for _, r := range records {
			fmt.Fprintln(o.Factory.Console.Out, term.Escape(r.Text(columns[0])))
		}
		return nil
	}
	if o.NoteIfEmpty(len(records)) {
		return nil
	}
	if err := o.WriteTable(o.Tabulate(records, columns), true); err != nil {
		return err
	}
	o.noteInterrupted(records)
	return nil
}

// NoteIfEmpty prints a notice in place of an empty list, and reports whether it has done so. It
// prints nothing if the output is not a terminal, with --csv or --tsv, or if EmptyHint is not set.
// n is the number of items of the list.
func (o *Output) NoteIfEmpty(n int) (printed bool) {
	if n > 0 || o.EmptyHint == "" || o.csv || o.tsv || !o.Factory.Console.OutTerminal {
		return false
	}
	if o.Filtered {
		o.Note("none")
	} else {
		o.Note("none yet: %s", o.EmptyHint)
	}
	return true
}

// FirstRunHint names the commands that create a dataset, a race, a model and a prediction.
const FirstRunHint = "`foretell demo` or `foretell run TRAIN.csv --blind BLIND.csv`"

// ToRecords returns the JSON fields of each element of a slice of any type.
func ToRecords(slice any) (records []term.Record, err error) {
	items := reflect.ValueOf(slice)
	records = make([]term.Record, items.Len())
	for i := range records {
		if records[i], err = term.NewRecord(items.Index(i).Interface()); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// PrintItem prints the fields of one item. columns are the fields to print if --fields is not
// set; a field without a value is omitted. The first column is the key; --quiet prints only the
// key.
func PrintItem(o *Output, v any, columns ...string) error {
	columns, err := o.chooseColumns(reflect.TypeOf(v), columns)
	if err != nil {
		return err
	}
	record, err := term.NewRecord(v)
	if err != nil {
		return err
	}
	switch {
	case o.JSON && len(o.Fields) == 0:
		return o.PrintJSON(v)
	case o.JSON:
		doc, err := record.Select(o.Fields)
		if err != nil {
			return err
		}
		return o.PrintJSON(doc)
	case o.Quiet:
		return o.PrintLine(record.Text(columns[0]))
	}
	t := &term.Table{NoTruncate: true}
	for _, name := range columns {
		cell := o.formatCell(name, record)
		if cell.Text == "" && len(o.Fields) == 0 {
			continue
		}
		cell.Short = ""
		t.Rows = append(t.Rows, []term.Cell{{Text: name, Style: o.Factory.Console.OutStyle.Dim}, cell})
	}
	if err := o.PrintTable(t); err != nil {
		return err
	}
	o.noteInterrupted([]term.Record{record})
	return nil
}

// chooseColumns returns the value of --fields after checking it, or columns if --fields is not
// set.
func (o *Output) chooseColumns(t reflect.Type, columns []string) ([]string, error) {
	if len(o.Fields) == 0 {
		return columns, nil
	}
	known := o.fieldNames // the fields of all types that the command prints
	if known == nil {
		known = term.JSONFieldNames(t)
	}
	for _, field := range o.Fields {
		if err := validateField(field, known); err != nil {
			return nil, err
		}
	}
	return o.Fields, nil
}

func (o *Output) printSelected(records []term.Record) error {
	docs := make([]json.RawMessage, len(records))
	for i, r := range records {
		doc, err := r.Select(o.Fields)
		if err != nil {
			return err
		}
		docs[i] = doc
	}
	return o.PrintJSON(docs)
}

// PrintJSON prints v as JSON, or the output of --jq or --template.
func (o *Output) PrintJSON(v any) error {
	if o.Filter != nil {
		return o.printFiltered(v)
	}
	b, err := term.EncodeJSON(v)
	if err != nil {
		return err
	}
	_, err = o.Factory.Console.Out.Write(b)
	return err
}

// PrintLine prints a path or a key.
func (o *Output) PrintLine(text string) error {
	_, err := fmt.Fprintln(o.Factory.Console.Out, text)
	return err
}

// PrintTable prints a table as CSV or TSV if a flag selects that. By default, the table is aligned on a
// terminal, and TSV in a pipe.
func (o *Output) PrintTable(t *term.Table) error { return o.WriteTable(t, false) }

// IsAligned reports whether tables are printed for a person: on a terminal, and neither as
// CSV nor as TSV.
func (o *Output) IsAligned() bool { return !o.csv && !o.tsv && o.Factory.Console.OutTerminal }

// WriteTable is like PrintTable. If usePager is set, a table longer than the terminal is shown
// in the pager.
func (o *Output) WriteTable(t *term.Table, usePager bool) error {
	if o.noHeader {
		t.Header = nil
	}
	c := o.Factory.Console
	switch {
	case o.csv:
		if o.Untrusted {
			t.EscapeTexts(term.EscapeForSpreadsheet)
		} else if c.OutTerminal {
			t.EscapeTexts(term.Escape)
		}
		return t.WriteCSV(c.Out)
	case o.tsv, !c.OutTerminal:
		return t.WriteTSV(c.Out)
	}
	return o.writeAligned(t, usePager)
}
