package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// vector tells whether the assembly may run on this processor.
var vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// tile adds the product of rows rows of a and one panel to dst, whose rows
// are stride apart.
func tile(dst []float32, stride int, a left, panel []float32, rows int) {
	if !vector {
		tileGo(dst, stride, a, panel, rows)
		return
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
	default:
		tile6x16(d, ldd, x, rs, cs, b, depth)
	}
}

// adamVector updates whole blocks of eight parameters and returns how many
// parameters that were.
func adamVector(w, m, v, g []float32, c *[8]float32) int {
	if !vector {
		return 0
	}
	blocks := len(w) / 8
	adamBlocks(unsafe.SliceData(w), unsafe.SliceData(m), unsafe.SliceData(v), unsafe.SliceData(g), uintptr(blocks), c)
	return 8 * blocks
}
