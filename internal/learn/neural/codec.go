package neural

import (
	"errors"
	"fmt"
	"slices"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/preprocess"
)

// version is the first byte of the binary form.
const version = 1

// maxCount, maxWidth and maxMembersOrLayers limit the sizes in a binary form, so that products of
// sizes fit in an int. They do not limit the memory: UnmarshalBinary compares the sizes
// with the length of the binary form.
const (
	maxCount           = 1 << 20 // columns, levels, knots, classes
	maxWidth           = 1 << 14 // units, outputs of an embedding
	maxMembersOrLayers = 1 << 6  // members of the ensemble, hidden layers
)

// maxUnits is the largest number of units of all hidden layers of all members. With maxUnits units,
// a forward pass of predictRows rows needs 128 MB for the outputs of the units. Usual networks have
// a few thousand units.
const maxUnits = 1 << 18

// AppendBinary appends the model's binary form to b:
//
//	version, classes, members, layers, width, embedding size, number of inputs
//	each input:
//	    whether it is numeric, column
//	    if numeric: missing flag, centre, scale, knots
//	    otherwise: table row of each level
//	every parameter, in the order of layout
//
// Counts are uvarints. Centre, scale and knots are float64, parameters float32.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	if m.layout == nil {
		return b, errors.New("neural: empty model")
	}
	w := codec.NewWriter(slices.Grow(b, 4*len(m.params)))
	w.Bytes(version)
	for _, n := range []int{m.layout.classes, m.layout.members, len(m.layout.dense), m.layout.width, m.encoder.embeddingSize, len(m.encoder.inputs)} {
		w.Uvarint(n)
	}
	for i := range m.encoder.inputs {
		m.encoder.inputs[i].write(w)
	}
	w.Float32s(m.params)
	return w.Result()
}

func (in *inputColumn) write(w *codec.Writer) {
	w.Bool(in.numeric)
	w.Uvarint(in.column)
	if !in.numeric {
		w.Uvarint(len(in.rowOfLevel))
		for _, row := range in.rowOfLevel {
			w.Uvarint(int(row))
		}
		return
	}
	w.Bool(in.missingFlag)
	w.Float64(in.scaler.Center)
	w.Float64(in.scaler.Scale)
	w.Uvarint(len(in.knots))
	for _, knot := range in.knots {
		w.Float64(knot)
	}
}

// UnmarshalBinary sets m to the model with the binary form b. It changes m only
// if the error is nil.
func (m *Model) UnmarshalBinary(b []byte) error {
	r := codec.NewReader(b)
	if v := r.Byte(); r.Err() == nil && v != version {
		return fmt.Errorf("neural: model version %d, want %d", v, version)
	}
	classes, members, layers := r.Uvarint(2, maxCount), r.Uvarint(1, maxMembersOrLayers), r.Uvarint(1, maxMembersOrLayers)
	width, size := r.Uvarint(1, maxWidth), r.Uvarint(1, maxWidth)
	if members*width*layers > maxUnits {
		r.Fail("too many units")
	}
	inputs := r.Count(1)
	if inputs > maxCount {
		r.Fail("too many columns")
	}
	e := &encoder{embeddingSize: size}
	for range inputs {
		e.inputs = append(e.inputs, readInputColumn(r))
		if r.Err() != nil {
			break
		}
	}
	if r.Err() != nil {
		return fmt.Errorf("neural: %w", r.Err())
	}
	e.assignIndices()
	// Before memory is allocated, check that the remaining bytes are as many as the sizes
	// require.
	l := newLayout(e, Options{Classes: classes, members: members, layers: layers, width: width})
	if left := r.Remaining(); int64(l.params) != left/4 || left%4 != 0 {
		return fmt.Errorf("neural: %d bytes for %d parameters of 4 bytes", left, l.params)
	}
	params := r.FiniteFloat32s(l.params)
	if err := r.End(); err != nil {
		return fmt.Errorf("neural: %w", err)
	}
	*m = *newModel(e, l, params)
	return nil
}

func readInputColumn(r *codec.Reader) inputColumn {
	in := inputColumn{numeric: r.Bool()}
	in.column = r.Uvarint(0, maxCount)
	if !in.numeric {
		n := r.Count(1)
		if n < 2 || n > maxCount {
			r.Fail("number of levels out of range")
		}
		in.rowOfLevel = make(preprocess.OrdinalEncoder, n)
		for i := range in.rowOfLevel {
			in.rowOfLevel[i] = int32(r.Uvarint(unknownRow, n))
			in.tableRows = max(in.tableRows, int(in.rowOfLevel[i])+1)
		}
		return in
	}
	in.missingFlag = r.Bool()
	in.scaler.Center, in.scaler.Scale = r.FiniteFloat64(), r.FiniteFloat64()
	in.knots = make([]float64, r.Count(8))
	for i := range in.knots {
		in.knots[i] = r.FiniteFloat64()
		if i > 0 && in.knots[i] <= in.knots[i-1] {
			r.Fail("knots are not ascending")
		}
	}
	if len(in.knots) == 1 {
		r.Fail("embedding with a single knot")
	}
	in.tableRows = len(in.knots)
	return in
}
