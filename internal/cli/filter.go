package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"

	"foretell/internal/exit"
	"foretell/internal/term"
)

// filter formats the JSON of a result for --jq or --template. It is parsed together with the flags,
// so that a syntax error is reported before the command runs.
type filter interface {
	// apply writes the formatted result v to b. doc is the decoded JSON of v.
	apply(o *Output, b *bytes.Buffer, v, doc any) error
}

// filterFlag is the value of --jq or --template. Setting the flag also sets Filter and JSON of out.
type filterFlag struct {
	out   *Output
	text  string
	parse func(text string) (filter, error)
}

func (f *filterFlag) String() string { return f.text }

// Set parses the filter.
func (f *filterFlag) Set(text string) error {
	read, err := f.parse(text)
	if err != nil {
		return err
	}
	f.text, f.out.Filter, f.out.JSON = text, read, true
	return nil
}

// Type returns the name of the type for pflag.
func (f *filterFlag) Type() string { return "string" }

// BindFilter adds --jq and --template.
func (o *Output) BindFilter() {
	flags := o.Cmd.Flags()
	flags.Var(&filterFlag{out: o, parse: parseJQ}, "jq", "filter the JSON with this jq `expression`; strings are printed without quotes")
	flags.Var(&filterFlag{out: o, parse: o.parseTemplate}, "template", "format the JSON with this Go `template`; see `foretell help output`")
	o.Cmd.MarkFlagsMutuallyExclusive("jq", "template")
}

// printFiltered prints v as formatted by the filter. If the filter fails, it prints nothing.
func (o *Output) printFiltered(v any) error {
	encoded, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var doc any
	dec := json.NewDecoder(bytes.NewReader(encoded))
	dec.UseNumber() // so that numbers keep their digits
	if err := dec.Decode(&doc); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := o.Filter.apply(o, &b, v, doc); err != nil {
		return err
	}
	return o.PrintText(b.String())
}

// PrintText prints text unchanged, except for control characters on a terminal.
func (o *Output) PrintText(text string) error {
	if o.Factory.Console.OutTerminal {
		text = term.EscapeText(text)
	}
	_, err := o.Factory.Console.Out.Write([]byte(text))
	return err
}

// jqFilter is a compiled jq expression.
type jqFilter struct {
	text string
	code *gojq.Code
}

func parseJQ(text string) (filter, error) {
	parsed, err := gojq.Parse(text)
	if err != nil {
		var at *gojq.ParseError
		if !errors.As(err, &at) {
			return nil, exit.Usagef("--jq %s: %w", term.ShellQuote(text), err)
		}
		// The offset is after the unexpected token.
		return nil, exit.Usagef("--jq %s: %w at position %d", term.ShellQuote(text), err, at.Offset-len(at.Token)+1).
			WithHint("use a jq expression such as '.[].datasetName'")
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, exit.Usagef("--jq %s: %w", term.ShellQuote(text), err)
	}
	return &jqFilter{text, code}, nil
}

// apply writes one result per line: a string without quotes, nothing for null, and anything
// else as JSON.
func (q *jqFilter) apply(o *Output, b *bytes.Buffer, _, doc any) error {
	results := q.code.RunWithContext(o.Cmd.Context(), doc)
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
			return exit.Usagef("--jq %s: %w", term.ShellQuote(q.text), r)
		case error:
			if err := o.Cmd.Context().Err(); err != nil {
				return err
			}
			return exit.Usagef("--jq %s: %w", term.ShellQuote(q.text), r).WithHint("--json prints the input of the filter")
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
