package neural

// dropout perturbs training. It masks cells, so that the embeddings of unknown
// levels are trained, and drops units, so that the network relies on none.
type dropout struct {
	cellState uint64  // state of the generator for cells
	maskRate  float64 // fraction of cells to mask
	unitState uint64  // state of the generator for units
	dropRate  uint8   // number of units dropped out of 256
}

// nextMasked draws whether to mask the next cell.
func (d *dropout) nextMasked() bool {
	d.cellState = d.cellState*6364136223846793005 + 1442695040888963407
	return float64(d.cellState>>32) < d.maskRate*(1<<32)
}
