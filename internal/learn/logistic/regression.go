package logistic

import (
	"context"
	"math"

	"foretell/internal/learn/kernel"
)

// logisticRegression is a penalised logistic regression on the features of a choleskyFactor and a
// constant. It is fitted for several penalties at once, so that they share matrix products. The
// parameters are (rank+1) × penalties × outputs, row-major. The last row holds the biases.
type logisticRegression struct {
	rows, size       int  // number of rows; rank+1, the number of features with the constant
	linear           bool // whether the features are the inputs
	outputs, columns int  // number of outputs; penalties × outputs
	features         []float32
	labels           []int32
	penalties        []float64
	// inverses holds L⁻¹ for each penalty. L is the Cholesky factor of an upper bound of the
	// Hessian: c·ΦᵀΦ + λ·I, where c is 1/4 for two classes, and 1/2 for more (Böhning 1992,
	// "Multinomial logistic regression algorithm").
	inverses [][]float32

	params, lookahead []float64 // the parameters, and the extrapolated parameters at which the next step starts
	sinceRestart      []float64 // by penalty: the number of steps since the acceleration started
	packed            []float32
	scores            []float32
	lookahead32       []float32 // lookahead as float32
	gradient          []float32
}

// biasPenalty is the penalty of the biases, small enough not to matter.
const biasPenalty = 1e-3

// newLogisticRegression returns a regression on the features of k. The regression takes over the
// slice k.features. newLogisticRegression returns an error only if ctx is cancelled.
func newLogisticRegression(ctx context.Context, k choleskyFactor, labels []int32, o Options) (*logisticRegression, error) {
	p := &logisticRegression{rows: len(labels), size: k.rank + 1, linear: o.Width == Linear, outputs: o.Classes, labels: labels, penalties: o.Penalties}
	curvature := 0.5
	if o.Classes == 2 {
		p.outputs, curvature = 1, 0.25
	}
	p.columns = p.outputs * len(o.Penalties)
	p.features = k.features[:p.rows*p.size]
	for i := range p.rows {
		row := p.features[i*p.size : (i+1)*p.size]
		copy(row, k.features[i*k.stride:][:k.rank])
		row[k.rank] = 1
	}
	gram, err := p.gram(ctx)
	if err != nil {
		return nil, err
	}
	bound, scratch := make([]float64, p.size*p.size), make([]float64, p.size*p.size)
	for _, penalty := range o.Penalties {
		for i, v := range gram {
			bound[i] = curvature * v
		}
		for j := range p.size {
			bound[j*p.size+j] += p.penaltyOf(j, penalty) + 1e-6*bound[j*p.size+j] // 1e-6 allows for the rounding of other sums to float32
		}
		choleskyInPlace(bound, p.size)
		p.inverses = append(p.inverses, invertLower(bound, scratch, p.size))
	}
	n := p.size * p.columns
	p.params, p.lookahead = make([]float64, n), make([]float64, n)
	p.sinceRestart = make([]float64, len(o.Penalties))
	p.packed, p.lookahead32 = make([]float32, kernel.PackedLen(max(p.size, p.rows), p.columns)), make([]float32, n)
	p.gradient, p.scores = make([]float32, n), make([]float32, p.rows*p.columns)
	return p, nil
}

// gramRows is the number of rows over which gram sums products in float32, before it adds the sums
// to float64 totals.
const gramRows = 64

// gram returns the lower triangle of ΦᵀΦ, size × size. It returns an error only if ctx is
// cancelled.
//
// Sums over gramRows rows are computed in float32 and then added up in float64. With float32 alone,
// rounding errors could exceed the penalties. If the columns have few combinations of values, ΦᵀΦ
// is nearly singular, and only the penalties make the upper bound of the Hessian positive definite.
func (p *logisticRegression) gram(ctx context.Context) ([]float64, error) {
	gram := make([]float64, p.size*p.size)
	block, packed := make([]float32, p.size*p.size), make([]float32, kernel.PackedLen(gramRows, p.size))
	for lo := 0; lo < p.rows; lo += gramRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := p.features[lo*p.size : min(lo+gramRows, p.rows)*p.size]
		shape := kernel.Shape{Rows: p.size, Cols: p.size, Depth: len(rows) / p.size}
		kernel.Pack(packed, rows, shape.Depth, p.size)
		clear(block)
		kernel.GemmTransposed(block, rows, packed, shape)
		for i := range p.size {
			for j, v := range block[i*p.size : i*p.size+i+1] {
				gram[i*p.size+j] += float64(v)
			}
		}
	}
	return gram, nil
}

