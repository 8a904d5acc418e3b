//go:build !amd64

package kernel

// tile adds the product of rows rows of a and one panel to dst, whose rows
// are stride apart.
func tile(dst []float32, stride int, a left, panel []float32, rows int) {
	tileGo(dst, stride, a, panel, rows)
}

// adamVector has no assembly here: it updates nothing.
func adamVector(_, _, _, _ []float32, _ *[8]float32) int { return 0 }
