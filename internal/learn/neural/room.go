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
// a lane for each worker, and the gradient of each share of a batch. What the
// fitter before left there is of no account.
type desk struct {
	packed packed
	lanes  []*lane
	grads  [][]float32
}

// places are what a fitter needs of a desk: lanes for so many rows each, and
// gradients.
type places struct{ lanes, rows, grads int }

// take returns a desk for a network.
func (r *Room) take(l *layout, e *encoder, n places) *desk {
	d := r.vacant()
	d.packed.fit(l, true)
	for len(d.lanes) < n.lanes {
		d.lanes = append(d.lanes, &lane{})
	}
	for _, a := range d.lanes {
		a.fit(l, e, n.rows)
	}
	d.grads = sized(d.grads, n.grads)
	for i := range d.grads {
		d.grads[i] = sized(d.grads[i], l.params)
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
