package cmd

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// SkipWithout skips a test for want of what name stands for, of which err tells
// why it is not here; where FORETELL_TEST_REQUIRE, a list with commas, has the
// name, that is a failure.
func SkipWithout(t *testing.T, name string, err error) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("FORETELL_TEST_REQUIRE"), ","), name) {
		t.Fatalf("%s is required: %v", name, err)
	}
	t.Skipf("no %s here: %v", name, err)
}
