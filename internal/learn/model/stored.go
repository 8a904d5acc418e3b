package model

import (
	"fmt"
	"io"
	"math"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/shapley"
	"foretell/internal/onnx"
	"foretell/internal/spill"
	"foretell/internal/table/frame"
)

// WritePredictor writes a single predictor to w, with its features. Unlike a model file,
// this form has no schema and no checksum.
func WritePredictor(w io.Writer, p Predictor) error {
	put := func(parts ...[]byte) error {
		for _, b := range parts {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	}
	inner, features := UnwrapFeatures(p)
	hasTexts := features != nil && features.texts != nil
	var head codec.Writer
	writeFeatureColumns(&head, features)
	head.Bool(hasTexts)
	if err := put(head.Data()); err != nil {
		return err
	}
	if hasTexts {
		if err := writeTextModels(put, []*textModels{features.texts}); err != nil {
			return err
		}
	}
	encoded, err := inner.AppendBinary(nil)
	if err != nil {
		return err
	}
	if len(encoded) > math.MaxUint32 {
		return fmt.Errorf("%d bytes are too many for a recording", len(encoded))
	}
	var size codec.Writer
	size.Uint32(uint32(len(encoded)))
	return put(size.Data(), encoded)
}

// ReadPredictor reads what WritePredictor has written: a predictor of the algorithm a for the given
// schema. The result keeps the predictor in its binary form: on disk or, if disk is nil, in memory.
// If r has an error, ReadPredictor returns nil.
func ReadPredictor(r *codec.Reader, a *Algorithm, schema *frame.Schema, disk *spill.File) Predictor {
	features := readFeatureColumns(r, len(schema.Columns))
	if r.Bool() {
		columns := schema.TextColumns()
		if len(columns) == 0 {
			r.Fail("text models without a column of texts")
		}
		if texts := readTextModelsOf(r, columns, len(schema.Classes)); texts != nil {
			features = withTexts(features, texts)
		}
	}
	encoded := r.Next(r.Count32(1))
	if r.Err() != nil {
		return nil
	}
	if _, err := a.Read(encoded); err != nil {
		r.Fail(err.Error())
		return nil
	}
	p := storedPredictor{a, disk.NewStream()}
	_, _ = p.encoded.Write(encoded) // Stream.Write never fails
	return WithFeatures(p, features)
}

// storedPredictor is a predictor in its binary form. It is decoded each time that it is
// used; see Member.Clone.
type storedPredictor struct {
	algorithm *Algorithm
	encoded   *spill.Stream
}

// AppendBinary implements Predictor.
func (p storedPredictor) AppendBinary(b []byte) ([]byte, error) {
	return p.encoded.AppendTo(b, p.encoded.Len())
}

// Predict implements Predictor.
func (p storedPredictor) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	p.decode().Predict(dst, f, lo, hi)
}

// Encode implements Predictor.
func (p storedPredictor) Encode(f *frame.Frame) shapley.Rows { return p.decode().Encode(f) }

// AddONNX implements Predictor.
func (p storedPredictor) AddONNX(g *onnx.Graph, x onnx.Matrix) onnx.Value {
	return p.decode().AddONNX(g, x)
}

func (p storedPredictor) decode() Predictor {
	encoded, err := p.AppendBinary(nil)
	if err != nil {
		panic(err) // like the other predictors that are stored on disk
	}
	decoded, err := p.algorithm.Read(encoded)
	if err != nil {
		panic(err) // cannot happen, because ReadPredictor has decoded it
	}
	return decoded
}
