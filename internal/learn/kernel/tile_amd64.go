package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// vector tells whether the assembly may run on this processor, wide whether
// that for AVX-512 may, and widest whether that for its part DQ too.
var (
	vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasPOPCNT
	wide   = vector && cpu.X86.HasAVX512F
	widest = wide && cpu.X86.HasAVX512DQ
)

// height is the number of rows of a full tile. 6 × 16 outputs fill twelve of
// the sixteen AVX registers; with AVX-512, 12 × 16 hide the latency of a
// multiply-add.
var height = fullHeight()

func fullHeight() int {
	if wide {
		return tallest
	}
	return tallest / 2
}

// tile adds the product of rows rows of a and one panel to dst, whose rows
// are stride apart.
func tile(dst []float32, stride int, a left, panel []float32, rows int) {
	if !vector {
		tileGo(dst, stride, a, panel, rows)
		return
	}
	if half := tallest / 2; rows > half && rows < tallest {
		tile(dst, stride, a, panel, half)
		dst, a.data, rows = dst[half*stride:], a.data[half*a.row:], rows-half
	}
	const size = unsafe.Sizeof(float32(0))
	d, x, b := unsafe.SliceData(dst), unsafe.SliceData(a.data), unsafe.SliceData(panel)
	ldd, rs, cs := uintptr(stride)*size, uintptr(a.row)*size, uintptr(a.col)*size
	depth := uintptr(len(panel) / width)
	switch rows {
	case 1:
		tile1x16(d, ldd, x, rs, cs, b, depth)
	case 2:
		tile2x16(d, ldd, x, rs, cs, b, depth)
	case 3:
		tile3x16(d, ldd, x, rs, cs, b, depth)
	case 4:
		tile4x16(d, ldd, x, rs, cs, b, depth)
	case 5:
		tile5x16(d, ldd, x, rs, cs, b, depth)
	case tallest:
		tile12x16(d, ldd, x, rs, cs, b, depth)
	default:
		tile6x16(d, ldd, x, rs, cs, b, depth)
	}
}
