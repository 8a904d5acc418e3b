package text

import (
	"math"

	"foretell/internal/learn/codec"
)

// binaryVersion is the version of the binary form.
const binaryVersion = 1

// maxIDF is the largest allowed inverse document frequency (idf) of a term, and maxWeight
// the largest allowed absolute value of a weight. Both are far above the values of
// trained models.
const (
	maxIDF    = 100
	maxWeight = 1e6
)

// AppendBinary appends the binary form of the model to b. docs/model-file.md describes
// this form.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	w := codec.NewWriter(b)
	w.Bytes(binaryVersion)
	w.Uvarint(m.classes)
	w.Float32s(m.bias)
	w.Uvarint(len(m.vocabulary.buckets))
	previous := -1
	for _, bucket := range m.vocabulary.buckets {
		w.Uvarint(int(bucket) - previous - 1)
		previous = int(bucket)
	}
	w.Float32s(m.vocabulary.idf)
	w.Float32s(m.weights)
	return w.Result()
}

// ReadModel returns the model with the binary form b. It returns an error if b is
// malformed.
func ReadModel(b []byte) (*Model, error) {
	r := codec.NewReader(b)
	if r.Byte() != binaryVersion {
		r.Fail("unknown version of a text model")
	}
	m := &Model{classes: r.Uvarint(2, math.MaxUint16)}
	m.bias = r.FiniteFloat32s(numOutputs(m.classes))
	buckets := make([]uint32, r.Count(1))
	next := 0
	for i := range buckets {
		bucket := next + r.Uvarint(0, numBuckets-1)
		if bucket >= numBuckets {
			r.Fail("invalid bucket")
			break
		}
		buckets[i], next = uint32(bucket), bucket+1
	}
	idf := r.FiniteFloat32s(len(buckets))
	for _, x := range idf {
		if !(x > 0 && x < maxIDF) {
			r.Fail("invalid idf")
		}
	}
	m.weights = r.FiniteFloat32s(len(buckets) * numOutputs(m.classes))
	for _, values := range [][]float32{m.bias, m.weights} {
		for _, x := range values {
			if x < -maxWeight || x > maxWeight { // scores could overflow
				r.Fail("invalid weight")
			}
		}
	}
	if err := r.End(); err != nil {
		return nil, err
	}
	m.vocabulary = newVocabulary(buckets, idf)
	return m, nil
}
