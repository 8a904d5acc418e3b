package client

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"foretell/internal/api"
)

// binding is the input of an endpoint, divided into the parameters and the body of a
// request.
type binding struct {
	path  map[string]string
	query url.Values
	body  []byte // JSON; nil if there is no body
}

// newBinding returns the parameters and the body of a request. in is a pointer to a struct. Fields
// with the tag path or query become parameters; a zero query parameter is omitted unless its field
// has the tag required. A field named Body becomes the JSON body. Fields of embedded structs count,
// too.
func newBinding(in any) (binding, error) {
	b := binding{path: map[string]string{}, query: url.Values{}}
	v := reflect.Indirect(reflect.ValueOf(in))
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return b, nil
	}
	return b, b.addFields(v)
}

func (b *binding) addFields(v reflect.Value) error {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if field.Anonymous {
			if err := b.addFields(value); err != nil {
				return err
			}
			continue
		}
		if name := field.Tag.Get("path"); name != "" {
			text, err := formatParam(value)
			if err != nil {
				return fmt.Errorf("parameter %s: %w", name, err)
			}
			b.path[name] = text
		} else if name := field.Tag.Get("query"); name != "" {
			if value.IsZero() && field.Tag.Get("required") != "true" {
				continue
			}
			text, err := formatParam(value)
			if err != nil {
				return fmt.Errorf("parameter %s: %w", name, err)
			}
			b.query.Set(name, text)
		} else if field.Name == "Body" {
			body, err := json.Marshal(value.Interface())
			if err != nil {
				return fmt.Errorf("encode the request: %w", err)
			}
			b.body = body
		}
	}
	return nil
}

func formatParam(v reflect.Value) (string, error) {
	switch v.Kind() {
	case reflect.String:
		return v.String(), nil
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), nil
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	default:
		return "", fmt.Errorf("a %s cannot be a parameter", v.Kind())
	}
}

// expandPath replaces the parameters of a path template, such as /datasets/{datasetKey}, by
// their values.
func (b *binding) expandPath(template string) (string, error) {
	path := template
	for _, name := range pathParams(template) {
		value := b.path[name]
		switch value {
		case "":
			return "", fmt.Errorf("parameter %s of %s is missing", name, template)
		case ".", "..": // a server would read it as another path
			return "", api.NewProblem(api.CodeNotFound, "no object has the key %q", value)
		}
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	return path, nil
}

// pathParams returns the parameter names in a path template.
func pathParams(template string) []string {
	var names []string
	for {
		_, rest, ok := strings.Cut(template, "{")
		if !ok {
			return names
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			return names
		}
		names, template = append(names, name), after
	}
}
