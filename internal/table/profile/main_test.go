package profile

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often, because the tests scan tables of millions of cells: a
// sixth of their processor time.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
