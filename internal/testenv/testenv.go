// Package testenv provides databases, servers and an interpreter to tests, and skips or fails tests if
// they are unavailable. It also has a context that is cancelled in the middle of a computation. Only
// tests use it.
package testenv

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// SkipWithout skips a test that requires the named program or service. err says why it is
// unavailable. If the variable FORETELL_TEST_REQUIRE, a comma-separated list, contains
// the name, the test fails instead.
func SkipWithout(t testing.TB, name string, err error) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("FORETELL_TEST_REQUIRE"), ","), name) {
		t.Fatalf("%s is required: %v", name, err)
	}
	t.Skipf("no %s here: %v", name, err)
}
