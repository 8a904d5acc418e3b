package neural

// What the parts of learning cost, in nanoseconds of one core: the sums of
// what the kernels took, each at its best of thousands of calls, on an AVX-512
// server core.
const (
	perProduct = 0.02 // a multiply-add of a matrix product
	perUnit    = 1.3  // a hidden unit of one row and member
	perLogit   = 14.0 // an output of one row and member: an exponential
	perCell    = 45.0 // a cell encoded, looked up and learnt
	perParam   = 2.7  // a parameter packed, its shares' gradients added, updated
)

// rowWork estimates what it costs to learn from one row of so many columns. The
// backward pass is two products for each of the forward pass.
func (l *layout) rowWork(columns int) float64 {
	shared := l.inputs * l.width
	own, units := 0, 0
	for i, d := range l.dense {
		units += d.out
		if i > 0 {
			own += d.in * d.out
		}
	}
	own += l.width * ((l.classes + 15) / 16 * 16)
	member := 3*perProduct*float64(own) + perUnit*float64(units) + perLogit*float64(l.classes)
	return 3*perProduct*float64(shared) + float64(l.members)*member + perCell*float64(columns)
}

// paramWork estimates what each batch costs however few its rows.
func (l *layout) paramWork() float64 { return perParam * float64(l.params) }
