package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"foretell/internal/server"
)

// requestCount is a counter of /metrics: requests by operation and status.
var requestCount = regexp.MustCompile(`(?m)^foretell_http_requests_total\{operation="(\w+)",status="(\d+)"\}`)

// documented holds the result of readDocumentedStatuses. The document is the same for all test
// servers, and takes longer to make than most of them run.
var documented struct {
	once     sync.Once
	statuses map[string][]string
}

// checkDocumented checks that every error status that the service returned during the test is
// documented for its operation. docs/api.md is generated from the same document.
func (s *testServer) checkDocumented(tb testing.TB) {
	tb.Helper()
	documented.once.Do(func() { documented.statuses = readDocumentedStatuses(tb) })
	if documented.statuses == nil {
		tb.Fatal("the OpenAPI document could not be read by an earlier test")
	}
	metrics := s.get(tb, "/metrics")
	for _, match := range requestCount.FindAllStringSubmatch(metrics, -1) {
		operation, status := match[1], match[2]
		if known := documented.statuses[operation]; operation != "none" && status >= "400" && !slices.Contains(known, status) {
			tb.Errorf("%s returned %s, which is not documented; its errors are %s", operation, status, strings.Join(known, ", "))
		}
	}
}

// readDocumentedStatuses returns the statuses that the OpenAPI document has for each operation.
func readDocumentedStatuses(tb testing.TB) map[string][]string {
	tb.Helper()
	document, err := server.Document().MarshalJSON()
	if err != nil {
		tb.Fatal(err)
	}
	var openAPI struct {
		Paths map[string]map[string]struct {
			OperationID string         `json:"operationId"`
			Responses   map[string]any `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(document, &openAPI); err != nil {
		tb.Fatal(err)
	}
	statuses := map[string][]string{}
	for _, methods := range openAPI.Paths {
		for _, operation := range methods {
			for status := range operation.Responses {
				statuses[operation.OperationID] = append(statuses[operation.OperationID], status)
			}
			slices.Sort(statuses[operation.OperationID])
		}
	}
	return statuses
}

// get returns the body of a path. It does not use t.Context, which has ended
// during a cleanup.
func (s *testServer) get(tb testing.TB, path string) string {
	tb.Helper()
	resp, err := http.Get(s.url + path) //nolint:noctx // the test's context has ended
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return string(body)
}
