package cmd

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/term"
)

// output prints a command's result in the requested format.
type output struct {
	host *factory
	cmd  *cobra.Command
	// members are the JSON fields of the result; nil if they are only known from the
	// result.
	members []string

	json     bool
	fields   []string
	filter   filter // of --jq or --template; nil for none
	csv      bool
	tsv      bool
	noHeader bool
	quiet    bool
	// noTruncate disables truncating cells on a narrow terminal.
	noTruncate bool
	// emptyHint is the command that creates the first item of a list. A terminal shows it
	// instead of an empty list.
	emptyHint string
}

// resultType returns the type of a command's result for bindItem and bindList, so that
// --fields is checked before the command runs.
func resultType[T any]() reflect.Type { return reflect.TypeFor[T]() }

// bindItem adds the flags of a command whose result is one item of one of the types.
func (o *output) bindItem(cmd *cobra.Command, f *factory, types ...reflect.Type) {
	o.host, o.cmd = f, cmd
	for _, t := range types {
		for _, name := range term.MemberNames(t) {
			if !slices.Contains(o.members, name) {
				o.members = append(o.members, name)
			}
		}
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "print one JSON document, also for errors")
	flags.Var((*fieldsFlag)(o), "fields", "print only these fields, by their JSON `names`")
	o.bindFilter()
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "print only the key or path; no progress, no notices")
	setGroup(flags, groupOutput, "json", "fields", "jq", "template", "quiet")
	_ = cmd.RegisterFlagCompletionFunc("fields", completeList(o.members)) // the flag is there
}

// bindList adds the flags of a command whose result is a list of items of the type.
func (o *output) bindList(cmd *cobra.Command, f *factory, types ...reflect.Type) {
	o.bindItem(cmd, f, types...)
	flags := cmd.Flags()
	flags.BoolVar(&o.csv, "csv", false, "print CSV")
	flags.BoolVar(&o.tsv, "tsv", false, "print tab-separated values, as in a pipe")
	flags.BoolVar(&o.noHeader, "no-header", false, "omit the header line")
	setGroup(flags, groupOutput, "csv", "tsv", "no-header")
	for _, form := range []string{"json", "jq", "template"} {
		cmd.MarkFlagsMutuallyExclusive(form, "csv", "tsv", "quiet")
		cmd.MarkFlagsMutuallyExclusive(form, "no-header")
	}
	cmd.MarkFlagsMutuallyExclusive("quiet", "no-header")
}

// fieldsFlag is the value of --fields.
type fieldsFlag output

func (f *fieldsFlag) String() string { return strings.Join(f.fields, ",") }

// Set parses comma-separated names.
func (f *fieldsFlag) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if err := validateField(name, f.members); err != nil {
			return err
		}
		f.fields = append(f.fields, name)
	}
	return nil
}

// Type returns the name of the type for pflag.
func (f *fieldsFlag) Type() string { return "strings" }

func validateField(name string, members []string) error {
	if members == nil || slices.Contains(members, name) {
		return nil
	}
	return usageErrorf("--fields: unknown field %q", name).withHint("known fields: %s", strings.Join(members, ", "))
}

// listFlags holds the flags of every list command.
type listFlags struct {
	limit uint
}

func (l *listFlags) bind(cmd *cobra.Command) {
	cmd.Flags().UintVar(&l.limit, "limit", 0, "print at most the `N` newest; 0 prints all")
}

// note prints a notice to standard error unless --quiet is set.
func (o *output) note(format string, args ...any) {
	if !o.quiet {
		o.host.note(format, args...)
	}
}

// printList prints items. columns are the default fields, the key first.
func printList[T any](o *output, items []T, columns ...string) error {
	columns, err := o.chooseColumns(reflect.TypeFor[T](), columns)
	if err != nil {
		return err
	}
	records, err := toRecords(items)
	if err != nil {
		return err
	}
	switch {
	case o.json && len(o.fields) == 0:
		if items == nil {
			items = []T{}
		}
		return o.printJSON(items)
	case o.json:
		return o.printSelected(records)
	case o.quiet:
		for _, r := range records {
			fmt.Fprintln(o.host.console.Out, term.Escape(r.Text(columns[0])))
		}
		return nil
	}
	if o.noteEmpty(len(items)) {
		return nil
	}
	if err := o.writeTable(o.tabulate(records, columns), true); err != nil {
		return err
	}
	o.noteInterrupted(records)
	return nil
}

