package neural

// noise disturbs a lane's learning: it hides cells from the network, so that
// the embeddings of unknown levels are learnt too, and leaves out units, so
// that none is relied upon.
type noise struct {
	cells  uint64  // state of the generator for cells
	hidden float64 // share of cells to hide
	units  uint64  // state of the generator for units
	drop   uint8   // of 256 units
}

// hide tells whether to hide the next cell.
func (n *noise) hide() bool {
	n.cells = n.cells*6364136223846793005 + 1442695040888963407
	return float64(n.cells>>32) < n.hidden*(1<<32)
}
