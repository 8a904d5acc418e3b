package neural

// dropout makes random changes in training. It treats some values of categorical columns
// as unknown levels, which trains the embeddings of unknown levels. It drops some hidden
// units, so that the network does not rely on single units.
type dropout struct {
	cellState uint64  // state of the random generator for masked values
	maskRate  float64 // fraction of the values of categorical columns to mask
	unitState uint64  // state of the random generator for dropped units
	dropRate  uint8   // fraction of the units to drop, in units of 1/256
}

// drawMasked draws a random number and reports whether the next value of a categorical
// column is treated as an unknown level.
func (d *dropout) drawMasked() bool {
	d.cellState = d.cellState*6364136223846793005 + 1442695040888963407
	return float64(d.cellState>>32) < d.maskRate*(1<<32)
}
