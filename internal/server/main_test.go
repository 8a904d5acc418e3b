package server_test

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// TestMain runs more tests than cores at a time, because some wait seconds for a time limit of the
// server.
func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))) // unless -parallel is given
	os.Exit(m.Run())
}
