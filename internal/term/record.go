package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Record is a value by its JSON fields.
type Record map[string]json.RawMessage

// NewRecord returns the fields of v, which must marshal to a JSON object.
func NewRecord(v any) (Record, error) {
	b, err := marshal(v)
	if err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("%T is not a JSON object: %w", v, err)
	}
	return r, nil
}

// Text returns a field as text: strings without quotes, "" for a missing or null field,
// JSON for other values.
func (r Record) Text(name string) string {
	raw := r[name]
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Select returns a JSON object with the named fields in that order; a missing one is
// null.
func (r Record) Select(names []string) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := marshal(name)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		if raw := r[name]; len(raw) > 0 {
			b.Write(raw)
		} else {
			b.WriteString("null")
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MemberNames returns the JSON fields of a struct type in order, including those of
// embedded structs.
func MemberNames(t reflect.Type) []string {
	var names []string
	eachMember(t, func(name string, _ reflect.Type) { names = append(names, name) })
	return names
}

// Members returns the types of the JSON fields of a struct type; empty for other types or
// nil.
func Members(t reflect.Type) map[string]reflect.Type {
	members := map[string]reflect.Type{}
	eachMember(t, func(name string, of reflect.Type) { members[name] = of })
	return members
}

func eachMember(t reflect.Type, found func(name string, of reflect.Type)) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			eachMember(field.Type, found)
		case name == "-" || !field.IsExported():
		case name == "":
			found(field.Name, field.Type)
		default:
			found(name, field.Type)
		}
	}
}

// EncodeJSON returns v as indented JSON with a line end. Control characters are escaped;
// < and & are not.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return escapeJSON(b.Bytes()), nil
}

// EncodeJSONLine is [EncodeJSON] on one line.
func EncodeJSONLine(v any) ([]byte, error) {
	b, err := marshal(v)
	return append(escapeJSON(b), '\n'), err
}

// marshal is json.Marshal without escaping < and &.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// escapeJSON escapes the control characters that encoding/json does not. They only occur
// in strings, so the document stays valid.
func escapeJSON(doc []byte) []byte {
	passed := func(r rune) bool { return r >= 0x7f && unicode.IsControl(r) }
	if bytes.IndexFunc(doc, passed) < 0 {
		return doc
	}
	var b bytes.Buffer
	for _, r := range string(doc) {
		if passed(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}
