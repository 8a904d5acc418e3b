package neural

import (
	"context"
	"math"
	"slices"
	"testing"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

func TestModel(t *testing.T) {
	f := mixedFrame(400, 3)
	part := split.Fold{Train: rowRange(0, 300), Validation: rowRange(300, 400)}
	n := fitAll(t, f, part, Options{Classes: 3, Seed: 2, samples: 3000, width: 32, steps: 3})
	want := make([]float32, 300)
	n.PredictValidation(want)
	b, err := n.Model().AppendBinary([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	var m Model
	if err := m.UnmarshalBinary(b[1:]); err != nil {
		t.Fatal(err)
	}
	t.Run("predicts_as_the_fitter_did", func(t *testing.T) {
		got := make([]float32, 300)
		m.Predict(got, f, 300, 400)
		if !slices.Equal(got, want) {
			t.Error("probabilities differ after a round trip")
		}
	})
	t.Run("unseen_cells_are_valid", func(t *testing.T) {
		odd := testTable{class: 3, levels: []int{3, 40, 1}, floats: make([][]float64, 4), codes: make([][]int32, 3)}
		for _, v := range []float64{math.NaN(), 1e308, -1e308, math.Inf(1), 0} {
			for c := range odd.floats {
				odd.floats[c] = append(odd.floats[c], v)
			}
		}
		for _, v := range []int32{-1, 3, 40, 1000, math.MinInt32} {
			for c := range odd.codes {
				odd.codes[c] = append(odd.codes[c], v)
			}
		}
		odd.labels = make([]int32, 5)
		got := make([]float32, 15)
		m.Predict(got, odd.frame(), 0, 5)
		for i := 0; i < 15; i += 3 {
			if sum := got[i] + got[i+1] + got[i+2]; !(math.Abs(float64(sum)-1) < 1e-5) {
				t.Errorf("row %d: probabilities %v", i/3, got[i:i+3])
			}
		}
	})
	t.Run("weights_that_are_not_finite_are_errors", func(t *testing.T) {
		bad := slices.Clone(b[1:])
		copy(bad[len(bad)-4:], []byte{0, 0, 0xc0, 0x7f}) // NaN
		if err := new(Model).UnmarshalBinary(bad); err == nil {
			t.Error("no error")
		}
	})
	t.Run("huge_layers_are_errors", func(t *testing.T) { // even if no input makes the parameters as many
		for _, width := range []int{16, 1 << 13} {
			w := codec.NewWriter([]byte{version})
			for _, n := range []int{2, 64, 1, width, 1, 0} { // classes, members, layers, width, embedding size, inputs
				w.Uvarint(n)
			}
			w.Float32s(make([]float32, 2*64*width+64*width*2+64*2))
			hostile, err := w.Result()
			if err != nil {
				t.Fatal(err)
			}
			if err := new(Model).UnmarshalBinary(hostile); (err != nil) != (width > 16) {
				t.Errorf("width %d: %v", width, err)
			}
		}
	})
	t.Run("truncated_models_are_errors", func(t *testing.T) {
		for i := range len(b) - 1 {
			if err := new(Model).UnmarshalBinary(b[1 : 1+i]); err == nil {
				t.Fatalf("no error for the first %d bytes", i)
			}
		}
	})
}

func FuzzUnmarshal(f *testing.F) {
	data := mixedFrame(60, 3)
	n, err := New(context.Background(), data, split.Fold{Train: rowRange(0, 60)}, Options{Classes: 3, width: 4, layers: 1, embedding: 1, knots: 4})
	if err != nil {
		f.Fatal(err)
	}
	b, err := n.Model().AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Model
		if m.UnmarshalBinary(b) != nil {
			return
		}
		// Package learn checks that a model fits its columns.
		isOfOtherTable := slices.ContainsFunc(m.encoder.inputs, func(in inputColumn) bool {
			return in.column >= len(data.Columns) || in.numeric != (data.Schema.Columns[in.column].Kind == frame.Numeric)
		})
		if !isOfOtherTable && m.layout.classes*m.layout.members*m.layout.inputs < 1<<16 {
			m.Predict(make([]float32, 2*m.layout.classes), data, 0, 2)
		}
		again, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var read Model
		if err := read.UnmarshalBinary(again); err != nil {
			t.Fatalf("a model written by AppendBinary is an error: %v", err)
		}
	})
}
