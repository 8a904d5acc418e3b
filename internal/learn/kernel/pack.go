package kernel

// width is the number of columns of a panel: two AVX registers.
const width = 16

// PackedLen is the length of a packed right operand of depth rows and cols
// columns: whole panels of 16 columns.
func PackedLen(depth, cols int) int {
	return (cols + width - 1) / width * width * depth
}

// Pack copies the row-major depth × cols matrix b into panels, the order in
// which Multiply reads its right operand:
//
//	columns 0…15        columns 16…31
//	row 0, row 1, …     row 0, row 1, …
//
// The last panel is filled up with zeros. dst holds PackedLen floats.
func Pack(dst, b []float32, depth, cols int) {
	check("Pack", len(b), depth*cols)
	check("Pack", len(dst), PackedLen(depth, cols))
	for j := 0; j < cols; j += width {
		panel := dst[j*depth : j*depth+width*depth]
		if cols-j >= width {
			for r := range depth {
				*(*[width]float32)(panel[r*width:]) = *(*[width]float32)(b[r*cols+j:])
			}
			continue
		}
		for r := range depth {
			row := panel[r*width : (r+1)*width]
			clear(row[copy(row, b[r*cols+j:(r+1)*cols]):])
		}
	}
}

// PackTransposed packs bᵀ, where b is a row-major cols × depth matrix, as Pack
// packs a depth × cols one.
func PackTransposed(dst, b []float32, depth, cols int) {
	check("PackTransposed", len(b), depth*cols)
	check("PackTransposed", len(dst), PackedLen(depth, cols))
	if depth == 0 {
		return
	}
	for j := 0; j < cols; j += width {
		panel := dst[j*depth : j*depth+width*depth]
		if cols-j < width {
			clear(panel)
		}
		c := 0
		for ; c+4 <= min(width, cols-j); c += 4 { // four at a time: whole quarters of cache lines
			b0, b1 := b[(j+c)*depth:][:depth], b[(j+c+1)*depth:][:depth]
			b2, b3 := b[(j+c+2)*depth:][:depth], b[(j+c+3)*depth:][:depth]
			for r := range depth {
				*(*[4]float32)(panel[r*width+c:]) = [4]float32{b0[r], b1[r], b2[r], b3[r]}
			}
		}
		for ; c < min(width, cols-j); c++ {
			for r, v := range b[(j+c)*depth : (j+c+1)*depth] {
				panel[r*width+c] = v
			}
		}
	}
}
