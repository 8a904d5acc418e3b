package learn

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often, because the tests train many small models: a tenth of
// their processor time.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
