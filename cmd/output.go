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

// output prints a command's result in the form that was asked for.
type output struct {
	host *factory
	cmd  *cobra.Command
	// members are the JSON members of what the command prints; nil if they are known
	// only from the result.
	members []string

	json     bool
	fields   []string
	filter   filter // of --jq or --template; nil for none
	csv      bool
	tsv      bool
	noHeader bool
	quiet    bool
	// noTruncate keeps a list's cells as long as they are on a narrow terminal, too.
	noTruncate bool
	// emptyHint is the command that makes the first item of a list; a terminal shows
	// it in place of an empty list.
	emptyHint string
}

// resultType tells bindItem and bindList what a command prints, so that --fields
// can be checked before anything is done.
func resultType[T any]() reflect.Type { return reflect.TypeFor[T]() }

// bindItem adds the flags of a command whose result is one thing, of one of
// the types.
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
	flags.BoolVar(&o.json, "json", false, "print one JSON document")
	flags.Var((*fieldsFlag)(o), "fields", "print only these members, by their JSON `names`")
	o.bindFilter()
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "print only the key or path; no progress, no notices")
	setGroup(flags, groupOutput, "json", "fields", "jq", "template", "quiet")
	_ = cmd.RegisterFlagCompletionFunc("fields", completeList(o.members)) // the flag is there
}

// bindList adds the flags of a command whose result is a list of things of the
// type.
func (o *output) bindList(cmd *cobra.Command, f *factory, types ...reflect.Type) {
	o.bindItem(cmd, f, types...)
	flags := cmd.Flags()
	flags.BoolVar(&o.csv, "csv", false, "print CSV")
	flags.BoolVar(&o.tsv, "tsv", false, "print tab-separated values, as in a pipe")
	flags.BoolVar(&o.noHeader, "no-header", false, "leave the header line out")
	setGroup(flags, groupOutput, "csv", "tsv", "no-header")
	for _, form := range []string{"json", "jq", "template"} {
		cmd.MarkFlagsMutuallyExclusive(form, "csv", "tsv", "quiet")
		cmd.MarkFlagsMutuallyExclusive(form, "no-header")
	}
	cmd.MarkFlagsMutuallyExclusive("quiet", "no-header")
}

// fieldsFlag is the flag --fields of an output.
type fieldsFlag output

func (f *fieldsFlag) String() string { return strings.Join(f.fields, ",") }

// Set takes names with commas between them.
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

// Type is what pflag calls the value.
func (f *fieldsFlag) Type() string { return "strings" }

func validateField(name string, members []string) error {
	if members == nil || slices.Contains(members, name) {
		return nil
	}
	return usageErrorf("--fields: there is no %q", name).withHint("the fields are %s", strings.Join(members, ", "))
}

// listFlags is the flag of every list.
type listFlags struct {
	limit uint
}

func (l *listFlags) bind(cmd *cobra.Command) {
	cmd.Flags().UintVar(&l.limit, "limit", 0, "print at most `N`, the newest; 0 prints all")
}

// note tells a fact beside the result, unless the user wants quiet.
func (o *output) note(format string, args ...any) {
	if !o.quiet {
		o.host.note(format, args...)
	}
}

// printList prints items; columns are the members shown where --fields names none,
// the first of them the key.
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

// noteEmpty reports whether n is 0 and a terminal was told so, where an empty list
// would be a bare header.
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

// firstRunHint are the commands that fill all the lists of a service.
const firstRunHint = "`foretell demo` or `foretell run TRAIN.csv --blind BLIND.csv`"

// toRecords returns the members of things of one type.
func toRecords[T any](items []T) (records []term.Record, err error) {
	records = make([]term.Record, len(items))
	for i, item := range items {
		if records[i], err = term.NewRecord(item); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// printItem prints one thing as its members, those without a value left out;
// columns are the members shown where --fields names none, the first of them
// the key.
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

// chooseColumns checks the columns against the members of the type that is printed.
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

// printJSON prints v as JSON, or what --jq or --template makes of it.
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

// writeTable is table, but with pages set it shows a table longer than the terminal in the
// pager.
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
