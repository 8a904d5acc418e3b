package request

import (
	"encoding/json"
	"net/url"
	"strings"

	"foretell/internal/exit"
)

// members returns the fields by name: strings, and JSON values for typed fields.
func (o *Options) members() (map[string]any, error) {
	members := map[string]any{}
	add := func(flag, field string, typed bool) error {
		name, text, ok := strings.Cut(field, "=")
		if !ok || name == "" {
			return exit.Usagef("invalid --%s %q: want NAME=VALUE", flag, field)
		}
		var value any = text
		if typed {
			value = typedValue(text)
		}
		if list, ok := strings.CutSuffix(name, "[]"); ok {
			items, _ := members[list].([]any)
			members[list] = append(items, value)
			return nil
		}
		members[name] = value
		return nil
	}
	for _, field := range o.Strings {
		if err := add("raw-field", field, false); err != nil {
			return nil, err
		}
	}
	for _, field := range o.Typed {
		if err := add("field", field, true); err != nil {
			return nil, err
		}
	}
	return members, nil
}

// typedValue parses a number, true, false or null; anything else stays text.
func typedValue(text string) any {
	var value any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil || dec.More() {
		return text
	}
	switch value.(type) {
	case nil, bool, json.Number:
		return value
	}
	return text
}

// withQuery adds fields to the query of a path.
func withQuery(path string, members map[string]any) string {
	query := url.Values{}
	for name, value := range members {
		items, isList := value.([]any)
		if !isList {
			items = []any{value}
		}
		for _, item := range items {
			query.Add(name, plainText(item))
		}
	}
	if strings.Contains(path, "?") {
		return path + "&" + query.Encode()
	}
	return path + "?" + query.Encode()
}

// plainText formats a typed value for a query.
func plainText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	b, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(b)
}
