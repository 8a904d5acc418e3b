package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Record holds the fields of a JSON object by name.
type Record map[string]json.RawMessage

// NewRecord encodes v, which must become a JSON object, and returns the fields of the object.
func NewRecord(v any) (Record, error) {
	b, err := marshalUnescaped(v)
	if err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("%T is not a JSON object: %w", v, err)
	}
	return r, nil
}

// Text returns a field as text. A string is returned without quotes, and any other value
// as JSON. A missing or null field is "".
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

// Select returns a JSON object with the fields in names, in that order. A missing field is
// null.
func (r Record) Select(names []string) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := marshalUnescaped(name)
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

// JSONFieldNames returns the names of the JSON fields of struct type t in order, including
// the fields of embedded structs.
func JSONFieldNames(t reflect.Type) []string {
	var names []string
	forEachJSONField(t, func(name string, _ reflect.Type) { names = append(names, name) })
	return names
}

// JSONFieldTypes returns the types of the JSON fields of struct type t by name. The map is
// empty if t is nil or not a struct.
func JSONFieldTypes(t reflect.Type) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	forEachJSONField(t, func(name string, fieldType reflect.Type) { types[name] = fieldType })
	return types
}

func forEachJSONField(t reflect.Type, visit func(name string, fieldType reflect.Type)) {
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
			forEachJSONField(field.Type, visit)
		case name == "-" || !field.IsExported():
		case name == "":
			visit(field.Name, field.Type)
		default:
			visit(name, field.Type)
		}
	}
}

// EncodeJSON returns v as indented JSON, followed by a line end. It escapes all control
// characters, but not < and &.
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

// EncodeJSONLine is like [EncodeJSON], but returns a single line.
func EncodeJSONLine(v any) ([]byte, error) {
	b, err := marshalUnescaped(v)
	return append(escapeJSON(b), '\n'), err
}

// marshalUnescaped is like json.Marshal, but does not escape < and &.
func marshalUnescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// escapeJSON escapes the control characters that encoding/json leaves unescaped. Such
// characters only occur in strings, so the document stays valid.
func escapeJSON(doc []byte) []byte {
	unescaped := func(r rune) bool { return r >= 0x7f && unicode.IsControl(r) }
	if bytes.IndexFunc(doc, unescaped) < 0 {
		return doc
	}
	var b bytes.Buffer
	for _, r := range string(doc) {
		if unescaped(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}
