package client_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/client"
)

// publicMembers are the JSON members and query parameters of package api that are text or contain
// text, and that are no secrets. A new member must be added here, or to the names in secret.go.
const publicMembers = `
Problem.code accessRequests account accountKey accounts achievedInterval achievedPerformance action actor algorithm
algorithmName algorithms baseline bins blend blended blind championReason class classWeights classes client column columns confusion
createdOn curve curveClasses curves datasetCreationProgressUrl datasetKey datasetName datasetUploadInfo datasets
dateOrder decidedBy decidedOn description detail distribution drift effort email epoch errors eventKey events expiresOn
failureReason field file fileName finishedOn groupColumn host idName importanceMetric importances instance interactions interval intervals
jobKey jobs kind label labelName lastSeenOn link listSeparator message metric modelKey models monotone name notes numberFormat
object objectKey ofClass oldestOn organisation outcome parentTrainingJobKey partialDependence parts
performanceThreshold performances points predictionCreationProgressUrl predictionKey predictionResultUrl predictions
probabilities quantileRows quantiles queues quota reason recentPerformances reliability remoteAddress requestId requestKey role seconds
series sessionKey sessions sha256 startedOn state status targetPerformance test testInterval testMissing texts time
timeColumn timeZones title top training trainingJobKey trainingJobProgressUrl trainingJobs type unit untrainedClasses updatedOn uploadUrl url
usage username validation value values verdict version waitingFor warnings worker workers
`

// apiFields calls fn with each exported field of the structs of package api that is text or
// contains other fields: its struct, the key of its tag, and its name in JSON or in a query.
func apiFields(t *testing.T, fn func(structName, key, name string)) {
	t.Helper()
	files, err := filepath.Glob("../api/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no source of package api", err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if body, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range body.Fields.List {
					fieldNames(t, spec.Name.Name, field, fn)
				}
			}
			return true
		})
	}
}

func fieldNames(t *testing.T, structName string, field *ast.Field, fn func(structName, key, name string)) {
	t.Helper()
	kind := field.Type
	if pointer, ok := kind.(*ast.StarExpr); ok {
		kind = pointer.X
	}
	name, _ := kind.(*ast.Ident)
	if field.Tag == nil || name != nil && slices.Contains([]string{"bool", "int", "int32", "int64", "uint64", "float64"}, name.Name) {
		return
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"json", "query", "header"} {
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get(key), ",")
		if name != "" && name != "-" {
			fn(structName, key, name)
		}
	}
}

// TestMembersAreSecretOrPublic checks that a trace omits each text of the API that is not known to be
// public, and that it omits secrets in all URLs.
func TestMembersAreSecretOrPublic(t *testing.T) {
	t.Parallel()
	bodies, queries := map[string]map[string]string{}, map[string]string{}
	apiFields(t, func(structName, key, name string) {
		const value = "http://s.example/password?code=hidden&list=1"
		if key != "json" {
			queries[name] = "shown"
			return
		}
		if bodies[structName] == nil {
			bodies[structName] = map[string]string{}
		}
		bodies[structName][name] = value
	})
	var shown []string
	for structName, body := range bodies {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]string
		summary := summarize(t, "http://s.example/", string(text))
		if err := json.Unmarshal([]byte(summary.JSON), &members); err != nil {
			t.Fatalf("%s: %v in %+v", structName, err, summary)
		}
		for name, value := range members {
			switch {
			case strings.Contains(value, "hidden"):
				t.Errorf("%s: the URL %s is shown", name, value)
			case value == "[cut]":
			case name == "code":
				shown = append(shown, structName+".code")
			default:
				shown = append(shown, name)
			}
		}
	}
	for name, value := range queries {
		if strings.Contains(summarize(t, "http://s.example/?"+name+"="+value, "").URL, value) {
			shown = append(shown, name)
		}
	}
	slices.Sort(shown)
	if diff := cmp.Diff(strings.Fields(publicMembers), slices.Compact(shown)); diff != "" {
		t.Errorf("public members (-listed +shown by a trace):\n%s", diff)
	}
}

// summarize returns the summary of a request without its secrets.
func summarize(t *testing.T, address, body string) client.RequestSummary {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return client.ConsumeAndSummarize(req)
}
