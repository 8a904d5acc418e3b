package neural

// Estimated times of single operations of training, in nanoseconds of one core. Each was measured
// by calling a kernel thousands of times on an AVX-512 server core. The shortest time of a call was
// divided by the number of operations of the call.
const (
	nanosPerProduct = 0.02 // a multiply-add in a matrix product
	nanosPerUnit    = 1.3  // a hidden unit for one row and member
	nanosPerLogit   = 14.0 // an output for one row and member, mostly an exponential
	nanosPerCell    = 45.0 // encoding, looking up and training on one value of one row
	nanosPerParam   = 2.7  // packing a parameter, adding its gradients and updating it
)

// rowCost returns the estimated time to train on one row, in nanoseconds. columns is the
// number of columns of a row. Each matrix product of the forward pass counts three times, because
// the backward pass contains two products for it.
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

// paramCost returns the estimated time to pack and update the parameters once, in
// nanoseconds. It is the part of a batch's time that does not grow with the number of
// rows.
func (l *layout) paramCost() float64 { return nanosPerParam * float64(l.params) }
