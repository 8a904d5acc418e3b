package learn

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
)

// peakOf calls do and returns the largest live heap, in bytes, at any garbage
// collection during the call. With a small GOGC, such as 5, there are enough
// collections.
func peakOf(do func()) uint64 {
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
