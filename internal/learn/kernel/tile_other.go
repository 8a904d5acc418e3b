//go:build !amd64

package kernel

// tileRows is the number of rows of a full tile.
const tileRows = 6

// tile adds the product of rows rows of a and one panel to dst, whose rows
// are stride apart.
func tile(dst []float32, stride int, a leftOperand, panel []float32, rows int) {
	tileGo(dst, stride, a, panel, rows)
}
