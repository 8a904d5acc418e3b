package model

import (
	"encoding"

	"foretell/internal/learn/boost"
	"foretell/internal/learn/forest"
	"foretell/internal/learn/neural"
	"foretell/internal/learn/smooth"
)

// Algorithm describes an algorithm in model files.
type Algorithm struct {
	// Name is the name without the prefix B (for two classes) or M (for more), such as
	// SIX01.
	Name string
	// Kind is the number of the algorithm in model files. Seeds are also derived from it. It never
	// changes.
	Kind uint8
	// Read returns the predictor with the binary form b; see Predictor.AppendBinary. It returns an
	// error if b is malformed. It does not retain b.
	Read func(b []byte) (Predictor, error)
}

// The algorithms whose predictors a model file can have.
var (
	SEV01 = &Algorithm{"SEV01", 1, readNetworks}                // neural networks
	FIF01 = &Algorithm{"FIF01", 2, readPredictor[forest.Model]} // a randomised forest
	SIX01 = &Algorithm{"SIX01", 3, readPredictor[boost.Model]}  // gradient boosting with leaf-wise trees
	SEV02 = &Algorithm{"SEV02", 4, readPredictor[boost.Model]}  // gradient boosting with symmetric trees

	algorithms = []*Algorithm{SEV01, FIF01, SIX01, SEV02}
)

// BaseName returns the name of an algorithm without the prefix B (for two classes) or M (for more):
// BSIX01 → SIX01. It returns a name without this prefix unchanged.
func BaseName(name string) string {
	if name != "" && (name[0] == 'B' || name[0] == 'M') {
		return name[1:]
	}
	return name
}

// Blend is the algorithm name of a model that is a blend of several algorithms.
const Blend = "BLEND"

// readPredictor reads a predictor of type T.
func readPredictor[T any, P interface {
	*T
	Predictor
	encoding.BinaryUnmarshaler
}](b []byte) (Predictor, error) {
	p := P(new(T))
	if err := p.UnmarshalBinary(b); err != nil {
		return nil, err
	}
	return p, nil
}

// readNetworks reads a model of SEV01, with or without a logistic regression.
func readNetworks(b []byte) (Predictor, error) {
	if smooth.IsModel(b) {
		return readPredictor[smooth.Model](b)
	}
	return readPredictor[neural.Model](b)
}

// smoothPart returns p as a *smooth.Model, or nil if p is of another type. A *smooth.Model mixes
// networks with a logistic regression, their smooth part.
func smoothPart(p Predictor) *smooth.Model {
	if stored, ok := p.(storedPredictor); ok {
		p = stored.decode()
	}
	m, _ := p.(*smooth.Model)
	return m
}
