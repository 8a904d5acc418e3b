package neural

// What the parts of learning cost, in nanoseconds of one core.
const (
	perProduct = 0.028 // a multiply-add of a matrix product
	perUnit    = 2.5   // a hidden unit or input of one row and member
	perCell    = 25.0  // a cell encoded, looked up and learnt
	perParam   = 4.0   // a parameter packed, its lanes' gradients added, updated
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
	row := float64(l.members)*(3*perProduct*float64(products)+perUnit*float64(units)) + perCell*float64(columns)
	return float64(rows)*row + perParam*float64(l.params)
}
