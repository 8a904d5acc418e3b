package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// useAVX2, useAVX512 and useAVX512DQ report whether this processor can run the assembly
// that uses these instruction sets.
var (
	useAVX2     = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasPOPCNT
	useAVX512   = useAVX2 && cpu.X86.HasAVX512F
	useAVX512DQ = useAVX512 && cpu.X86.HasAVX512DQ
)

// tileRows is the number of rows of a full tile. With AVX2, a tile has 6 × 16 sums, which
// fill twelve of the sixteen registers. With AVX-512, a tile has 12 × 16 sums. This is enough
// independent sums to hide the latency of a multiply-add.
var tileRows = chooseTileRows()

func chooseTileRows() int {
	if useAVX512 {
		return maxTileRows
	}
	return maxTileRows / 2
}

// multiplyTile adds a product to a tile of dst. The tile begins at dst[0] and has the given number
// of rows, at most tileRows. The left factor consists of the first rows of a, as many as the tile
// has. The right factor is panel, one panel of b. stride is the distance between the beginnings of
// consecutive rows of dst, in elements.
func multiplyTile(dst []float32, stride int, a stridedMatrix, panel []float32, rows int) {
	if !useAVX2 {
		multiplyTileGo(dst, stride, a, panel, rows)
		return
	}
	if half := maxTileRows / 2; rows > half && rows < maxTileRows {
		multiplyTile(dst, stride, a, panel, half)
		dst, a.data, rows = dst[half*stride:], a.data[half*a.row:], rows-half
	}
	const size = unsafe.Sizeof(float32(0))
	d, x, b := unsafe.SliceData(dst), unsafe.SliceData(a.data), unsafe.SliceData(panel)
	ldd, rs, cs := uintptr(stride)*size, uintptr(a.row)*size, uintptr(a.col)*size
	depth := uintptr(len(panel) / panelCols)
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
	case maxTileRows:
		tile12x16(d, ldd, x, rs, cs, b, depth)
	default:
		tile6x16(d, ldd, x, rs, cs, b, depth)
	}
}
