package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTreeAgreesWithPortable compares the results of the assembly for trees with
// those of the portable code, bit by bit.
func TestTreeAgreesWithPortable(t *testing.T) {
	has, hasWidest := useAVX2, useAVX512DQ
	if !hasWidest {
		t.Skip("not on this processor")
	}
	t.Cleanup(func() { useAVX2, useAVX512DQ = has, hasWidest })
	draw := rand.New(rand.NewPCG(5, 5))
	for n := range 300 {
		cells, s := randomCells(draw, n, 0)
		rows, labels := make([]int32, n), make([]int32, n)
		scores := make([]float32, n)
		for i := range rows {
			rows[i], labels[i] = int32(draw.IntN(n)), int32(draw.IntN(2))
			scores[i] = float32(draw.NormFloat64() * float64(draw.IntN(99)))
		}
		type outcome struct {
			at   int
			left int64
			s    GainParams
			raw  []uint64
			kept []int32
		}
		var got [2]outcome
		for i, v := range []bool{false, true} {
			useAVX2, useAVX512DQ = v, v
			o := &got[i]
			o.s = s
			o.at, o.left = BestSplit(cells, 0, &o.s)
			o.raw = make([]uint64, n)
			LogisticGradients(o.raw, scores, labels, 1)
			data, table := make([]uint8, n), [256]uint8{1: 1}
			for i := range data {
				data[i] = uint8(labels[i])
			}
			kept, rest := slices.Clone(rows), make([]int32, n)
			at := Partition(kept, rest, data, &table)
			o.kept = append(kept[:at:at], rest[:n-at]...)
		}
		a, b := got[0], got[1]
		if a.at != b.at || a.left != b.left || a.s != b.s {
			t.Errorf("BestSplit of %d cells: %d, %x, %v by Go, %d, %x, %v by assembly", n, a.at, a.left, a.s.Best, b.at, b.left, b.s.Best)
		}
		if !slices.Equal(a.raw, b.raw) {
			t.Errorf("Logistic of %v: %x by Go, %x by assembly", scores, a.raw, b.raw)
		}
		if !slices.Equal(a.kept, b.kept) {
			t.Errorf("Partition: %v by Go, %v by assembly", a.kept, b.kept)
		}
	}
}
