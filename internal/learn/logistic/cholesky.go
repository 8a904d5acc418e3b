package logistic

import (
	"context"
	"math"
	"slices"

	"foretell/internal/learn/kernel"
	"foretell/internal/learn/rng"
)

// choleskyFactor is an incomplete Cholesky factor of the kernel matrix K of n rows:
//
//	K ≈ Φ·Φᵀ    Φ is n × rank
//
// Row i of Φ holds the features of row i. Each column of Φ is computed from one row, its centre.
// The rows of the centres form a lower triangular matrix: the row of a centre is 0 in all columns
// after the column of the centre.
type choleskyFactor struct {
	// features[i*stride:][:rank] is row i of Φ. The other numbers are room for more columns.
	features     []float32
	rank, stride int
	centers      []int // the row that is the centre of each column
}

const (
	// minResidual ends a factorisation: no more columns are added when the errors K(x, x) −
	// φ(x)·φ(x) of all rows x are below minResidual. K(x, x) is 1.
	minResidual = 1e-3
	// numCandidates is the largest number of rows from which centres are chosen in one step.
	numCandidates = 32
	// factorRows is the number of rows that are processed at once.
	factorRows = 128
)

// incompleteCholesky returns the factor of the kernel matrix of the rows of x. x is row-major, and
// width is the number of its columns. The kernel of two rows a and b is exp(−gamma·|a−b|²). The
// factor has at most maxCenters columns, and fewer if ctx is cancelled. Each row of the features
// has room for one more number, the constant that newLogisticRegression adds.
//
// Centres are drawn at random, with probabilities proportional to the errors of the rows so far
// (Chen, Epperly, Tropp and Webber 2025, "Randomly pivoted Cholesky"). Several rows are drawn in
// each step. A drawn row becomes a centre with a probability equal to the fraction of its error
// that remains after the earlier centres of the same step (Epperly, Tropp and Webber 2024, "Embrace
// rejection"). In addition, the row with the largest error is always a centre, so that each step
// adds a column.
func incompleteCholesky(ctx context.Context, x []float64, width, maxCenters int, gamma float64) choleskyFactor {
	n := len(x) / width
	size := min(n, maxCenters)
	b := factorBuilder{
		choleskyFactor: choleskyFactor{features: make([]float32, n*(size+1)), stride: size + 1},
		x:              x, width: width, gamma: gamma, residual: make([]float64, n), drawn: make([]bool, n),
	}
	for i := range b.residual {
		b.residual[i] = 1
	}
	for b.rank < size && ctx.Err() == nil {
		candidates := b.drawCandidates(min(numCandidates, 2*(size-b.rank)))
		if b.residual[candidates[0]] < minResidual {
			break
		}
		centers, triangle := b.chooseCenters(candidates, size-b.rank)
		b.addColumns(centers, triangle)
	}
	return b.choleskyFactor
}

// factorBuilder adds columns to a factor.
type factorBuilder struct {
	choleskyFactor
	x        []float64
	width    int
	gamma    float64
	residual []float64 // K(x, x) − φ(x)·φ(x) for each row x
	drawn    []bool    // scratch: whether a row is a candidate
	state    uint64    // of the random numbers
}

// random returns a random number that is at least 0 and below 1.
func (b *factorBuilder) random() float64 { return float64(rng.SplitMix64(&b.state)>>11) / (1 << 53) }

// input returns the inputs of a row.
func (b *factorBuilder) input(row int) []float64 { return b.x[row*b.width : (row+1)*b.width] }

// row returns the features of a row, one for each column of the factor so far.
func (b *factorBuilder) row(row int) []float32 {
	return b.features[row*b.stride : row*b.stride+b.rank]
}

// drawCandidates returns at most n different rows: first the row with the largest residual, then
// rows drawn with probabilities proportional to the residuals. A row that is drawn twice counts
// once.
func (b *factorBuilder) drawCandidates(n int) []int {
	cumulative := make([]float64, len(b.residual))
	largest, sum := 0, 0.0
	for i, r := range b.residual {
		if r > b.residual[largest] {
			largest = i
		}
		sum += r
		cumulative[i] = sum
	}
	candidates := []int{largest}
	b.drawn[largest] = true
	for range n - 1 {
		row, _ := slices.BinarySearch(cumulative, b.random()*sum)
		if row = min(row, len(cumulative)-1); !b.drawn[row] {
			b.drawn[row] = true
			candidates = append(candidates, row)
		}
	}
	for _, row := range candidates {
		b.drawn[row] = false
	}
	return candidates
}

