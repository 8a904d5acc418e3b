package kernel

// Shape is the size of a matrix product: a Rows × Depth matrix times a Depth × Cols
// matrix.
type Shape struct{ Rows, Cols, Depth int }

// maxTileRows is the largest number of rows of a tile on any processor.
const maxTileRows = 12

// Gemm adds the matrix product a·b to dst. dst is Rows × Cols and a is Rows × Depth, both
// row-major; b is Depth × Cols, packed by Pack or PackTransposed.
func Gemm(dst, a, b []float32, s Shape) {
	gemm(dst, stridedMatrix{a, s.Depth, 1}, b, s)
}

// GemmTransposed adds aᵀ·b to dst. It differs from Gemm only in the form of a, which is
// row-major and Depth × Rows.
func GemmTransposed(dst, a, b []float32, s Shape) {
	gemm(dst, stridedMatrix{a, 1, s.Rows}, b, s)
}

// stridedMatrix is a matrix that is row-major or column-major. Element (i, k) is
// data[i·row + k·col].
type stridedMatrix struct {
	data     []float32
	row, col int
}

// gemm divides dst into panels of panelCols columns, and each panel into tiles of
// tileRows rows. It computes one panel after another. The panel of b that is needed
// (depth × 64 bytes) stays in the first-level cache while the rows of a are read.
func gemm(dst []float32, a stridedMatrix, b []float32, s Shape) {
	checkLen("Gemm", len(dst), s.Rows*s.Cols)
	checkLen("Gemm", len(a.data), s.Rows*s.Depth)
	checkLen("Gemm", len(b), PackedLen(s.Depth, s.Cols))
	if s.Depth == 0 {
		return
	}
	for j := 0; j < s.Cols; j += panelCols {
		panel := b[j*s.Depth : j*s.Depth+panelCols*s.Depth]
		for i := 0; i < s.Rows; i += tileRows {
			rows := min(tileRows, s.Rows-i)
			block := stridedMatrix{a.data[i*a.row:], a.row, a.col}
			out := dst[i*s.Cols+j:]
			if s.Cols-j >= panelCols {
				multiplyTile(out, s.Cols, block, panel, rows)
			} else {
				multiplyEdgeTile(out, s, block, panel, rows)
			}
		}
	}
}

// multiplyEdgeTile is multiplyTile for a tile at the right edge of dst with fewer than panelCols
// columns. It computes a full tile on the stack and copies the columns that exist.
func multiplyEdgeTile(dst []float32, s Shape, a stridedMatrix, panel []float32, rows int) {
	var full [maxTileRows * panelCols]float32
	cols := s.Cols % panelCols
	for i := range rows {
		copy(full[i*panelCols:i*panelCols+cols], dst[i*s.Cols:])
	}
	multiplyTile(full[:], panelCols, a, panel, rows)
	for i := range rows {
		copy(dst[i*s.Cols:i*s.Cols+cols], full[i*panelCols:])
	}
}
