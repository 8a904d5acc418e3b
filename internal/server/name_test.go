package server_test

import (
	"net/http"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/server"
)

// TestLengthOfNames checks that the length of a name is that of its Unicode normalization form C, in
// which it is stored: each é here is one character instead of two.
func TestLengthOfNames(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	name := strings.Repeat("e\u0301", 30)
	w.must(t, call{method: "POST", path: "/api/v1/datasets", json: `{"datasetName":"` + name + `","series":"` + name + `"}`}, nil)
	w.refused(t, refusal{
		call: call{method: "POST", path: "/api/v1/datasets", json: `{"datasetName":"` + name + `e"}`},
		want: http.StatusUnprocessableEntity, code: api.CodeInvalid, field: "datasetName",
	})
}
