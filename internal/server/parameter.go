package server

import (
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/table/csvfile"
)

// parameters holds the names of an operation's parameters. [parameters.validate] checks their syntax,
// and reports an error with the status 400. Afterwards huma checks the ranges of the values, with
// the status 422.
type parameters struct {
	keys      []string // names of parameters in the path
	query     []string // names of all parameters in the query
	queryKeys []string // names of parameters in the query that are keys
	integers  []string // names of parameters in the query that are integers
	// booleans are the names of parameters in the query that are true or false.
	booleans []string
	// allowsOthers is true if the query may also have parameters of other names.
	allowsOthers bool
}

// parametersOf returns the parameters of an operation, from the tags of the fields of its input
// type.
func parametersOf(op api.Operation, in reflect.Type) parameters {
	var ps parameters
	if op.ID == api.UploadData.ID || op.ID == api.DownloadResult.ID { // their URLs are signed, and other programs may have added parameters of their own
		ps.allowsOthers = true
	}
	for _, field := range reflect.VisibleFields(in) {
		isKey := field.Tag.Get("format") == "uuid"
		if name := field.Tag.Get("path"); name != "" && isKey {
			ps.keys = append(ps.keys, name)
		}
		name := field.Tag.Get("query")
		if name != "" {
			ps.query = append(ps.query, name)
		}
		switch {
		case name == "":
		case isKey:
			ps.queryKeys = append(ps.queryKeys, name)
		case field.Type.Kind() == reflect.Int64:
			ps.integers = append(ps.integers, name)
		case field.Type.Kind() == reflect.Bool:
			ps.booleans = append(ps.booleans, name)
		}
	}
	return ps
}

// validate returns a problem that lists the parameters with invalid syntax, or nil if there are
// none. It converts keys in the path to lower case, as they are stored.
func (ps parameters) validate(r *http.Request) *api.Problem {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return api.NewProblem(api.CodeMalformed, "invalid query in the URL")
	}
	var fields []api.FieldError
	for _, name := range ps.keys {
		key := r.PathValue(name)
		if !isUUID(key) {
			fields = append(fields, api.FieldError{Field: name, Message: "must be a UUID"})
		}
		r.SetPathValue(name, strings.ToLower(key))
	}
	for _, name := range ps.query {
		if len(query[name]) > 1 { // some programs would use the first value, and other programs the last value
			fields = append(fields, api.FieldError{Field: name, Message: "must not be repeated"})
		}
	}
	fields = append(fields, ps.findUnknown(query)...)
	for _, name := range ps.queryKeys {
		if text := query.Get(name); text != "" && !isUUID(text) {
			fields = append(fields, api.FieldError{Field: name, Message: "must be a UUID"})
		}
	}
	for _, name := range ps.integers {
		if text := query.Get(name); text != "" {
			if _, err := strconv.ParseInt(text, 10, 64); err != nil {
				fields = append(fields, api.FieldError{Field: name, Message: "must be an integer"})
			}
		}
	}
	for _, name := range ps.booleans {
		if text := query.Get(name); text != "" && text != "true" && text != "false" {
			fields = append(fields, api.FieldError{Field: name, Message: "must be true or false"})
		}
	}
	if len(fields) == 0 {
		return nil
	}
	p := api.NewProblem(api.CodeMalformed, "%s", formatFieldErrors(fields, ""))
	p.Errors = fields
	return p
}

// maxUnknownParameters is the maximum number of unknown parameters that a problem lists.
const maxUnknownParameters = 5

// findUnknown returns an error for each parameter in the query that the operation does not have. If
// the service ignored a misspelt filter, the client would get a response that it does not expect.
func (ps parameters) findUnknown(query url.Values) (fields []api.FieldError) {
	if ps.allowsOthers {
		return nil
	}
	known := "the operation has no parameters in the query"
	if len(ps.query) > 0 {
		known = "the parameters are " + strings.Join(ps.query, ", ")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name == "" || slices.Contains(ps.query, name) || len(fields) == maxUnknownParameters {
			continue
		}
		shown := escapeForLog(name)
		fields = append(fields, api.FieldError{Field: shown, Message: "is not a parameter of this operation" + csvfile.DidYouMean(shown, ps.query) + ": " + known})
	}
	return fields
}

// isUUID reports whether s is a UUID of any version: hexadecimal digits in the
// form 8-4-4-4-12.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return true
}

// unescapeSegment decodes a path segment. It returns a segment with invalid escapes unchanged,
// because the check of keys rejects it anyway.
func unescapeSegment(segment string) string {
	if text, err := url.PathUnescape(segment); err == nil {
		return text
	}
	return segment
}
