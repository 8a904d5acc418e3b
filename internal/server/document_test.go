package server

import (
	"encoding/json"
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