// chooseCenters returns the candidates that become centres, at most limit. The first candidate
// always becomes a centre. triangle is the Cholesky factor of K − Φ·Φᵀ in the rows and columns of
// the centres, n × n for n centres.
func (b *factorBuilder) chooseCenters(candidates []int, limit int) (centers []int, triangle []float64) {
	n := len(candidates)
	residual := make([]float64, n*n) // K − Φ·Φᵀ in the rows and columns of the candidates
	for i, a := range candidates {
		for j, c := range candidates[:i+1] {
			residual[i*n+j] = gaussian(b.input(a), b.input(c), b.gamma) - dot32(b.row(a), b.row(c))
		}
	}
	initial := make([]float64, n)
	for i := range initial {
		initial[i] = residual[i*n+i]
	}
	var columns [][]float64 // of the Cholesky factor of residual, for the chosen candidates
	var chosen []int
	for i, row := range candidates {
		r := residual[i*n+i]
		if len(chosen) == limit {
			break
		}
		if i > 0 && (r < minResidual || b.random()*initial[i] >= r) {
			continue
		}
		column := make([]float64, n)
		for j := i; j < n; j++ {
			column[j] = residual[j*n+i] / math.Sqrt(r)
		}
		for j := i; j < n; j++ {
			axpy(residual[j*n+i:j*n+j+1], column[i:j+1], -column[j])
		}
		chosen, columns, centers = append(chosen, i), append(columns, column), append(centers, row)
	}
	for _, i := range chosen {
		for _, column := range columns {
			triangle = append(triangle, column[i])
		}
	}
	return centers, triangle
}

// addColumns adds a column for each of centers. centers and triangle are results of chooseCenters.
func (b *factorBuilder) addColumns(centers []int, triangle []float64) {
	n, rank := len(centers), b.rank
	var known []float32 // the features of the new centres so far, n × rank
	for _, row := range centers {
		known = append(known, b.row(row)...)
	}
	packed := make([]float32, kernel.PackedLen(rank, n))
	kernel.PackTransposed(packed, known, rank, n)
	block, product := make([]float32, factorRows*rank), make([]float32, factorRows*n)
	column := make([]float64, n)
	rows := len(b.residual)
	for lo := 0; lo < rows; lo += factorRows {
		hi := min(lo+factorRows, rows)
		for i := lo; i < hi; i++ {
			copy(block[(i-lo)*rank:(i-lo+1)*rank], b.row(i))
		}
		clear(product)
		kernel.Gemm(product, block, packed, kernel.Shape{Rows: hi - lo, Cols: n, Depth: rank})
		for i := lo; i < hi; i++ {
			features := b.features[i*b.stride+rank:][:n]
			for j, center := range centers {
				v := gaussian(b.input(i), b.input(center), b.gamma) - float64(product[(i-lo)*n+j])
				v -= dot(column[:j], triangle[j*n:j*n+j])
				column[j] = v / triangle[j*n+j]
				features[j] = float32(column[j])
				b.residual[i] -= float64(column[j] * column[j])
			}
			b.residual[i] = max(b.residual[i], 0)
		}
	}
	b.centers = append(b.centers, centers...)
	b.rank += n
	for j, row := range b.centers {
		b.residual[row] = 0 // so that no row is chosen twice
		first := max(rank, j+1)
		clear(b.features[row*b.stride+first : row*b.stride+b.rank]) // they would be 0 without rounding errors
	}
}

// gaussian returns exp(−gamma·|a−b|²).
func gaussian(a, b []float64, gamma float64) float64 {
	var s0, s1, s2, s3 float64 // four sums, because each addition to a sum waits for the previous addition
	for len(a) >= 4 && len(b) >= 4 {
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		s0 += float64(d0 * d0)
		s1 += float64(d1 * d1)
		s2 += float64(d2 * d2)
		s3 += float64(d3 * d3)
		a, b = a[4:], b[4:]
	}
	for i, v := range b {
		d := a[i] - v
		s0 += float64(d * d)
	}
	return math.Exp(-gamma * ((s0 + s1) + (s2 + s3)))
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

// dot32 returns the dot product of two vectors of equal length, summed in float64.
func dot32(a, b []float32) float64 {
	sum := 0.0
	for i, v := range b {
		sum += float64(float64(a[i]) * float64(v))
	}
	return sum
}

// triangle returns the features of the centres, rank × rank, row-major: a lower triangular matrix.
func (f *choleskyFactor) triangle() []float64 {
	l := make([]float64, 0, f.rank*f.rank)
	for _, center := range f.centers {
		for _, v := range f.features[center*f.stride:][:f.rank] {
			l = append(l, float64(v))
		}
	}
	return l
}

// solveTransposedInPlace converts coefficients of the features to coefficients of the centres.
// It replaces beta, r × outputs, by the solution α of Lᵀ·α = β, for which K·α = Φ·β. r is the rank
// of the factor. l is L, the triangle of the factor, r × r.
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

// invertLower returns the inverse of the lower triangle of l, n × n, as a full matrix. inverse is
// scratch space for n × n numbers: the transposed inverse, so that sums read adjacent numbers.
func invertLower(l, inverse []float64, n int) []float32 {
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
