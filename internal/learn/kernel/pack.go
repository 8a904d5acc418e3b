package kernel

// panelCols is the number of columns of a panel: the float32 values of two AVX registers.
const panelCols = 16

// PackedLen returns the length of a packed right operand, a depth × cols matrix. The
// number of columns is rounded up to whole panels.
func PackedLen(depth, cols int) int {
	return (cols + panelCols - 1) / panelCols * panelCols * depth
}

// Pack copies the row-major depth × cols matrix b into panels, the order in
// which Gemm reads its right operand:
//
//	columns 0…15        columns 16…31
//	row 0, row 1, …     row 0, row 1, …
//
// The last panel is padded with zeros. dst must have PackedLen elements.
func Pack(dst, b []float32, depth, cols int) {
	checkLen("Pack", len(b), depth*cols)
	checkLen("Pack", len(dst), PackedLen(depth, cols))
	for j := 0; j < cols; j += panelCols {
		panel := dst[j*depth : j*depth+panelCols*depth]
		if cols-j >= panelCols {
			for r := range depth {
				*(*[panelCols]float32)(panel[r*panelCols:]) = *(*[panelCols]float32)(b[r*cols+j:])
			}
			continue
		}
		for r := range depth {
			row := panel[r*panelCols : (r+1)*panelCols]
			clear(row[copy(row, b[r*cols+j:(r+1)*cols]):])
		}
	}
}

// PackTransposed packs the transpose of b into dst, in the form of Pack. b is a row-major
// cols × depth matrix, so its transpose is depth × cols.
func PackTransposed(dst, b []float32, depth, cols int) {
	checkLen("PackTransposed", len(b), depth*cols)
	checkLen("PackTransposed", len(dst), PackedLen(depth, cols))
	if depth == 0 {
		return
	}
	for j := 0; j < cols; j += panelCols {
		panel := dst[j*depth : j*depth+panelCols*depth]
		if cols-j < panelCols {
			clear(panel)
		}
		c := 0
		for ; c+4 <= min(panelCols, cols-j); c += 4 { // four columns at a time write 16 adjacent bytes
			b0, b1 := b[(j+c)*depth:][:depth], b[(j+c+1)*depth:][:depth]
			b2, b3 := b[(j+c+2)*depth:][:depth], b[(j+c+3)*depth:][:depth]
			for r := range depth {
				*(*[4]float32)(panel[r*panelCols+c:]) = [4]float32{b0[r], b1[r], b2[r], b3[r]}
			}
		}
		for ; c < min(panelCols, cols-j); c++ {
			for r, v := range b[(j+c)*depth : (j+c+1)*depth] {
				panel[r*panelCols+c] = v
			}
		}
	}
}