// noteEmpty reports whether n is 0 and a notice was printed instead of a bare header.
func (o *output) noteEmpty(n int) bool {
	if n > 0 || o.emptyHint == "" || o.csv || o.tsv || !o.host.console.OutTerminal {
		return false
	}
	flags := o.cmd.Flags()
	if flags.NArg() > 0 || flags.Changed("state") || flags.Changed("with-model") || flags.Changed("dataset") || flags.Changed("model") {
		o.note("none")
	} else {
		o.note("none yet: %s", o.emptyHint)
	}
	return true
}

// firstRunHint has the commands that create the first items.
const firstRunHint = "`foretell demo` or `foretell run TRAIN.csv --blind BLIND.csv`"

// toRecords returns the fields of items.
func toRecords[T any](items []T) (records []term.Record, err error) {
	records = make([]term.Record, len(items))
	for i, item := range items {
		if records[i], err = term.NewRecord(item); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// printItem prints the fields of one item, except empty ones. columns are the default
// fields, the key first.
func printItem[T any](o *output, v T, columns ...string) error {
	columns, err := o.chooseColumns(reflect.TypeFor[T](), columns)
	if err != nil {
		return err
	}
	record, err := term.NewRecord(v)
	if err != nil {
		return err
	}
	switch {
	case o.json && len(o.fields) == 0:
		return o.printJSON(v)
	case o.json:
		doc, err := record.Select(o.fields)
		if err != nil {
			return err
		}
		return o.printJSON(doc)
	case o.quiet:
		return o.printLine(record.Text(columns[0]))
	}
	t := &term.Table{NoTruncate: true}
	for _, name := range columns {
		cell := o.cell(name, record)
		if cell.Text == "" && len(o.fields) == 0 {
			continue
		}
		cell.Short = ""
		t.Rows = append(t.Rows, []term.Cell{{Text: name, Style: o.host.console.OutStyle.Dim}, cell})
	}
	if err := o.printTable(t); err != nil {
		return err
	}
	o.noteInterrupted([]term.Record{record})
	return nil
}

// chooseColumns returns the selected fields, checked against the type, or columns by
// default.
func (o *output) chooseColumns(t reflect.Type, columns []string) ([]string, error) {
	if len(o.fields) == 0 {
		return columns, nil
	}
	known := o.members // checked once, and more than t has where the command prints other things too
	if known == nil {
		known = term.MemberNames(t)
	}
	for _, field := range o.fields {
		if err := validateField(field, known); err != nil {
			return nil, err
		}
	}
	return o.fields, nil
}

func (o *output) printSelected(records []term.Record) error {
	docs := make([]json.RawMessage, len(records))
	for i, r := range records {
		doc, err := r.Select(o.fields)
		if err != nil {
			return err
		}
		docs[i] = doc
	}
	return o.printJSON(docs)
}

// printJSON prints v as JSON, or the output of --jq or --template.
func (o *output) printJSON(v any) error {
	if o.filter != nil {
		return o.printFiltered(v)
	}
	b, err := term.EncodeJSON(v)
	if err != nil {
		return err
	}
	_, err = o.host.console.Out.Write(b)
	return err
}

// printLine prints a path or a key.
func (o *output) printLine(text string) error {
	_, err := fmt.Fprintln(o.host.console.Out, text)
	return err
}

// printTable prints a table: aligned on a terminal, TSV in a pipe.
func (o *output) printTable(t *term.Table) error { return o.writeTable(t, false) }

// writeTable is printTable; if pages is set, a table longer than the terminal is shown in
// the pager.
func (o *output) writeTable(t *term.Table, pages bool) error {
	if o.noHeader {
		t.Header = nil
	}
	c := o.host.console
	switch {
	case o.csv:
		return t.WriteCSV(c.Out)
	case o.tsv, !c.OutTerminal:
		return t.WriteTSV(c.Out)
	}
	return o.writeAligned(t, pages)
}
