package tree

import "foretell/internal/learn/kernel"

// A tray is where a worker counts. It fetches the words of a few rows from a
// strip and lays them out oct by oct, their gradients beside them:
//
//	rows  3 7 8 …   →   oct 0  | w3 w7 w8 …     gradients | g3 g7 g8 …
//	                    oct 1  | w3 w7 w8 …
//
// Fetching waits for memory, but for many rows at once; counting then reads
// in sequence, one oct after the other, whose sums stay in the nearest cache.
type tray struct {
	rooms     [stripOcts]room
	words     [stripOcts * trayRows]uint64
	gradients [trayRows]int64
}

// trayRows is the number of rows that are fetched at a time.
const trayRows = 1 << 10

// lane is where the words of some rows lie: at 0, stride, 2·stride and so on.
type lane struct {
	words  []uint64
	stride int
}

// crowded tells whether a group is counted in a room.
func (of *group) crowded() bool {
	n := len(of.active)
	return n >= crowd || n > 2 && of.low()
}

// low tells whether only the first four features are active.
func (of *group) low() bool { return of.active[len(of.active)-1]%8 < 4 }

// count leaves the sums of rows in dst's cells of the groups' active features.
func (t *tray) count(g *Grower, groups []group, dst []int64, rows []int32) {
	for len(groups) > 0 {
		n := 1
		for n < len(groups) && groups[n].index/stripOcts == groups[0].index/stripOcts {
			n++
		}
		t.countStrip(g, groups[:n], dst, rows)
		groups = groups[n:]
	}
}

// countStrip is count for groups of the same strip.
func (t *tray) countStrip(g *Grower, groups []group, dst []int64, rows []int32) {
	few := len(rows) < many
	for i := range groups {
		t.clear(g, &groups[i], dst, few)
	}
	s := &g.strips[groups[0].index/stripOcts]
	first := groups[0].index % stripOcts
	last := groups[len(groups)-1].index % stripOcts
	for len(rows) > 0 {
		n := min(trayRows, len(rows))
		lanes, gradients := t.fetch(s, first, last+1, rows, g.sample.Gradients)
		for i := range groups {
			of := &groups[i]
			at := lanes[of.index%stripOcts-first]
			switch {
			case few || !of.crowded():
				countFew(g.offsets, of, dst, at, gradients)
			case of.low():
				countLow(&t.rooms[of.index%stripOcts], at, gradients)
			default:
				countLane(&t.rooms[of.index%stripOcts], at, gradients)
			}
		}
		rows = rows[n:]
	}
	if few {
		return
	}
	for i := range groups {
		if of := &groups[i]; of.crowded() {
			r := &t.rooms[of.index%stripOcts]
			for _, i := range of.active {
				copy(dst[g.offsets[i]:g.offsets[i+1]], r[i%8*window:])
			}
		}
	}
}

// clear clears where a group is to be counted.
func (t *tray) clear(g *Grower, of *group, dst []int64, few bool) {
	r := &t.rooms[of.index%stripOcts]
	for _, i := range of.active {
		if few || !of.crowded() {
			clear(dst[g.offsets[i]:g.offsets[i+1]])
		} else {
			clear(r[i%8*window:][:g.offsets[i+1]-g.offsets[i]])
		}
	}
}

// fetch returns the lanes first … end-1 of the next of rows, trayRows at most,
// and their gradients. Rows without a gap are where they are wanted already.
func (t *tray) fetch(s *strip, first, end int, rows []int32, gradients []int64) (lanes [stripOcts]lane, found []int64) {
	n := min(trayRows, len(rows))
	if low := int(rows[0]); int(rows[n-1])-low == n-1 {
		for i := first; i < end; i++ {
			lanes[i-first] = lane{s.words[low*s.width+i:], s.width}
		}
		return lanes, gradients[low : low+n]
	}
	i := first
	for ; end-i >= 4; i += 4 {
		kernel.PickFour(t.words[i*trayRows:], trayRows, s.words[i:], s.width, rows, n)
	}
	for ; i < end; i++ {
		kernel.Pick(t.words[i*trayRows:][:n], s.words[i:], s.width, rows)
	}
	for i := first; i < end; i++ {
		lanes[i-first] = lane{t.words[i*trayRows:][:n], 1}
	}
	found = t.gradients[:n]
	kernel.Pick(found, gradients, 1, rows)
	return lanes, found
}

// countLane adds gradients to the windows of eight features whose bins are the
// bytes of a lane's words.
func countLane(h *room, at lane, gradients []int64) {
	next := 0
	for _, g := range gradients {
		w := at.words[next]
		next += at.stride
		h[uint8(w)] += g
		h[1*window+int(uint8(w>>8))] += g
		h[2*window+int(uint8(w>>16))] += g
		h[3*window+int(uint8(w>>24))] += g
		h[4*window+int(uint8(w>>32))] += g
		h[5*window+int(uint8(w>>40))] += g
		h[6*window+int(uint8(w>>48))] += g
		h[7*window+int(uint8(w>>56))] += g
	}
}

// countLow is countLane for the first four features.
func countLow(h *room, at lane, gradients []int64) {
	next := 0
	for _, g := range gradients {
		w := at.words[next]
		next += at.stride
		h[uint8(w)] += g
		h[1*window+int(uint8(w>>8))] += g
		h[2*window+int(uint8(w>>16))] += g
		h[3*window+int(uint8(w>>24))] += g
	}
}

// countFew adds gradients to the cells of a group's active features, two at a
// time.
func countFew(offsets []int, of *group, dst []int64, at lane, gradients []int64) {
	active := of.active
	for ; len(active) > 1; active = active[2:] {
		a, b := active[0], active[1]
		countPair(cells(dst, offsets[a]), cells(dst, offsets[b]), at, a%8, b%8, gradients)
	}
	for _, a := range active {
		countByte(cells(dst, offsets[a]), at, a%8, gradients)
	}
}

// countPair adds gradients to the windows of two features, whose bins are two
// bytes of a lane's words.
func countPair(h0, h1 *[window]int64, at lane, byte0, byte1 int, gradients []int64) {
	shift0, shift1 := 8*byte0&63, 8*byte1&63
	next := 0
	for _, g := range gradients {
		w := at.words[next]
		next += at.stride
		h0[uint8(w>>shift0)] += g
		h1[uint8(w>>shift1)] += g
	}
}

// countByte does the same for one feature.
func countByte(h *[window]int64, at lane, byte0 int, gradients []int64) {
	shift := 8 * byte0 & 63
	next := 0
	for _, g := range gradients {
		h[uint8(at.words[next]>>shift)] += g
		next += at.stride
	}
}
