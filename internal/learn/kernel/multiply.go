package kernel

// Shape is the size of a product: Rows × Depth times Depth × Cols.
type Shape struct{ Rows, Cols, Depth int }

// tallest is the greatest height of a tile on any processor.
const tallest = 12

// Multiply adds a·b to dst. dst is Rows × Cols and a Rows × Depth, both row
// major; b is Depth × Cols as packed by Pack or PackTransposed.
func Multiply(dst, a, b []float32, s Shape) {
	multiply(dst, left{a, s.Depth, 1}, b, s)
}

// MultiplyTransposed adds aᵀ·b to dst: as Multiply, with a given row major as
// Depth × Rows.
func MultiplyTransposed(dst, a, b []float32, s Shape) {
	multiply(dst, left{a, 1, s.Rows}, b, s)
}

// left is the left operand: element (i, k) at data[i·row + k·col].
type left struct {
	data     []float32
	row, col int
}

// multiply walks the output in panels of 16 columns and tiles of height rows. A
// panel of b (depth × 64 bytes) stays in the first-level cache while the rows
// of a stream past.
func multiply(dst []float32, a left, b []float32, s Shape) {
	check("Multiply", len(dst), s.Rows*s.Cols)
	check("Multiply", len(a.data), s.Rows*s.Depth)
	check("Multiply", len(b), PackedLen(s.Depth, s.Cols))
	if s.Depth == 0 {
		return
	}
	for j := 0; j < s.Cols; j += width {
		panel := b[j*s.Depth : j*s.Depth+width*s.Depth]
		for i := 0; i < s.Rows; i += height {
			rows := min(height, s.Rows-i)
			block := left{a.data[i*a.row:], a.row, a.col}
			out := dst[i*s.Cols+j:]
			if s.Cols-j >= width {
				tile(out, s.Cols, block, panel, rows)
			} else {
				edge(out, s, block, panel, rows)
			}
		}
	}
}

// edge computes a tile at the right edge of dst, where fewer than 16 columns
// are left, by way of a full tile on the stack.
func edge(dst []float32, s Shape, a left, panel []float32, rows int) {
	var full [tallest * width]float32
	cols := s.Cols % width
	for i := range rows {
		copy(full[i*width:i*width+cols], dst[i*s.Cols:])
	}
	tile(full[:], width, a, panel, rows)
	for i := range rows {
		copy(dst[i*s.Cols:i*s.Cols+cols], full[i*width:])
	}
}
