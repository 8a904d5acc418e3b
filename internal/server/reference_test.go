package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/server"
)

// TestReference compares docs/api.md with the code.
func TestReference(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "api.md")
	got := server.Reference()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("go test ./internal/server -update writes it anew; -docs/api.md +code:\n%s", diff)
	}
}

// TestOpenAPI checks that the served document describes each operation as a client generator needs
// it.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Security    []map[string][]string
			RequestBody struct {
				Content map[string]any
			}
			Responses map[string]struct {
				Headers map[string]any
				Content map[string]any
			}
		}
		Components struct {
			Schemas         map[string]json.RawMessage
			SecuritySchemes map[string]struct{ Type, Scheme string }
		}
	}
	w.must(t, call{method: "GET", path: "/openapi.json", anonymous: true}, &doc)
	for _, op := range api.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			got, ok := doc.Paths[op.Path][strings.ToLower(op.Method)]
			if !ok || got.OperationID != op.ID {
				t.Fatalf("%s %s is %q in the document", op.Method, op.Path, got.OperationID)
			}
			if (len(got.Security) == 0) != op.Public {
				t.Errorf("security %v", got.Security)
			}
			for status, response := range got.Responses {
				if _, ok := response.Content["application/problem+json"]; !ok && status >= "4" && status != "431" {
					t.Errorf("%s is no problem: %v", status, response.Content)
				}
			}
		})
	}
	if _, ok := doc.Paths[api.AddData.Path]["post"].RequestBody.Content["multipart/form-data"]; !ok {
		t.Error("addData has no multipart body")
	}
	if got := doc.Components.SecuritySchemes["bearer"]; got.Type != "http" || got.Scheme != "bearer" {
		t.Errorf("security scheme %+v", got)
	}
	page := string(doc.Components.Schemas["DatasetPage"])
	if !strings.Contains(page, `"contentMediaType":"application/json"`) {
		t.Errorf("the string of datasets is not described: %s", page)
	}
	if training := string(doc.Components.Schemas["NewTraining"]); !strings.Contains(training, `"anyOf":[{"required":["performanceThreshold"]},{"required":["targetPerformance"]}]`) {
		t.Errorf("no threshold is required: %s", training)
	}
	progress := doc.Paths["/api/training/{trainingJobKey}/progress"]["get"]
	if progress.OperationID == "" || progress.Responses["401"].Headers["WWW-Authenticate"] == nil || progress.Responses["429"].Headers["Retry-After"] == nil {
		t.Errorf("the alias of getTrainingProgress is %+v", progress)
	}
	if model := string(doc.Components.Schemas["Model"]); !strings.Contains(model, `"achievedPerformance":{"description":"A string that holds`) {
		t.Errorf("achievedPerformance is not described as a string: %s", model)
	}
}
