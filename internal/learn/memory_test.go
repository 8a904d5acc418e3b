package learn

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
)

// peakHeap calls do and returns the largest size of the live heap during the call, in
// bytes. The size is measured at garbage collections. With a small GOGC, such as 5, there
// are enough of them.
func peakHeap(do func()) uint64 {
	var over atomic.Bool
	var peak atomic.Uint64
	type sentinel struct{ *atomic.Bool }
	var await func()
	await = func() {
		runtime.SetFinalizer(&sentinel{&over}, func(*sentinel) {
			live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
			metrics.Read(live)
			if peak.Store(max(peak.Load(), live[0].Value.Uint64())); !over.Load() {
				await()
			}
		})
	}
	runtime.GC()
	await()
	do()
	over.Store(true)
	return peak.Load()
}
