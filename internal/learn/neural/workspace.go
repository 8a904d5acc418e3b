package neural

import "sync"

// WorkspacePool is the working memory of training and prediction. Fitters that
// share it hold a workspace during a step only, so there are as many workspaces
// as concurrent steps, however many fitters there are. The zero value is ready
// to use. It is safe for concurrent use.
type WorkspacePool struct {
	mu   sync.Mutex
	free []*workspace // not in use
}

// workspace is the working memory of one fitter: the packed parameters, a
// backprop for each worker, and the gradient of each part of a batch. Its
// initial contents are undefined.
type workspace struct {
	packed    packedParams
	backprops []*backprop
	grads     [][]float32
}

// workspaceSize is the number of backprops, of rows of each, and of gradients.
type workspaceSize struct{ backprops, rows, grads int }

// acquire returns a workspace for a network.
func (r *WorkspacePool) acquire(l *layout, e *encoder, n workspaceSize) *workspace {
	w := r.acquireFree()
	w.packed.resize(l, true)
	for len(w.backprops) < n.backprops {
		w.backprops = append(w.backprops, &backprop{})
	}
	for _, a := range w.backprops {
		a.resize(l, e, n.rows)
	}
	w.grads = resize(w.grads, n.grads)
	for i := range w.grads {
		w.grads[i] = resize(w.grads[i], l.params)
	}
	return w
}

func (r *WorkspacePool) acquireFree() *workspace {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.free) - 1
	if last < 0 {
		return &workspace{}
	}
	w := r.free[last]
	r.free = r.free[:last]
	return w
}

// release puts a workspace back.
func (r *WorkspacePool) release(w *workspace) {
	w.packed.flat = nil
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, w)
}

// resize returns a slice of length n, which reuses s if it is large enough; its
// contents are undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
