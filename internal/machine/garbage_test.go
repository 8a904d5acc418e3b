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
		t.Helper()
		percent := readMetric("/gc/gogc:percent")
		for range 1000 {
			if isWanted(percent) {
				return
			}
			runtime.GC()
			percent = readMetric("/gc/gogc:percent")
		}
		t.Fatalf("GOGC is still %d after 1,000 collections", percent)
	}
	waitForPercent(func(percent uint64) bool { return percent > 100 })
	large := make([]byte, 64<<20)
	waitForPercent(func(percent uint64) bool { return percent == 30 })
	runtime.KeepAlive(large) // garbage from now on
	waitForPercent(func(percent uint64) bool { return percent > 100 })
}
