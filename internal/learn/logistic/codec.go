package logistic

import (
	"errors"
	"fmt"
	"slices"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/preprocess"
)

// The first byte of the binary form.
const (
	versionKernel = 1 // the scores are sums of kernels
	versionLinear = 2 // the scores are linear
)

// maxCount is the largest number of classes, of columns, and of levels of a column.
const maxCount = 1 << 20

// AppendBinary appends the model's binary form to b. The scores of version 1 are sums of
// kernels:
//
//	version, classes, γ, number of columns
//	for each column: whether it is numeric, its index in the frame
//	    if numeric: missing flag, centre, scale
//	    otherwise: inputOfLevel
//	biases, number of centres, inputs of each centre, coefficients of each centre
//
// The scores of version 2 are linear. This version has no γ and no centres, and ends with
// the coefficients of each input. Counts are uvarints, other numbers float64.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	if m.encoder == nil {
		return b, errors.New("logistic: empty model")
	}
	w := codec.NewWriter(slices.Grow(b, 8*(len(m.centers)+len(m.coefficients))))
	if m.IsLinear() {
		w.Bytes(versionLinear)
		w.Uvarint(m.classes)
	} else {
		w.Bytes(versionKernel)
		w.Uvarint(m.classes)
		w.Float64(m.gamma)
	}
	w.Uvarint(len(m.encoder.inputs))
	for i := range m.encoder.inputs {
		m.encoder.inputs[i].write(w)
	}
	writeFloats(w, m.bias)
	if !m.IsLinear() {
		w.Uvarint(len(m.centers) / m.encoder.width)
		writeFloats(w, m.centers)
	}
	writeFloats(w, m.coefficients)
	return w.Result()
}

func (in *inputColumn) write(w *codec.Writer) {
	w.Bool(in.numeric)
	w.Uvarint(in.column)
	if !in.numeric {
		w.Uvarint(len(in.inputOfLevel))
		for _, input := range in.inputOfLevel {
			w.Uvarint(int(input))
		}
		return
	}
	w.Bool(in.missingFlag)
	w.Float64(in.scaler.Center)
	w.Float64(in.scaler.Scale)
}

func writeFloats(w *codec.Writer, values []float64) {
	for _, v := range values {
		w.Float64(v)
	}
}

// UnmarshalBinary sets m to the model with the binary form b. It changes m only
// if the error is nil.
func (m *Model) UnmarshalBinary(b []byte) error {
	r := codec.NewReader(b)
	version := r.Byte()
	if r.Err() == nil && version != versionKernel && version != versionLinear {
		return fmt.Errorf("logistic: model version %d, want %d or %d", version, versionKernel, versionLinear)
	}
	read := Model{encoder: &encoder{}, classes: r.Uvarint(2, maxCount)}
	if version == versionKernel {
		read.gamma = r.FiniteFloat64()
	}
	for range r.Count(2) {
		read.encoder.inputs = append(read.encoder.inputs, readInputColumn(r))
		if r.Err() != nil {
			return fmt.Errorf("logistic: %w", r.Err())
		}
	}
	read.encoder.assignIndices()
	outputs := read.classes
	if outputs == 2 {
		outputs = 1
	}
	if width := read.encoder.width; width < 1 || width > MaxInputs || !(read.gamma >= 0) {
		r.Fail("invalid inputs")
	}
	read.bias = readFloats(r, outputs)
	features := read.encoder.width
	if version == versionKernel {
		if features = r.Count(8 * (read.encoder.width + outputs)); features == 0 {
			r.Fail("no centres")
		}
		read.centers = readFloats(r, features*read.encoder.width)
	}
	read.coefficients = readFloats(r, features*outputs)
	if err := r.End(); err != nil {
		return fmt.Errorf("logistic: %w", err)
	}
	*m = read
	return nil
}

// readFloats reads n finite numbers. If r has too few bytes, it fails before it allocates memory.
// After an error, it returns nil.
func readFloats(r *codec.Reader, n int) []float64 {
	if r.Err() != nil {
		return nil
	}
	if int64(n) > r.Remaining()/8 {
		r.Fail("too few bytes")
		return nil
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = r.FiniteFloat64()
	}
	return values
}

func readInputColumn(r *codec.Reader) inputColumn {
	in := inputColumn{numeric: r.Bool(), column: r.Uvarint(0, maxCount)}
	if in.numeric {
		in.missingFlag, in.scaler.Center, in.scaler.Scale = r.Bool(), r.FiniteFloat64(), r.FiniteFloat64()
		return in
	}
	n := r.Count(1)
	if n < 2 || n > maxCount {
		r.Fail("number of levels out of range")
		return in
	}
	in.inputOfLevel = make(preprocess.OrdinalEncoder, n)
	for i := range in.inputOfLevel {
		in.inputOfLevel[i] = int32(r.Uvarint(0, min(n, MaxInputs)))
	}
	return in
}
