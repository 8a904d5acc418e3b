package neural

// Estimated times of the parts of training, in nanoseconds of one core. Each is the
// shortest time of thousands of calls of a kernel on an AVX-512 server core, divided by
// the number of operations of the call.
const (
	nanosPerProduct = 0.02 // a multiply-add in a matrix product
	nanosPerUnit    = 1.3  // a hidden unit for one row and member
	nanosPerLogit   = 14.0 // an output for one row and member, mostly an exponential
	nanosPerCell    = 45.0 // encoding, looking up and training on one value of one row
	nanosPerParam   = 2.7  // packing a parameter, adding its gradients and updating it
)

// rowCost returns the estimated time of training on one row with the given number of
// columns, in nanoseconds. The backward pass has two matrix products for each product of
// the forward pass.
func (l *layout) rowCost(columns int) float64 {
	shared := l.inputs * l.width
	perMember, units := 0, 0
	for i, d := range l.dense {
		units += d.out
		if i > 0 {
			perMember += d.in * d.out
		}
	}
	perMember += l.width * ((l.classes + 15) / 16 * 16)
	member := 3*nanosPerProduct*float64(perMember) + nanosPerUnit*float64(units) + nanosPerLogit*float64(l.classes)
	return 3*nanosPerProduct*float64(shared) + float64(l.members)*member + nanosPerCell*float64(columns)
}

// paramCost returns the estimated part of the time of a batch that does not depend on its
// number of rows, in nanoseconds.
func (l *layout) paramCost() float64 { return nanosPerParam * float64(l.params) }
