package machine

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestSetMinHeapGrowth checks GOGC after the collections of a small and of a large heap.
func TestSetMinHeapGrowth(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(30))
	SetMinHeapGrowth(8 << 20)
	waitForPercent := func(isWanted func(percent uint64) bool) {
		for !isWanted(readMetric("/gc/gogc:percent")) { // go test has a time limit
			runtime.GC()
		}
	}
	waitForPercent(func(percent uint64) bool { return percent > 100 })
	large := make([]byte, 64<<20)
	waitForPercent(func(percent uint64) bool { return percent == 30 })
	runtime.KeepAlive(large) // garbage from now on
	waitForPercent(func(percent uint64) bool { return percent > 100 })
}
