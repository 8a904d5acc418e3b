package cmd

import (
	"math"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
)

// The garbage collector runs when the garbage reaches targetGarbage bytes, but at least
// minPercent and at most maxPercent of the live heap. Most of a race's memory are long
// arrays of numbers without pointers, which are cheap to scan, and most steps allocate
// little: more garbage would save little time.
const (
	targetGarbage = 8 << 20
	minPercent    = 3
	maxPercent    = 30
)

// The runtime may keep headroom bytes in addition to what it needs until the next
// collection. limitFraction is the part of a memory limit that it uses when it returns
// memory. Without a limit it would keep a tenth of the peak.
const (
	headroom      = 2 << 20
	limitFraction = 0.95
)

// tuneGC limits the memory of the process to little more than it uses.
func tuneGC() {
	debug.SetGCPercent(maxPercent)
	newGCTuner().scheduleAdjust()
}

// memoryKind is an index of a runtime metric.
type memoryKind int

const (
	memoryTotal memoryKind = iota
	memoryObjects
	memoryFree
	memoryReleased
	memoryLive
	memoryKinds
)

var memoryNames = [memoryKinds]string{
	"/memory/classes/total:bytes", "/memory/classes/heap/objects:bytes", "/memory/classes/heap/free:bytes",
	"/memory/classes/heap/released:bytes", "/gc/heap/live:bytes",
}

// gcTuner adjusts the GC target and the memory limit after each collection.
type gcTuner struct {
	memory  [memoryKinds]runtimemetrics.Sample
	percent int
	// managesLimit is set if the user has set no memory limit; limit is the last one set.
	managesLimit bool
	limit        int64
}

func newGCTuner() *gcTuner {
	g := &gcTuner{percent: maxPercent, managesLimit: debug.SetMemoryLimit(-1) == math.MaxInt64}
	for i, name := range memoryNames {
		g.memory[i].Name = name
	}
	return g
}

// scheduleAdjust arranges for adjust to run after the next collection, by the finalizer of
// an object that nothing refers to.
func (g *gcTuner) scheduleAdjust() {
	runtime.SetFinalizer(&struct{ *gcTuner }{g}, func(*struct{ *gcTuner }) {
		g.adjust()
		g.scheduleAdjust()
	})
}

func (g *gcTuner) adjust() {
	runtimemetrics.Read(g.memory[:])
	size := func(kind memoryKind) uint64 { return g.memory[kind].Value.Uint64() }
	live := size(memoryLive)
	percent := gcPercent(live)
	if percent != g.percent {
		debug.SetGCPercent(percent)
		g.percent = percent
	}
	others := size(memoryTotal) - size(memoryFree) - size(memoryReleased) - size(memoryObjects)
	limit := memoryLimit(live, others, percent)
	if change := limit - g.limit; g.managesLimit && max(change, -change) > headroom/2 {
		debug.SetMemoryLimit(limit)
		g.limit = limit
	}
}

// gcPercent returns the target for the garbage collector, as
// debug.SetGCPercent takes it, where live bytes are in use.
func gcPercent(live uint64) int {
	return int(min(max(targetGarbage*100/max(live, 1), minPercent), maxPercent))
}

// memoryLimit returns the limit, as debug.SetMemoryLimit takes it, at which the
// runtime keeps what it needs until the next collection: live and others, the memory
// that holds no objects, are in bytes, and percent is the collector's target.
func memoryLimit(live, others uint64, percent int) int64 {
	return int64(float64(live+live*uint64(percent)/100+others+headroom) / limitFraction)
}
