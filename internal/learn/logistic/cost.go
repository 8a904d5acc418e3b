package logistic

import "math"

// Estimated times of single operations of a fit, in nanoseconds of one core. They were measured in
// the same way as the times in cost.go of package neural.
const (
	nanosPerTerm    = 0.5  // a term of a sum of products
	nanosPerExp     = 7.0  // an exponential in float64
	nanosPerProduct = 0.05 // a multiply-add in a matrix product
	nanosPerLogit   = 14.0 // a score of a row, mostly an exponential
)

// cost returns the estimated time of New in nanoseconds. width is the number of inputs of
// a row, and validation the number of validation rows.
func (p *logisticRegression) cost(width, validation int) float64 {
	rows, size, columns := float64(p.rows), float64(p.size), float64(p.columns)
	kernels, factor := 0.0, 0.0
	if !p.linear {
		kernels = size * (rows + float64(validation)) * (nanosPerExp + nanosPerTerm*float64(width))
		factor = nanosPerProduct * rows * size * size
	}
	bounds := nanosPerProduct*rows*size*size + nanosPerTerm*float64(len(p.penalties))*size*size*size/3
	predictions := nanosPerTerm * float64(validation) * size * columns
	padded := math.Ceil(columns/16) * 16
	step := 2*nanosPerProduct*size*padded*(rows+size) + nanosPerLogit*rows*columns
	return kernels + factor + bounds + predictions + float64(p.steps())*step
}

// Cost returns an estimate of the time of the fit, in nanoseconds of one core. It is
// computed from the sizes of the data, so it is the same in every run.
func (f *Fit) Cost() float64 { return f.cost }
