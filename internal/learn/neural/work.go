package neural

// What the parts of learning cost, in nanoseconds of one core: fitted to the
// processor time of updates of seven networks (1 to 8 members, 128 to 256
// units, 2 to 300 classes) on an AVX2 server core shared with other work.
// Each comes out within a tenth of what was measured.
const (
	perProduct = 0.03 // a multiply-add of a matrix product
	perUnit    = 2.8  // a hidden unit or input of one row and member
	perLogit   = 25.0 // an output of one row and member: an exponential
	perCell    = 28.0 // a cell encoded, looked up and learnt
	perParam   = 4.5  // a parameter packed, its lanes' gradients added, updated
)

// work estimates what it costs to learn from one batch of so many rows and
// columns. The backward pass is two products for each of the forward pass.
func (l *layout) work(rows, columns int) float64 {
	products, units := 0, l.inputs
	for _, d := range l.dense {
		products += d.in * d.out
		units += d.out
	}
	products += l.width * ((l.classes + 15) / 16 * 16)
	member := 3*perProduct*float64(products) + perUnit*float64(units) + perLogit*float64(l.classes)
	row := float64(l.members)*member + perCell*float64(columns)
	return float64(rows)*row + perParam*float64(l.params)
}
