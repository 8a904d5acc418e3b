//go:build !amd64

package kernel

// tileRows is the number of rows of a full tile.
const tileRows = 6

// multiplyTile adds the product of the first rows of a and one panel of b to a tile,
// which begins at dst[0]. rows is the number of rows of the tile, at most tileRows.
// stride is the distance between the beginnings of consecutive rows of dst, in elements.
func multiplyTile(dst []float32, stride int, a stridedMatrix, panel []float32, rows int) {
	multiplyTileGo(dst, stride, a, panel, rows)
}
