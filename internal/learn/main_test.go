package learn

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain makes the garbage collector run less often. This saves a tenth of the processor
// time of the tests, which train many small models.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
