//go:build !amd64

package kernel

// tileRows is the number of rows of a full tile.
const tileRows = 6

// multiplyTile adds the product of the first rows of a and one panel of b to dst. stride
// is the number of elements between the beginnings of two rows of dst. rows is at most
// tileRows.
func multiplyTile(dst []float32, stride int, a leftOperand, panel []float32, rows int) {
	multiplyTileGo(dst, stride, a, panel, rows)
}