// penaltyOf returns the penalty of feature j: biasPenalty for the constant, otherwise
// penalty.
func (p *logisticRegression) penaltyOf(j int, penalty float64) float64 {
	if j == p.size-1 {
		return biasPenalty
	}
	return penalty
}

// kernelSteps is the number of steps of a kernel regression. With a penalty of at least 0.1, the
// last step is close to the minimum. With smaller penalties, the steps end long before the minimum
// (early stopping). docs/experiments.md compares other numbers of steps.
const kernelSteps = 50

// steps returns the number of steps of minimise. A linear regression needs more steps than a kernel
// regression: if a weighted sum of the columns determines the class, the coefficients are large at
// the minimum, and each step increases them only a little. The more inputs there are, the longer a
// step takes, so the number of steps decreases: it is 97 with MaxInputs inputs.
func (p *logisticRegression) steps() int {
	if p.linear {
		return min(500, 25_000/p.size)
	}
	return kernelSteps
}

// minimise takes accelerated gradient steps (Nesterov 1983), each to the minimum of a quadratic
// upper bound of the loss. The acceleration restarts after a step that goes against the last change
// of the parameters (O'Donoghue and Candès 2015, "Adaptive restart for accelerated gradient
// schemes", section 3.2). minimise returns an error only if ctx is cancelled.
func (p *logisticRegression) minimise(ctx context.Context) error {
	var scratch stepScratch
	scratch.slope, scratch.half, scratch.step = make([]float32, p.size*p.outputs), make([]float32, p.size*p.outputs), make([]float32, p.size*p.outputs)
	for range p.steps() {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.computeGradient()
		for i := range p.penalties {
			p.step(i, &scratch)
		}
	}
	return nil
}

// computeGradient sets p.gradient to the gradient of the log loss at p.lookahead, without the
// penalty.
func (p *logisticRegression) computeGradient() {
	for i, v := range p.lookahead {
		p.lookahead32[i] = float32(v)
	}
	clear(p.scores)
	packed := p.packed[:kernel.PackedLen(p.size, p.columns)]
	kernel.Pack(packed, p.lookahead32, p.size, p.columns)
	kernel.Gemm(p.scores, p.features, packed, kernel.Shape{Rows: p.rows, Cols: p.columns, Depth: p.size})
	for i, label := range p.labels {
		row := p.scores[i*p.columns : (i+1)*p.columns]
		for k := 0; k < len(row); k += p.outputs {
			scoresToLossGradient(row[k:k+p.outputs], label)
		}
	}
	clear(p.gradient)
	packed = p.packed[:kernel.PackedLen(p.rows, p.columns)]
	kernel.Pack(packed, p.scores, p.rows, p.columns)
	kernel.GemmTransposed(p.gradient, p.features, packed, kernel.Shape{Rows: p.size, Cols: p.columns, Depth: p.rows})
}

