package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// contractSchema is the part of a JSON schema that requests are generated from.
type contractSchema struct {
	Ref        string                     `json:"$ref"`
	Type       schemaTypes                `json:"type"`
	Format     string                     `json:"format"`
	Enum       []any                      `json:"enum"`
	Minimum    *float64                   `json:"minimum"`
	Maximum    *float64                   `json:"maximum"`
	MinLength  *int                       `json:"minLength"`
	MaxLength  *int                       `json:"maxLength"`
	MinItems   *int                       `json:"minItems"`
	MaxItems   *int                       `json:"maxItems"`
	OneOf      []*contractSchema          `json:"oneOf"`
	Items      *contractSchema            `json:"items"`
	Required   []string                   `json:"required"`
	Properties map[string]*contractSchema `json:"properties"`
}

// schemaTypes are the types that a schema allows. In JSON, a single type is a string, and
// several are an array.
type schemaTypes []string

// UnmarshalJSON reads a string or an array of strings.
func (types *schemaTypes) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*types = schemaTypes{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(types))
}

// first returns the first type other than null.
func (types schemaTypes) first() string {
	for _, name := range types {
		if name != "null" {
			return name
		}
	}
	return ""
}

// contractOperation is an operation of the OpenAPI document.
type contractOperation struct {
	method, path string
	ID           string `json:"operationId"`
	Parameters   []struct {
		Name     string         `json:"name"`
		In       string         `json:"in"`
		Required bool           `json:"required"`
		Schema   contractSchema `json:"schema"`
	} `json:"parameters"`
	RequestBody *struct {
		Content map[string]struct {
			Schema contractSchema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Security  []map[string][]string `json:"security"`
	Responses map[string]any        `json:"responses"`
}

// isPublic reports whether the operation needs no token.
func (op *contractOperation) isPublic() bool { return len(op.Security) == 0 }

// isAdministrative reports whether only administrators may send the operation.
func (op *contractOperation) isAdministrative() bool {
	return strings.HasPrefix(op.path, "/api/v1/admin/")
}

// mediaType returns the content type of the request's body, or "" if it has none.
func (op *contractOperation) mediaType() string {
	if op.RequestBody != nil {
		for media := range op.RequestBody.Content {
			return media
		}
	}
	return ""
}

// contractDocument is the OpenAPI document that the service serves.
type contractDocument struct {
	operations []*contractOperation // by path and method
	schemas    map[string]*contractSchema
}

func (s *testServer) contract(tb testing.TB) *contractDocument {
	tb.Helper()
	var text struct {
		Paths      map[string]map[string]*contractOperation `json:"paths"`
		Components struct {
			Schemas map[string]*contractSchema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal([]byte(s.get(tb, "/openapi.json")), &text); err != nil {
		tb.Fatal(err)
	}
	doc := &contractDocument{schemas: text.Components.Schemas}
	for path, methods := range text.Paths {
		for method, op := range methods {
			op.method, op.path = strings.ToUpper(method), path
			doc.operations = append(doc.operations, op)
		}
	}
	slices.SortFunc(doc.operations, func(a, b *contractOperation) int {
		return strings.Compare(a.path+" "+a.method, b.path+" "+b.method)
	})
	if len(doc.operations) < 40 {
		tb.Fatalf("the document has only %d operations", len(doc.operations))
	}
	return doc
}

// resolve returns the schema that a reference names, or the schema itself.
func (doc *contractDocument) resolve(schema *contractSchema) *contractSchema {
	if name, ok := strings.CutPrefix(schema.Ref, "#/components/schemas/"); ok {
		return doc.schemas[name]
	}
	return schema
}

// body returns the schema of the operation's JSON body, or nil if it has none.
func (doc *contractDocument) body(op *contractOperation) *contractSchema {
	if op.mediaType() != "application/json" {
		return nil
	}
	schema := op.RequestBody.Content["application/json"].Schema
	return doc.resolve(&schema)
}
