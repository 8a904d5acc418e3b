package boost

import (
	"errors"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
)

// NewSymmetric prepares a fitter that learns by symmetric trees.
func NewSymmetric(f *frame.Frame, part split.Part, opts Options) (*Fitter, error) {
	return nil, errors.New("boost: not yet")
}
