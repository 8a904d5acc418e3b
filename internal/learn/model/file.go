package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/explain"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// docs/model-file.md describes the model file, in the order of WriteTo, and the binary
// forms of the predictors.
//
// A smooth part is a logistic regression that is added to the networks of a member; see package
// smooth. The version of a new file is the first of these that applies:
//   - 7 if a member has a smooth part with linear scores
//   - 6 if the schema has version frame.VersionItems
//   - 5 if the schema has differences of dates
//   - 4 if the model has text models or a member with a smooth part
//   - 3 in all other cases
//
// Older programs wrote versions 1 and 2, which have no background. A model that was read from such
// a file is written with the same version. All versions stay readable; see TestCommittedModelFiles.
const (
	magic                  = "FORETELL"
	versionPlain           = 1
	versionScreened        = 2
	versionBackground      = 3
	versionTexts           = 4 // with text models or smooth parts
	versionDateDifferences = 5
	versionItems           = 6 // see frame.VersionItems
	versionLinear          = 7 // with a smooth part that has linear scores
	versionLatest          = versionLinear
)

// fileVersion returns the version of the model's binary form.
func (m *Model) fileVersion() uint16 {
	isSmooth := false
	for _, one := range m.members {
		inner, _ := UnwrapFeatures(one.Predictor)
		if part := smoothPart(inner); part != nil {
			isSmooth = true
			if part.IsLinear() {
				return versionLinear
			}
		}
	}
	switch m.schema.Version() {
	case frame.VersionItems:
		return versionItems
	case frame.VersionDifferences:
		return versionDateDifferences
	}
	if isSmooth || len(m.textModels()) > 0 {
		return versionTexts
	}
	if m.background != nil {
		return versionBackground
	}
	for _, one := range m.members {
		if _, features := UnwrapFeatures(one.Predictor); features != nil {
			return versionScreened
		}
	}
	return versionPlain
}

// WriteTo writes the model file to w, one member at a time. It returns the number of
// bytes written. Equal models have equal bytes.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	version := m.fileVersion()
	head, err := m.encodeHeader(version)
	if err != nil {
		return 0, err
	}
	sum := sha256.New()
	size := int64(0)
	put := func(parts ...[]byte) (err error) {
		for _, b := range parts {
			if err == nil {
				sum.Write(b)
				var n int
				n, err = w.Write(b)
				size += int64(n)
			}
		}
		return err
	}
	if err := put(head); err != nil {
		return size, err
	}
	var inner []byte
	texts := m.textModels()
	if err := writeTextModels(put, texts); err != nil {
		return size, err
	}
	for _, one := range m.members {
		unwrapped, features := UnwrapFeatures(one.Predictor)
		if inner, err = unwrapped.AppendBinary(inner[:0]); err != nil {
			return size, fmt.Errorf("%s: %w", m.algorithm, err)
		}
		if len(inner) > math.MaxUint32 {
			return size, fmt.Errorf("%s: %d bytes are too many for a model file", m.algorithm, len(inner))
		}
		var b codec.Writer
		b.Bytes(one.Algorithm.Kind)
		b.Float64(one.Weight)
		if version >= versionScreened {
			writeFeatureColumns(&b, features)
		}
		if version >= versionTexts {
			b.Uint32(uint32(textModelsIndex(texts, features) + 1))
		}
		b.Uint32(uint32(len(inner)))
		if err := put(b.Data(), inner); err != nil {
			return size, err
		}
	}
	if m.background != nil {
		background, err := explain.EncodeBackground(m.background)
		if err == nil {
			err = put(background)
		}
		if err != nil {
			return size, err
		}
	}
	err = put(sum.Sum(nil))
	return size, err
}

