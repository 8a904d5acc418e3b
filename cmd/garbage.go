package cmd

import (
	"math"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
)

// How much garbage may lie about before it is collected: so many bytes, or a
// part of what is in use where that is between the two, in hundredths. Most of
// what a race holds are long tables of numbers, which cost the collector next
// to nothing, and most of its steps leave little behind: more garbage would save
// little time.
const (
	garbage      = 8 << 20
	leastGarbage = 3
	mostGarbage  = 30
)

// What the runtime may keep beside what it needs until the next collection: so
// many bytes, and what it leaves away of a limit when it gives memory back.
// Without a limit it would keep a tenth of all that was ever in use.
const (
	spareBytes = 2 << 20
	underLimit = 0.95
)

// spareMemory lets the process hold little more memory than it uses.
func spareMemory() {
	debug.SetGCPercent(mostGarbage)
	newCollector().await()
}

// memoryKind is a kind of memory that a collector asks for.
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

// collector sets anew after each collection when the next one is due, and how
// much memory is kept.
type collector struct {
	memory [memoryKinds]runtimemetrics.Sample
	last   int
	// limits tells that the user has set no limit, and limit is the last one.
	limits bool
	limit  int64
}

func newCollector() *collector {
	g := &collector{last: mostGarbage, limits: debug.SetMemoryLimit(-1) == math.MaxInt64}
	for i, name := range memoryNames {
		g.memory[i].Name = name
	}
	return g
}

// await arranges for adjust to run after the next collection, by the finalizer of
// an object that nothing refers to.
func (g *collector) await() {
	runtime.SetFinalizer(&struct{ *collector }{g}, func(*struct{ *collector }) {
		g.adjust()
		g.await()
	})
}

func (g *collector) adjust() {
	runtimemetrics.Read(g.memory[:])
	size := func(kind memoryKind) uint64 { return g.memory[kind].Value.Uint64() }
	live := size(memoryLive)
	percent := garbagePercent(live)
	if percent != g.last {
		debug.SetGCPercent(percent)
		g.last = percent
	}
	others := size(memoryTotal) - size(memoryFree) - size(memoryReleased) - size(memoryObjects)
	limit := memoryLimit(live, others, percent)
	if change := limit - g.limit; g.limits && max(change, -change) > spareBytes/2 {
		debug.SetMemoryLimit(limit)
		g.limit = limit
	}
}

// garbagePercent returns the target for the garbage collector, as
// debug.SetGCPercent takes it, where live bytes are in use.
func garbagePercent(live uint64) int {
	return int(min(max(garbage*100/max(live, 1), leastGarbage), mostGarbage))
}

// memoryLimit returns the limit, as debug.SetMemoryLimit takes it, at which the
// runtime keeps what it needs until the next collection: live and others, the memory
// that holds no objects, are in bytes, and percent is the collector's target.
func memoryLimit(live, others uint64, percent int) int64 {
	return int64(float64(live+live*uint64(percent)/100+others+spareBytes) / underLimit)
}
