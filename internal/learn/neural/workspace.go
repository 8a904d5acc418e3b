package neural

import "foretell/internal/learn/workspace"

// WorkspacePool is a pool of working memory for training and prediction. Several fitters
// may share it. The zero value is ready to use. It is safe for concurrent use.
type WorkspacePool struct {
	pool workspace.Pool[fitterWorkspace]
}

// fitterWorkspace is the working memory of one fitter: the packed parameters, a
// backprop for each worker, and the gradient of each part of a batch. Its
// initial contents are undefined.
type fitterWorkspace struct {
	packed    packedParams
	backprops []*backprop
	grads     [][]float32
}

// workspaceSize holds the lengths of the slices backprops and grads of a fitterWorkspace. rows is
// the largest number of rows of a backprop.
type workspaceSize struct{ backprops, rows, grads int }

// acquire returns a workspace of the given size for a network with the given layout and encoder.
func (p *WorkspacePool) acquire(layout *layout, encoder *encoder, size workspaceSize) *fitterWorkspace {
	w := p.pool.Acquire()
	w.packed.resize(layout, true)
	for len(w.backprops) < size.backprops {
		w.backprops = append(w.backprops, &backprop{})
	}
	for _, bp := range w.backprops {
		bp.resize(layout, encoder, size.rows)
	}
	w.grads = workspace.Resize(w.grads, size.grads)
	for i := range w.grads {
		w.grads[i] = workspace.Resize(w.grads[i], layout.params)
	}
	return w
}

// release puts w back into the pool.
func (p *WorkspacePool) release(w *fitterWorkspace) {
	w.packed.flat = nil
	p.pool.Release(w)
}
