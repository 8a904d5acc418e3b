package kernel

// multiplyTileGo is the portable version of multiplyTile. It uses eight running sums,
// because more would not fit in the registers of a processor without vector instructions.
func multiplyTileGo(dst []float32, stride int, a stridedMatrix, panel []float32, rows int) {
	depth := len(panel) / panelCols
	for i := range rows {
		for half := 0; half < panelCols; half += 8 {
			out := dst[i*stride+half : i*stride+half+8]
			s0, s1, s2, s3 := out[0], out[1], out[2], out[3]
			s4, s5, s6, s7 := out[4], out[5], out[6], out[7]
			at := i * a.row
			for k := range depth {
				x := a.data[at]
				b := (*[8]float32)(panel[k*panelCols+half:])
				s0 += x * b[0]
				s1 += x * b[1]
				s2 += x * b[2]
				s3 += x * b[3]
				s4 += x * b[4]
				s5 += x * b[5]
				s6 += x * b[6]
				s7 += x * b[7]
				at += a.col
			}
			out[0], out[1], out[2], out[3] = s0, s1, s2, s3
			out[4], out[5], out[6], out[7] = s4, s5, s6, s7
		}
	}
}
