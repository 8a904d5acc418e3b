package cmd

import (
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
	garbage      = 12 << 20
	leastGarbage = 6
	mostGarbage  = 30
)

// spareMemory lets the process hold little more memory than it uses.
func spareMemory() {
	debug.SetGCPercent(mostGarbage)
	g := &collector{last: mostGarbage}
	g.live[0].Name = "/gc/heap/live:bytes"
	g.await()
}

// collector sets anew after each collection when the next one is due.
type collector struct {
	live [1]runtimemetrics.Sample
	last int
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
	runtimemetrics.Read(g.live[:])
	if percent := garbagePercent(g.live[0].Value.Uint64()); percent != g.last {
		debug.SetGCPercent(percent)
		g.last = percent
	}
}

// garbagePercent returns how much garbage there may be beside so many bytes in
// use, in hundredths of them.
func garbagePercent(live uint64) int {
	return int(min(max(garbage*100/max(live, 1), leastGarbage), mostGarbage))
}
