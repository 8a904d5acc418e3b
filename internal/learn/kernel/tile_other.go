//go:build !amd64

package kernel

// tileRows is the number of rows of a full tile.
const tileRows = 6

// multiplyTile adds a product to a tile of dst. The tile begins at dst[0] and has the given number
// of rows, at most tileRows. The left factor consists of the first rows of a, as many as the tile
// has. The right factor is panel, one panel of b. stride is the distance between the beginnings of
// consecutive rows of dst, in elements.
func multiplyTile(dst []float32, stride int, a stridedMatrix, panel []float32, rows int) {
	multiplyTileGo(dst, stride, a, panel, rows)
}
