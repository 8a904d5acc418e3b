package request

import (
	"encoding/json"
	"net/url"
	"strings"

	"foretell/internal/exit"
)

// parseFields returns the values of all fields by name. The values in Strings are strings. The
// values in Typed are parsed by parseTypedValue. The values of a name that ends in [] form a list.
func (o *Options) parseFields() (map[string]any, error) {
	members := map[string]any{}
	add := func(flag, field string, typed bool) error {
		name, text, ok := strings.Cut(field, "=")
		if !ok || name == "" {
			return exit.Usagef("invalid --%s %q: must be NAME=VALUE", flag, field)
		}
		var value any = text
		if typed {
			value = parseTypedValue(text)
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

// parseTypedValue parses a number, true, false or null. Any other text is returned as a
// string.
func parseTypedValue(text string) any {
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

// addQuery returns path with the values of members added to its query. The keys of members are
// the names of the parameters.
func addQuery(path string, members map[string]any) string {
	query := url.Values{}
	for name, value := range members {
		items, isList := value.([]any)
		if !isList {
			items = []any{value}
		}
		for _, item := range items {
			query.Add(name, formatQueryValue(item))
		}
	}
	if strings.Contains(path, "?") {
		return path + "&" + query.Encode()
	}
	return path + "?" + query.Encode()
}

// formatQueryValue formats a typed value as a parameter of a URL's query.
func formatQueryValue(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	b, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(b)
}
