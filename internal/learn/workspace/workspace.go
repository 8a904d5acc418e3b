// Package workspace reuses working memory.
package workspace

import "sync"

// Pool holds workspaces that are not in use. Fitters that share a pool hold a workspace only during
// a step, so there are at most as many workspaces as concurrent steps. Unlike a sync.Pool, a Pool
// never drops a workspace. The zero value is ready to use. It is safe for concurrent use.
type Pool[T any] struct {
	mu   sync.Mutex
	free []*T
}

// Acquire returns a released workspace with undefined contents, or a new workspace.
func (p *Pool[T]) Acquire() *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.free) - 1
	if last < 0 {
		return new(T)
	}
	w := p.free[last]
	p.free = p.free[:last]
	return w
}

// Release puts a workspace back.
func (p *Pool[T]) Release(w *T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, w)
}

// Resize returns a slice of length n with undefined contents. It reuses the
// memory of s if that is large enough.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