// converged reports for each penalty whether the training has converged: whether the parameters are
// finite, and the log loss on the training rows is not noticeably higher than that of always
// predicting the class frequencies.
func (p *logisticRegression) converged() []bool {
	copy(p.lookahead, p.params)
	p.computeGradient()
	counts := make([]float64, max(p.outputs, 2))
	losses := make([]float64, len(p.penalties))
	for i, label := range p.labels {
		counts[label]++
		for penalty := range losses {
			slope := p.scores[i*p.columns+penalty*p.outputs:][:p.outputs]
			own := 1 - math.Abs(float64(slope[0])) // the probability of the label
			if p.outputs > 1 {
				own = 1 + float64(slope[label])
			}
			losses[penalty] -= math.Log(max(own, 1e-30)) // the loss is NaN if own is NaN
		}
	}
	entropy := 0.0
	for _, n := range counts {
		if n > 0 {
			entropy -= n * math.Log(n/float64(p.rows))
		}
	}
	converged := make([]bool, len(losses))
	for penalty, loss := range losses {
		converged[penalty] = loss <= entropy*(1+1e-3)+1e-3*float64(p.rows)
	}
	return converged
}

// scoresToLossGradient replaces the scores of a row by the gradient of its log loss:
// probability minus target.
func scoresToLossGradient(scores []float32, label int32) {
	if len(scores) > 1 {
		kernel.Softmax(scores)
		scores[label]--
		return
	}
	both := [2]float32{0, scores[0]}
	kernel.Softmax(both[:])
	scores[0] = both[1] - float32(label)
}

// stepScratch holds a number for each parameter of one penalty: the gradient of the
// penalised loss, L⁻¹ times this gradient, and the step.
type stepScratch struct{ slope, half, step []float32 }

// step does one step of minimise for the parameters of the penalty with index i.
func (p *logisticRegression) step(i int, s *stepScratch) {
	for j := range p.size {
		penalty := p.penaltyOf(j, p.penalties[i])
		for k := range p.outputs {
			at := p.paramIndex(i, j, k)
			s.slope[j*p.outputs+k] = float32(float64(p.gradient[at]) + float64(penalty*p.lookahead[at]))
		}
	}
	shape := kernel.Shape{Rows: p.size, Cols: p.outputs, Depth: p.size}
	packed := p.packed[:kernel.PackedLen(p.size, p.outputs)]
	kernel.Pack(packed, s.slope, p.size, p.outputs)
	clear(s.half)
	kernel.Gemm(s.half, p.inverses[i], packed, shape)
	kernel.Pack(packed, s.half, p.size, p.outputs)
	clear(s.step)
	kernel.GemmTransposed(s.step, p.inverses[i], packed, shape)
	p.nesterovStep(i, s.step)
}

// nesterovStep subtracts step from the parameters p.lookahead of penalty i and stores the result in
// p.params. It then moves p.lookahead to a point beyond p.params, in the direction in which
// p.params has moved.
func (p *logisticRegression) nesterovStep(i int, step []float32) {
	// progress is minus the inner product of step and the change of the parameters. If it is
	// negative, the acceleration starts again (O'Donoghue and Candès, 2015).
	progress := 0.0
	for j := range p.size {
		for k := range p.outputs {
			at, s := p.paramIndex(i, j, k), float64(step[j*p.outputs+k])
			progress -= float64(s * (p.lookahead[at] - s - p.params[at]))
		}
	}
	t := p.sinceRestart[i]
	if progress < 0 {
		t = 0
	}
	weight := t / (t + 3)
	p.sinceRestart[i] = t + 1
	for j := range p.size {
		for k := range p.outputs {
			at := p.paramIndex(i, j, k)
			next := p.lookahead[at] - float64(step[j*p.outputs+k])
			p.lookahead[at] = next + float64(weight*(next-p.params[at]))
			p.params[at] = next
		}
	}
}

// paramIndex returns the index of the parameter of feature j, penalty i and output k.
func (p *logisticRegression) paramIndex(i, j, k int) int { return j*p.columns + i*p.outputs + k }

// solution returns the coefficients of the features, rank × outputs, and the biases for
// the penalty with the given index.
func (p *logisticRegression) solution(penaltyIndex int) (beta, bias []float64) {
	for j := range p.size {
		at := j*p.columns + penaltyIndex*p.outputs
		beta = append(beta, p.params[at:at+p.outputs]...)
	}
	cut := (p.size - 1) * p.outputs
	return beta[:cut:cut], beta[cut:]
}
