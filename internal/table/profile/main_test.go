package profile

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often. The tests scan tables of millions of cells, and garbage
// collection would take a sixth of their processor time.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
