package neural

// What the parts of learning cost, in nanoseconds of one core. Calibrated as
// a least-squares fit to the fits of the sets in testdata's README.
const (
	perProduct = 0.028 // one multiply-add of a matrix product
	perUnit    = 2.5   // one hidden unit or input of one row and member
	perCell    = 25.0  // one cell encoded
	perParam   = 4.0   // one parameter updated, packed and its lanes' gradients added
)

// work estimates what it costs to learn from one batch.
func (l *layout) work(batch int) float64 {
	products, units := 0, l.inputs
	for _, d := range l.dense {
		products += d.in * d.out
		units += d.out
	}
	products += l.width * (l.classes + 15) / 16 * 16
	rows := float64(batch * l.members)
	return rows*(3*perProduct*float64(products)+perUnit*float64(units)) + perParam*float64(l.params)
}
