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
	slack      = 2 << 20
	underLimit = 0.95
)

// spareMemory lets the process hold little more memory than it uses.
func spareMemory() {
	debug.SetGCPercent(mostGarbage)
	g := &collector{last: mostGarbage, limits: debug.SetMemoryLimit(-1) == math.MaxInt64}
	for i, name := range memoryNames {
		g.memory[i].Name = "/memory/classes/" + name
	}
	g.memory[live].Name = "/gc/heap/live:bytes"
	g.await()
}

// The kinds of memory a collector asks for.
const (
	total = iota
	objects
	free
	released
	live
	kinds
)

var memoryNames = [live]string{"total:bytes", "heap/objects:bytes", "heap/free:bytes", "heap/released:bytes"}

// collector sets anew after each collection when the next one is due, and how
// much memory is kept.
type collector struct {
	memory [kinds]runtimemetrics.Sample
	last   int
	// limits tells that the user has set no limit, and limit is the last one.
	limits bool
	limit  int64
}

// await has adjust called by the next collection, of which what nobody uses is
// the first to know.
func (g *collector) await() {
	runtime.SetFinalizer(&struct{ *collector }{g}, func(*struct{ *collector }) {
		g.adjust()
		g.await()
	})
}

func (g *collector) adjust() {
	runtimemetrics.Read(g.memory[:])
	size := func(kind int) uint64 { return g.memory[kind].Value.Uint64() }
	percent := garbagePercent(size(live))
	if percent != g.last {
		debug.SetGCPercent(percent)
		g.last = percent
	}
	limit := memoryLimit(size(live), size(total)-size(free)-size(released)-size(objects), percent)
	if change := limit - g.limit; g.limits && max(change, -change) > slack/2 {
		debug.SetMemoryLimit(limit)
		g.limit = limit
	}
}

// garbagePercent returns how much garbage there may be beside so many bytes in
// use, in hundredths of them.
func garbagePercent(live uint64) int {
	return int(min(max(garbage*100/max(live, 1), leastGarbage), mostGarbage))
}

// memoryLimit returns the limit at which the runtime keeps what it needs until
// the next collection, if so many bytes are in use, others are no objects, and
// garbage may be so many hundredths.
func memoryLimit(live, others uint64, percent int) int64 {
	return int64(float64(live+live*uint64(percent)/100+others+slack) / underLimit)
}
