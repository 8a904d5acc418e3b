package machine

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// SetMinHeapGrowth makes the garbage collector run only after the heap has grown by at least the
// given number of bytes since the last collection. For a large heap, it runs after a growth of GOGC
// percent, as usual. With GOGC alone, a process with a small heap would collect garbage many times
// a second.
func SetMinHeapGrowth(bytes uint64) {
	keepAdjustingGCPercent(int(readMetric("/gc/gogc:percent")), bytes)
}

// keepAdjustingGCPercent sets GOGC now, and again after each collection. Usually it sets
// minPercent. If the heap would then grow by less than minGrowth bytes until the next collection,
// it sets a larger value, of at most maxPercent.
func keepAdjustingGCPercent(minPercent int, minGrowth uint64) {
	const maxPercent = 1000 // for a process before its first collection, whose live heap is 0 bytes
	live := max(readMetric("/gc/heap/live:bytes"), 1)
	debug.SetGCPercent(max(minPercent, int(min(minGrowth*100/live, maxPercent))))
	// Nothing refers to the pointer, so the cleanup runs after the next collection.
	runtime.AddCleanup(new(*byte), func(percent int) { keepAdjustingGCPercent(percent, minGrowth) }, minPercent)
}

func readMetric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
