package text

import (
	"slices"
	"sync"
)

// Memo holds the features of texts that a model has scored. It is safe for concurrent use.
type Memo struct {
	mu       sync.Mutex
	features map[string][]float32
}

// NewMemo returns an empty memo. It must be used only with scorers of a single model.
func NewMemo() *Memo { return &Memo{features: map[string][]float32{}} }

// Score writes the features of a text to dst, as s.Score does, but computes the features
// of equal texts only once. If m is nil, it computes them each time.
func (m *Memo) Score(s *Scorer, dst []float32, text string) {
	if m == nil {
		s.Score(dst, text)
		return
	}
	m.mu.Lock()
	known, ok := m.features[text]
	m.mu.Unlock()
	if ok {
		copy(dst, known)
		return
	}
	s.Score(dst, text)
	known = slices.Clone(dst)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.features[text] = known
}
