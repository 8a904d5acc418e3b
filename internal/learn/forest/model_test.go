package forest

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/split"
)

// testModels returns small models that together use every part of the binary form: numeric
// and categorical nodes, nodes that send missing values left, leaves of one and of several
// classes, and a model without trees.
func testModels(t *testing.T) map[string]*Model {
	t.Helper()
	f, g := testFrame(300, 2, 1), testFrame(300, 5, 2)
	bare, err := newFitter(t, f, trainOnFirst(300, 200), Options{Classes: 2})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*Model{
		"binary":       fitAll(t, f, trainOnFirst(300, 200), Options{Classes: 2, trees: 4, minLeaf: 5}).Model(),
		"five_classes": fitAll(t, g, split.Fold{Train: trainOnFirst(300, 300).Train}, Options{Classes: 5, trees: 4, minLeaf: 2}).Model(),
		"bare":         bare.Model(),
	}
}

func TestModelRoundTrip(t *testing.T) {
	f := testFrame(600, 2, 3)
	for name, m := range testModels(t) {
		t.Run(name, func(t *testing.T) {
			b, err := m.AppendBinary([]byte("prefix"))
			if err != nil {
				t.Fatal(err)
			}
			b = bytes.TrimPrefix(b, []byte("prefix"))
			var read Model
			if err := read.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			want, got := make([]float32, 600*len(m.prior)), make([]float32, 600*len(m.prior))
			m.Predict(want, f, 0, 600)
			read.Predict(got, f, 0, 600)
			if !slices.Equal(want, got) {
				t.Error("the decoded model predicts differently")
			}
			again, err := read.AppendBinary(nil)
			if err != nil || !bytes.Equal(b, again) {
				t.Errorf("the decoded model has a different binary form (error %v)", err)
			}
			for n := range b {
				if err := new(Model).UnmarshalBinary(b[:n]); !errors.Is(err, codec.ErrMalformed) {
					t.Fatalf("%d of %d bytes: error %v, want %v", n, len(b), err, codec.ErrMalformed)
				}
			}
		})
	}
}

func TestPredictInBlocks(t *testing.T) {
	f := testFrame(700, 5, 4)
	m := testModels(t)["five_classes"]
	want, got := make([]float32, 700*5), make([]float32, 700*5)
	m.Predict(want, f, 0, 700)
	for lo := 0; lo < 700; lo += 33 {
		hi := min(lo+33, 700)
		m.Predict(got[lo*5:hi*5], f, lo, hi)
	}
	if !slices.Equal(want, got) {
		t.Error("predictions in blocks differ from predictions of all rows")
	}
}

// FuzzUnmarshalBinary checks that UnmarshalBinary returns an error or a model that
// predicts without a panic.
func FuzzUnmarshalBinary(f *testing.F) {
	data := testFrame(20, 2, 5)
	for _, opts := range []Options{{Classes: 2, trees: 2, minLeaf: 5}, {Classes: 4, trees: 2}} {
		rows := testFrame(60, opts.Classes, 6)
		fitter, err := newFitter(f, rows, split.Fold{Train: trainOnFirst(60, 60).Train}, opts)
		if err != nil {
			f.Fatal(err)
		}
		if _, err := fitter.Step(f.Context()); err != nil {
			f.Fatal(err)
		}
		b, err := fitter.Model().AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Model
		if m.UnmarshalBinary(b) != nil || len(m.mappers) > len(data.Columns) {
			return
		}
		m.Predict(make([]float32, data.Rows*len(m.prior)), data, 0, data.Rows)
	})
}
