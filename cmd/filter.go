package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"

	"foretell/internal/term"
)

// filter makes something else of a result's JSON: the query of --jq or the
// template of --template. Both are read with the flags, so that what is wrong
// with them is found before anything is done.
type filter interface {
	// apply writes what it makes of doc, which is v as JSON reads it back.
	apply(o *output, b *bytes.Buffer, v, doc any) error
}

// filterFlag is a flag whose text is read by parse, and that implies --json.
type filterFlag struct {
	out   *output
	text  string
	parse func(text string) (filter, error)
}

func (f *filterFlag) String() string { return f.text }

// Set reads the filter.
func (f *filterFlag) Set(text string) error {
	read, err := f.parse(text)
	if err != nil {
		return err
	}
	f.text, f.out.filter, f.out.json = text, read, true
	return nil
}

// Type is what pflag calls the value.
func (f *filterFlag) Type() string { return "string" }

// bindFilter adds --jq and --template.
func (o *output) bindFilter() {
	flags := o.cmd.Flags()
	flags.Var(&filterFlag{out: o, parse: parseQuery}, "jq", "print the results of this jq `expression` on the JSON; text without quotes")
	flags.Var(&filterFlag{out: o, parse: o.parseTemplate}, "template", "print what this Go `template` makes of the JSON; see `foretell help output`")
	o.cmd.MarkFlagsMutuallyExclusive("jq", "template")
}

// printFiltered prints v as the filter makes it. Nothing is printed if that fails.
func (o *output) printFiltered(v any) error {
	encoded, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var doc any
	dec := json.NewDecoder(bytes.NewReader(encoded))
	dec.UseNumber() // a number is printed as the service wrote it
	if err := dec.Decode(&doc); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := o.filter.apply(o, &b, v, doc); err != nil {
		return err
	}
	return o.printText(b.String())
}

// printText prints a text as it is; a terminal is kept from being steered by it.
func (o *output) printText(text string) error {
	if o.host.console.OutTerminal {
		text = term.EscapeText(text)
	}
	_, err := o.host.console.Out.Write([]byte(text))
	return err
}

// jqFilter is a compiled jq expression.
type jqFilter struct {
	text string
	code *gojq.Code
}

func parseQuery(text string) (filter, error) {
	parsed, err := gojq.Parse(text)
	if err != nil {
		var at *gojq.ParseError
		if !errors.As(err, &at) {
			return nil, usageErrorf("--jq %s: %w", shellQuote(text), err)
		}
		// The offset is where reading stopped: behind what was not expected.
		return nil, usageErrorf("--jq %s: %w at position %d", shellQuote(text), err, at.Offset-len(at.Token)+1).
			withHint("an expression selects from the JSON, such as '.[].datasetName'")
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, usageErrorf("--jq %s: %w", shellQuote(text), err)
	}
	return &jqFilter{text, code}, nil
}

// apply writes one result a line: text as it is, nothing for null, all else as
// JSON.
func (q *jqFilter) apply(o *output, b *bytes.Buffer, _, doc any) error {
	results := q.code.RunWithContext(o.cmd.Context(), doc)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		switch r := result.(type) {
		case *gojq.HaltError:
			if r.Value() == nil {
				return nil
			}
			return usageErrorf("--jq %s: %w", shellQuote(q.text), r)
		case error:
			if err := o.cmd.Context().Err(); err != nil {
				return err
			}
			return usageErrorf("--jq %s: %w", shellQuote(q.text), r).withHint("see the JSON that it is given with --json")
		case nil:
		case string:
			b.WriteString(r)
		default:
			encoded, err := gojq.Marshal(r)
			if err != nil {
				return fmt.Errorf("--jq: %w", err)
			}
			b.Write(encoded)
		}
		b.WriteByte('\n')
	}
}

// isFilterFlag reports whether an argument is one of the flags that imply --json.
func isFilterFlag(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return name == "--jq" || name == "--template"
}
