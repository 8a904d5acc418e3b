package rbf

import "math"

// choleskyFactor is an incomplete Cholesky factor of the kernel matrix K of n rows:
//
//	K ≈ Φ·Φᵀ    Φ is n × r, row-major
//
// Row i of Φ holds the features of row i. Each column of Φ is computed from one row, its
// centre. The rows of the centres form a lower triangular matrix: column j is 0 in the
// centres before centre j. The centre of column j is the row with the largest error K(x,
// x) − φ(x)·φ(x) so far, so that the centres are spread over all rows (Fine and
// Scheinberg 2001, "Efficient SVM training using low-rank kernel representations").
type choleskyFactor struct {
	features []float64
	rank     int
	centers  []int // the index of the centre of each column
}

// minResidual ends a factorisation: no more columns are added when the errors K(x, x) − φ(x)·φ(x)
// of all rows x are below minResidual. K(x, x) is 1.
const minResidual = 1e-3

// incompleteCholesky returns the factor of the matrix of exp(−gamma·|a−b|²) for all rows a and b
// of x, which have width columns. The factor has at most maxCenters columns.
func incompleteCholesky(x []float64, width, maxCenters int, gamma float64) choleskyFactor {
	n := len(x) / width
	size := min(n, maxCenters)
	f := choleskyFactor{features: make([]float64, n*size)}
	residual := make([]float64, n)
	for i := range residual {
		residual[i] = 1
	}
	for f.rank < size {
		pivot := 0
		for i, r := range residual {
			if r > residual[pivot] {
				pivot = i
			}
		}
		if residual[pivot] < minResidual {
			break
		}
		j, scale := f.rank, 1/math.Sqrt(residual[pivot])
		center := x[pivot*width : (pivot+1)*width]
		pivotRow := f.features[pivot*size : pivot*size+j]
		for i := range n {
			row := f.features[i*size : (i+1)*size]
			row[j] = scale * (gaussian(x[i*width:(i+1)*width], center, gamma) - dot(row[:j], pivotRow))
			residual[i] -= row[j] * row[j]
		}
		residual[pivot] = 0 // so that no row is chosen twice
		f.centers = append(f.centers, pivot)
		f.rank++
	}
	for i := range n { // removes the columns from f.rank on
		copy(f.features[i*f.rank:(i+1)*f.rank], f.features[i*size:])
	}
	f.features = f.features[:n*f.rank]
	return f
}

// gaussian returns exp(−gamma·|a−b|²).
func gaussian(a, b []float64, gamma float64) float64 {
	sum := 0.0
	for i, v := range b {
		d := a[i] - v
		sum += float64(d * d)
	}
	return math.Exp(-gamma * sum)
}

// dot returns the dot product of two vectors of equal length.
func dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	for i, v := range b {
		s0 += float64(a[i] * v)
	}
	return (s0 + s1) + (s2 + s3)
}

// triangle returns the features of the centres, rank × rank, row-major: a lower triangular matrix.
func (f choleskyFactor) triangle() []float64 {
	l := make([]float64, 0, f.rank*f.rank)
	for _, center := range f.centers {
		l = append(l, f.features[center*f.rank:(center+1)*f.rank]...)
	}
	return l
}

// solveTransposedInPlace replaces, in place, the coefficients β of the features, r × outputs, by
// the coefficients α of the centres for which K·α = Φ·β. They are the solution of Lᵀ·α =
// β, where l is L, the triangle of the factor, r × r.
func solveTransposedInPlace(l, beta []float64, outputs int) {
	r := len(beta) / outputs
	for j := r - 1; j >= 0; j-- {
		row := l[j*r : (j+1)*r]
		for k := range outputs {
			beta[j*outputs+k] /= row[j]
		}
		for i := range j {
			for k := range outputs {
				beta[i*outputs+k] -= row[i] * beta[j*outputs+k]
			}
		}
	}
}

// choleskyInPlace replaces the lower triangle of the symmetric positive definite matrix
// a, n × n, by its Cholesky factor.
func choleskyInPlace(a []float64, n int) {
	for j := range n {
		row := a[j*n : j*n+j]
		d := math.Sqrt(a[j*n+j] - dot(row, row))
		a[j*n+j] = d
		for i := j + 1; i < n; i++ {
			a[i*n+j] = (a[i*n+j] - dot(a[i*n:i*n+j], row)) / d
		}
	}
}

// invertLower returns the inverse of the lower triangle of l, n × n, as a full matrix.
func invertLower(l []float64, n int) []float32 {
	inverse := make([]float64, n*n) // transposed, so that sums read adjacent numbers
	for j := range n {
		column := inverse[j*n : (j+1)*n]
		column[j] = 1 / l[j*n+j]
		for i := j + 1; i < n; i++ {
			column[i] = -dot(column[j:i], l[i*n+j:i*n+i]) / l[i*n+i]
		}
	}
	dst := make([]float32, n*n)
	for i := range n {
		for j := range i + 1 {
			dst[i*n+j] = float32(inverse[j*n+i])
		}
	}
	return dst
}

// axpy adds alpha·x to dst.
func axpy(dst, x []float64, alpha float64) {
	for i := range dst {
		dst[i] += float64(alpha * x[i])
	}
}
