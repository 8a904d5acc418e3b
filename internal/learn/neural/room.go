package neural

import "sync"

// Room is the memory that learning and scoring need while they are at it.
// Fitters that share one hold a desk of it during a step only: there are as
// many desks as there are steps at a time, however many the fitters. The zero
// value is ready, and safe for concurrent use.
type Room struct {
	mu    sync.Mutex
	desks []*desk // that nobody sits at
}

// desk is what one fitter works with: the parameters as the network reads them,
// and the lanes. What the fitter before left there is of no account.
type desk struct {
	packed packed
	lanes  []*lane
}

// take returns a desk for so many lanes of a network.
func (r *Room) take(l *layout, e *encoder, lanes, rows int) *desk {
	d := r.vacant()
	d.packed.fit(l, true)
	for len(d.lanes) < lanes {
		d.lanes = append(d.lanes, &lane{})
	}
	d.lanes = d.lanes[:lanes]
	for _, a := range d.lanes {
		a.fit(l, e, rows)
	}
	return d
}

func (r *Room) vacant() *desk {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.desks) - 1
	if last < 0 {
		return &desk{}
	}
	d := r.desks[last]
	r.desks = r.desks[:last]
	return d
}

// give takes a desk back.
func (r *Room) give(d *desk) {
	d.packed.flat = nil
	r.mu.Lock()
	defer r.mu.Unlock()
	r.desks = append(r.desks, d)
}

// sized returns n numbers or whatever else that hold anything, in the place of
// s if that has room for them.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
