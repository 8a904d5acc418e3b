package learn

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
)

// peakOf calls do and returns the most bytes that were in use when garbage was
// collected meanwhile. Between two collections as much garbage comes on top as
// GOGC allows: with GOGC=5 there are enough of them.
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
