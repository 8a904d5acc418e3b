package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"time"

	"foretell/internal/api"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// templateFilter is a parsed --template.
type templateFilter struct {
	template *template.Template
	// rows are the rows that the template function tablerow has added. The method apply prints
	// them at the end.
	rows [][]term.Cell
}

// parseTemplate parses a template with the functions listed by `foretell help output`.
func (o *Output) parseTemplate(text string) (filter, error) {
	p := &templateFilter{}
	functions := template.FuncMap{
		"json": func(v any) (string, error) {
			b, err := term.EncodeJSONLine(v)
			return strings.TrimSuffix(string(b), "\n"), err
		},
		"join":     join,
		"pluck":    pluck,
		"truncate": func(width int, v any) string { return term.Truncate(fmt.Sprint(v), width) },
		"timeago": func(text string) string {
			if then, err := time.Parse(api.TimeLayout, text); err == nil {
				return term.FormatRelativeTime(then, o.Factory.Now())
			}
			return text // not a time, such as "" for an event that has not happened yet
		},
		"tablerow": func(values ...any) string {
			row := make([]term.Cell, len(values))
			for i, v := range values {
				row[i].Text = fmt.Sprint(v)
			}
			p.rows = append(p.rows, row)
			return ""
		},
	}
	var err error
	p.template, err = template.New("--template").Option("missingkey=error").Funcs(functions).Parse(text)
	if err != nil {
		return nil, exit.Usagef("%s", strings.TrimPrefix(err.Error(), "template: ")).
			WithHint("`foretell help output` lists the functions of templates")
	}
	return p, nil
}

// apply executes the template with the fields of v.
func (p *templateFilter) apply(o *Output, b *bytes.Buffer, v, doc any) error {
	if err := p.template.Execute(b, templateData(doc, reflect.TypeOf(v))); err != nil {
		message := strings.Replace(strings.TrimPrefix(err.Error(), "template: "), `executing "--template" `, "", 1)
		return exit.Usagef("%s", message).WithHint("--json prints the input of the template")
	}
	if len(p.rows) == 0 {
		return nil
	}
	t := &term.Table{Rows: p.rows}
	for _, row := range t.Rows {
		t.Right = make([]bool, max(len(t.Right), len(row)))
	}
	for i, row := range t.Rows {
		t.Rows[i] = append(row, make([]term.Cell, len(t.Right)-len(row))...)
	}
	if c := o.Factory.Console; c.OutTerminal {
		return t.WriteAligned(b, c.OutWidth(), c.OutStyle)
	}
	return t.WriteTSV(b)
}

// templateData converts doc, the JSON of a value of type t, for a template. Numbers get types that
// templates can compare. A null, and each field of t that the JSON omits, becomes "".
func templateData(doc any, t reflect.Type) any {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := doc.(type) {
	case nil:
		return ""
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		for i := range v {
			v[i] = templateData(v[i], elementType(t))
		}
	case map[string]any:
		members := term.JSONFieldTypes(t)
		for name, inner := range v {
			v[name] = templateData(inner, members[name])
		}
		for name := range members {
			if _, ok := v[name]; !ok {
				v[name] = ""
			}
		}
	}
	return doc
}

// elementType returns the element type of a list; nil for other types.
func elementType(t reflect.Type) reflect.Type {
	if t == nil || t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
		return nil
	}
	return t.Elem()
}

// join joins the values of a list with sep.
func join(sep string, list any) (string, error) {
	values, ok := list.([]any)
	if !ok {
		return "", fmt.Errorf("%v is not a list", list)
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, sep), nil
}

// pluck returns the values that a member has in the objects of a list.
func pluck(member string, list any) ([]any, error) {
	values, ok := list.([]any)
	if !ok {
		return nil, fmt.Errorf("%v is not a list", list)
	}
	plucked := make([]any, len(values))
	for i, v := range values {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%v has no members", v)
		}
		plucked[i] = object[member]
	}
	return plucked, nil
}
