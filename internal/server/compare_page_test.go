package server_test

import (
	"strings"
	"testing"

	"foretell/internal/server"
)

// TestCompareModelWithItself requests the comparison of a model with itself, which would have no
// differences.
func TestCompareModelWithItself(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	key := strings.Repeat("0", 8) + "-0000-4000-8000-000000000000"
	b.expect(t, "/models/compare?a="+key+"&b="+key, nil, 400, "Choose two different models to compare.")
}
