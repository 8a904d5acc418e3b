package server

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocument checks the rules of OpenAPI 3.1 that tools depend on: references resolve,
// parameters of paths are declared, operations have unique IDs, responses have
// descriptions, and schemas have no keywords of OpenAPI 3.0.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := Document().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc["openapi"] != "3.1.0" {
		t.Errorf("openapi is %v", doc["openapi"])
	}
	walkJSON(doc, "#", func(at string, value map[string]any) {
		if ref, ok := value["$ref"].(string); ok && lookUp(doc, ref) == nil {
			t.Errorf("%s: no %s", at, ref)
		}
		if strings.Contains(at, "/schemas/") || strings.Contains(at, "/schema/") {
			for _, old := range []string{"nullable", "example", "discriminator"} {
				if _, ok := value[old]; ok && !strings.HasSuffix(at, "/properties") {
					t.Errorf("%s has %s, which JSON Schema does not have", at, old)
				}
			}
		}
	})
	checkSchemas(t, doc)
	tags := tagNames(t, doc)
	seen := map[string]string{}
	for path, item := range doc["paths"].(map[string]any) {
		for method, value := range item.(map[string]any) {
			op, at := value.(map[string]any), method+" "+path
			id, _ := op["operationId"].(string)
			if seen[id] != "" || id == "" {
				t.Errorf("%s and %s have the ID %q", at, seen[id], id)
			}
			seen[id] = at
			checkParameters(t, at, path, op)
			if tag := op["tags"].([]any)[0].(string); !slices.Contains(tags, tag) {
				t.Errorf("%s has the tag %s, which is not described", at, tag)
			}
			for status, response := range op["responses"].(map[string]any) {
				if response.(map[string]any)["description"] == "" {
					t.Errorf("%s: %s has no description", at, status)
				}
			}
		}
	}
}

// tagNames returns the names of the tags that the document describes. It also checks the licence
// and the contact, which linters require as well.
func tagNames(t *testing.T, doc map[string]any) []string {
	t.Helper()
	info := doc["info"].(map[string]any)
	if info["license"] == nil || info["contact"] == nil {
		t.Errorf("info is %v", info)
	}
	var names []string
	for _, tag := range doc["tags"].([]any) {
		names = append(names, tag.(map[string]any)["name"].(string))
	}
	return names
}

// checkSchemas checks all schemas of the document against the rules of JSON Schema 2020-12.
func checkSchemas(t *testing.T, doc map[string]any) {
	t.Helper()
	for name, schema := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		checkSchema(t, "schema "+name, schema)
	}
	walkJSON(doc["paths"], "#/paths", func(at string, value map[string]any) {
		if schema, ok := value["schema"]; ok {
			checkSchema(t, at, schema)
		}
	})
}

// schemaKinds maps the keywords that the document uses to the JSON types of their values. The values
// of keywords of the kind schema are schemas, also in arrays and objects.
var schemaKinds = map[string]string{
	"type": "types", "enum": "array", "required": "strings",
	"title": "string", "description": "string", "$ref": "string", "format": "string", "pattern": "string",
	"contentMediaType": "string", "contentSchema": "schema", "default": "any", "examples": "array",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
	"minLength": "count", "maxLength": "count", "minItems": "count", "maxItems": "count", "uniqueItems": "boolean",
	"items": "schema", "additionalProperties": "schema", "properties": "object of schemas",
	"oneOf": "array of schemas", "anyOf": "array of schemas",
}

// checkSchema checks a schema: the names of its keywords, and the types of their values.
func checkSchema(t *testing.T, at string, schema any) {
	t.Helper()
	members, ok := schema.(map[string]any)
	if _, isBoolean := schema.(bool); isBoolean {
		return
	}
	if !ok {
		t.Errorf("%s is %v, which is no schema", at, schema)
	}
	for name, value := range members {
		at := at + "/" + name
		switch kind := schemaKinds[name]; kind {
		case "schema":
			checkSchema(t, at, value)
		case "array of schemas":
			list, _ := value.([]any)
			for _, one := range list {
				checkSchema(t, at, one)
			}
			ok = len(list) > 0
		case "object of schemas":
			var object map[string]any
			object, ok = value.(map[string]any)
			for property, one := range object {
				checkSchema(t, at+"/"+property, one)
			}
		default:
			ok = isOfKind(kind, value)
		}
		if !ok {
			t.Errorf("%s is %v, which JSON Schema does not allow", at, value)
		}
	}
}

// isOfKind reports whether a keyword of a schema may have the value. kind is a value of schemaKinds.
func isOfKind(kind string, value any) bool {
	text, isText := value.(string)
	list, _ := value.([]any)
	number, isNumber := value.(float64)
	_, isBoolean := value.(bool)
	switch kind {
	case "any":
		return true
	case "string":
		return isText
	case "boolean":
		return isBoolean
	case "number":
		return isNumber
	case "count":
		return isNumber && number >= 0 && number == math.Trunc(number)
	case "array":
		return len(list) > 0
	case "strings":
		return areUnique(list, func(string) bool { return true })
	case "types":
		isType := func(name string) bool {
			return slices.Contains([]string{"null", "boolean", "object", "array", "number", "string", "integer"}, name)
		}
		return isType(text) || len(list) > 0 && areUnique(list, isType)
	}
	return false // an unknown keyword
}

// areUnique reports whether all items of a list are different texts that are valid.
func areUnique(list []any, isValid func(string) bool) bool {
	seen := map[string]bool{}
	for _, item := range list {
		text, ok := item.(string)
		if !ok || seen[text] || !isValid(text) {
			return false
		}
		seen[text] = true
	}
	return true
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// checkParameters checks that an operation declares exactly the parameters in its path, and
// declares them as required.
func checkParameters(t *testing.T, at, path string, op map[string]any) {
	t.Helper()
	var want, got []string
	for _, match := range pathParameter.FindAllStringSubmatch(path, -1) {
		want = append(want, match[1])
	}
	parameters, _ := op["parameters"].([]any)
	for _, value := range parameters {
		parameter := value.(map[string]any)
		if parameter["in"] == "path" {
			got = append(got, parameter["name"].(string))
			if parameter["required"] != true {
				t.Errorf("%s: %v is not required", at, parameter["name"])
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("%s declares %v", at, got)
	}
}

// walkJSON calls visit with every object in a document and its path.
func walkJSON(value any, at string, visit func(at string, object map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(at, v)
		for name, member := range v {
			walkJSON(member, at+"/"+name, visit)
		}
	case []any:
		for _, item := range v {
			walkJSON(item, at, visit)
		}
	}
}

// lookUp returns the object to which a reference refers, or nil if none exists.
func lookUp(doc map[string]any, ref string) any {
	var value any = doc
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[name]
	}
	return value
}