// encodeHeader returns the beginning of the file, before the members.
func (m *Model) encodeHeader(version uint16) ([]byte, error) {
	schema, err := json.Marshal(m.schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var w codec.Writer
	w.Bytes([]byte(magic)...)
	w.Uint16(version)
	w.Uint32(uint32(len(schema)))
	w.Bytes(schema...)
	w.Uint32(uint32(len(m.algorithm)))
	w.Bytes([]byte(m.algorithm)...)
	w.Float64(float64(m.temperature))
	w.Uint32(uint32(len(m.weights)))
	for _, weight := range m.weights {
		w.Float64(weight)
	}
	w.Uint32(uint32(len(m.members)))
	if version >= versionTexts {
		w.Uint32(uint32(len(m.textModels())))
	}
	return w.Result()
}

// errDamaged is returned for a truncated or modified model file.
var errDamaged = errors.New("the model file is damaged")

// ErrNewer is returned for a model file of a newer version of foretell. Test with errors.Is.
var ErrNewer = errors.New("the model file is of a newer version of foretell")

// errNotModel is returned for a file without the magic of a model file.
var errNotModel = errors.New("not a model file")

// Verify returns an error if r does not contain a complete model file of size
// bytes. It accepts every version, because it checks only the magic at the beginning and
// the checksum at the end.
func Verify(r io.Reader, size int64) error {
	begin, sum, end := make([]byte, len(magic)), sha256.New(), make([]byte, sha256.Size)
	if size < int64(len(begin)+len(end)) {
		return errDamaged
	}
	if _, err := io.ReadFull(r, begin); err != nil {
		return err
	}
	if string(begin) != magic {
		return errNotModel
	}
	sum.Write(begin)
	if _, err := io.CopyN(sum, r, size-int64(len(begin)+len(end))); err != nil {
		return err
	}
	if _, err := io.ReadFull(r, end); err != nil {
		return err
	}
	if !bytes.Equal(end, sum.Sum(nil)) {
		return errDamaged
	}
	return nil
}

// Read reads a model file of size bytes from r, one member at a time.
func Read(r io.Reader, size int64) (*Model, error) { return read(r, size, algorithms) }

func read(in io.Reader, size int64, algorithms []*Algorithm) (*Model, error) {
	sum := sha256.New()
	r := codec.NewStreamReader(io.TeeReader(in, sum), size-sha256.Size)
	if begin := string(r.Next(len(magic))); begin != magic && (r.Err() == nil || errors.Is(r.Err(), codec.ErrMalformed)) {
		return nil, errNotModel
	}
	v := r.Uint16()
	if v > versionLatest && r.Err() == nil {
		return nil, fmt.Errorf("%w: the file has version %d, but this version of foretell reads versions %d to %d", ErrNewer, v, versionPlain, versionLatest)
	}
	if v < versionPlain && r.Err() == nil {
		return nil, errDamaged
	}
	m := &Model{schema: readSchema(r), algorithm: string(r.Next(r.Count32(1)))}
	m.temperature = metric.Temperature(r.Float64())
	m.weights = readWeights(r)
	members := r.Count32(1 + 8 + 4)
	texts := readTextModels(r, v, m.schema)
	for ; members > 0 && r.Err() == nil; members-- {
		m.members = append(m.members, readMember(r, algorithms, v, m.schema, texts))
	}
	if v >= versionBackground && r.Err() == nil {
		m.background = explain.ReadBackground(r, m.schema)
	}
	switch err := r.End(); {
	case errors.Is(err, codec.ErrMalformed):
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	case err != nil:
		return nil, fmt.Errorf("reading the model file: %w", err)
	case len(m.members) == 0:
		return nil, errDamaged
	case m.weights != nil && len(m.weights) != m.classes():
		return nil, errDamaged
	case !(m.temperature > 0) || math.IsInf(float64(m.temperature), 1):
		return nil, errDamaged
	}
	if err := verifyChecksum(in, sum.Sum(nil)); err != nil {
		return nil, err
	}
	return m, m.checkPrediction()
}

// verifyChecksum reads the checksum at the end of a model file. It returns errDamaged if the
// checksum is missing or differs from want.
func verifyChecksum(in io.Reader, want []byte) error {
	end := make([]byte, sha256.Size)
	switch _, err := io.ReadFull(in, end); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errDamaged
	case err != nil:
		return fmt.Errorf("reading the model file: %w", err)
	case !bytes.Equal(end, want):
		return errDamaged
	}
	return nil
}

// checkPrediction predicts a row of missing cells. It returns errDamaged if the prediction panics
// or the probabilities do not add up to 1. This happens, for example, if the number of columns or
// classes of a member differs from the schema.
func (m *Model) checkPrediction() error {
	f := &frame.Frame{Schema: m.schema, Rows: 1, Columns: make([]frame.Column, len(m.schema.Columns))}
	for i := range f.Columns {
		switch m.schema.Columns[i].Kind {
		case frame.Numeric:
			f.Columns[i].Floats = []float64{cells.NaN}
		case frame.Category:
			f.Columns[i].Codes = []int32{frame.Missing}
		case frame.Text:
			f.Columns[i].Texts = []string{""}
		}
	}
	dst := make([]float32, m.classes())
	err := parallel.Recover(func() error {
		m.predict(dst, f, 0, 1)
		return nil
	})
	sum := 0.0
	for _, q := range dst {
		sum += float64(q)
	}
	if err != nil || !(math.Abs(sum-1) < 1e-3) {
		return errDamaged
	}
	return nil
}

// readWeights reads the decision weights. It returns nil if the model has no decision
// weights.
func readWeights(r *codec.Reader) []float64 {
	n := r.Count32(8)
	if n == 0 {
		return nil
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = r.Float64()
		if !(weights[i] >= 0) || math.IsInf(weights[i], 1) {
			r.Fail("invalid weight")
		}
	}
	return weights
}

// readSchema reads the schema. It returns an empty schema after an error.
func readSchema(r *codec.Reader) *frame.Schema {
	s := new(frame.Schema)
	b := r.Next(r.Count32(1))
	if r.Err() != nil {
		return s
	}
	if err := json.Unmarshal(b, s); err != nil {
		r.Fail("schema: " + err.Error())
		return s
	}
	if len(s.Classes) < 2 || !s.Valid() {
		r.Fail("invalid schema")
	}
	return s
}

// readMember reads a member of a file of the given version. The member's algorithm must be one of
// algorithms. texts are the sets of text models in the file, to which members refer by index.
func readMember(r *codec.Reader, algorithms []*Algorithm, version uint16, schema *frame.Schema, texts []*textModels) Member {
	kind := r.Byte()
	one := Member{Weight: r.Float64()}
	var features *Features
	if version >= versionScreened {
		features = readFeatureColumns(r, len(schema.Columns))
	}
	if version >= versionTexts {
		if number := r.Uint32(); int64(number) > int64(len(texts)) {
			r.Fail("invalid number of a text model")
		} else if number > 0 {
			features = withTexts(features, texts[number-1])
		}
	}
	inner := r.Next(r.Count32(1))
	if !(one.Weight > 0 && one.Weight <= 1) {
		r.Fail("invalid weight")
	}
	if r.Err() != nil {
		return Member{}
	}
	for _, a := range algorithms {
		if a.Kind != kind {
			continue
		}
		one.Algorithm = a
		var err error
		if one.Predictor, err = a.Read(inner); err != nil {
			r.Fail(err.Error())
		}
		one.Predictor = WithFeatures(one.Predictor, features)
		return one
	}
	r.Fail("unknown algorithm")
	return Member{}
}
