package tree

import (
	"testing"

	"foretell/internal/learn/codec"
)

func FuzzRead(f *testing.F) {
	data, target := testData(400, 8, 2)
	bins := mustBins(f, data)
	grown, err := NewGrower(bins, Params{MinRows: 5}, 1).Grow(f.Context(), regression(bins, target), 12)
	if err != nil {
		f.Fatal(err)
	}
	mappers := bins.Mappers()
	f.Add(binaryForm(f, func(w *codec.Writer) { grown.Write(w, mappers) }))
	for i := range mappers {
		f.Add(binaryForm(f, mappers[i].Write))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := codec.NewReader(b)
		if c := ReadBinMapper(r); r.Err() == nil {
			bin := c.BinOf(0)
			if c.Categorical {
				bin = c.BinOfCode(2)
			}
			if int(bin) >= c.NumBins || c.NumBins > MaxBins {
				t.Errorf("bin %d, but only %d bins", bin, c.NumBins)
			}
		}
		read := ReadTree(codec.NewReader(b), mappers)
		if read == nil {
			return
		}
		if leaf := read.Leaf(make([]uint8, len(mappers))); leaf >= read.Leaves {
			t.Errorf("leaf %d, but only %d leaves", leaf, read.Leaves)
		}
	})
}

// binaryForm returns the bytes that the function write appends.
func binaryForm(tb testing.TB, write func(w *codec.Writer)) []byte {
	tb.Helper()
	w := codec.NewWriter(nil)
	write(w)
	b, err := w.Result()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestTreeIsReadAsWritten(t *testing.T) {
	data, target := testData(3000, 8, 2)
	bins := mustBins(t, data)
	grown, err := NewGrower(bins, Params{MinRows: 5}, 1).Grow(t.Context(), regression(bins, target), 30)
	if err != nil {
		t.Fatal(err)
	}
	r := codec.NewReader(binaryForm(t, func(w *codec.Writer) { grown.Write(w, bins.Mappers()) }))
	read := ReadTree(r, bins.Mappers())
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
	cells := make([]uint8, len(bins.Features))
	for row := range bins.Rows {
		for i := range cells {
			cells[i] = bins.Features[i].Data[row]
		}
		if got, want := read.Leaf(cells), grown.Leaf(cells); got != want {
			t.Fatalf("row %d: leaf %d, want %d", row, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { read.Leaf(cells) }); n != 0 {
		t.Errorf("%v allocations to find a leaf", n)
	}
}

func TestBatchPredictorAgreesWithLeaf(t *testing.T) {
	data, target := testData(700, 9, 2)
	bins := mustBins(t, data)
	grown, err := NewGrower(bins, Params{MinRows: 3}, 1).Grow(t.Context(), regression(bins, target), 60)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, grown.Leaves)
	for leaf := range values {
		values[leaf] = float32(leaf)
	}
	predictor := NewBatchPredictor(len(bins.Features))
	for lo := 0; lo < bins.Rows; lo += BatchRows {
		n := min(BatchRows, bins.Rows-lo)
		predictor.BeginBatch(n)
		for i := range bins.Features {
			copy(predictor.Bins(i), bins.Features[i].Data[lo:])
		}
		dst := make([]float32, 2*n)
		predictor.AddValues(grown, values, dst, 2)
		cells := make([]uint8, len(bins.Features))
		for row := range n {
			for i := range cells {
				cells[i] = bins.Features[i].Data[lo+row]
			}
			if got, want := int(dst[2*row]), grown.Leaf(cells); got != want || dst[2*row+1] != 0 {
				t.Fatalf("row %d: leaf %d, want %d", lo+row, got, want)
			}
		}
		if allocs := testing.AllocsPerRun(10, func() { predictor.AddValues(grown, values, dst, 2) }); allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	}
}
