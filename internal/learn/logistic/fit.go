package logistic

import (
	"context"
	"errors"
	"fmt"
	"math"

	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// MaxInputs is the largest number of inputs of a model. New returns ErrTooWide for a
// table with more inputs.
const MaxInputs = 256

// ErrTooWide is the error of New for a table with more than MaxInputs inputs, or with no
// inputs because all columns are constant.
var ErrTooWide = errors.New("logistic: too many columns")

// Linear is the Width of a regression without a kernel.
const Linear = 0.0

// Options are the parameters of a fit.
type Options struct {
	// Classes is the number of classes, from 2 to 65,535.
	Classes int
	// Width is γ of the kernel times the mean squared distance of two training rows.
	// If Width is 1, the kernel of two rows at this distance is 1/e. If Width is Linear, there is
	// no kernel, and the scores are linear functions of the inputs.
	Width float64
	// Centers is the maximum number of centres of a kernel, at least 1.
	Centers int
	// Penalties are the penalties λ, all positive.
	Penalties []float64
}

// Fit holds the fitted models, one for each penalty.
type Fit struct {
	models     []*Model    // nil if the fit did not converge
	validation [][]float32 // the class probabilities of the validation rows for each penalty
	cost       float64
}

// New fits a model for each of o.Penalties to the rows fold.Train of f. It returns ErrTooWide if
// the table is too wide, the error of ctx if ctx is cancelled, and another error if o is invalid or
// fold.Train is empty.
func New(ctx context.Context, f *frame.Frame, fold split.Fold, o Options) (*Fit, error) {
	if len(fold.Train) == 0 || o.Classes < 2 || o.Classes > math.MaxUint16 || !(o.Width >= 0) || o.Centers < 1 || len(o.Penalties) == 0 {
		return nil, fmt.Errorf("logistic: invalid parameters: %d training rows, %d classes, width %v, %d centres, %d penalties", len(fold.Train), o.Classes, o.Width, o.Centers, len(o.Penalties))
	}
	e := fitEncoder(f, fold.Train)
	if e.width == 0 || e.width > MaxInputs {
		return nil, ErrTooWide
	}
	x := make([]float64, len(fold.Train)*e.width)
	e.encode(x, f, fold.Train)
	k, gamma := newFeatures(ctx, x, e.width, o)
	triangle := k.triangle() // before the regression overwrites the features
	p, err := newLogisticRegression(ctx, k, split.Gather(f.Labels, fold.Train), o)
	if err != nil {
		return nil, err
	}
	if err := p.minimise(ctx); err != nil {
		return nil, err
	}
	fit := &Fit{cost: p.cost(e.width, len(fold.Validation))}
	centers := make([]float64, 0, len(k.centers)*e.width)
	for _, row := range k.centers {
		centers = append(centers, x[row*e.width:(row+1)*e.width]...)
	}
	converged := p.converged()
	for i := range o.Penalties {
		if !converged[i] {
			fit.models = append(fit.models, nil)
			continue
		}
		beta, bias := p.solution(i)
		if o.Width != Linear {
			solveTransposedInPlace(triangle, beta, p.outputs)
		}
		fit.models = append(fit.models, &Model{encoder: e, classes: o.Classes, gamma: gamma, centers: centers, coefficients: beta, bias: bias})
	}
	for range o.Penalties {
		uniform := make([]float32, len(fold.Validation)*o.Classes)
		for i := range uniform {
			uniform[i] = 1 / float32(o.Classes)
		}
		fit.validation = append(fit.validation, uniform)
	}
	predictAll(fit.validation, fit.models, f, fold.Validation)
	return fit, nil
}

// newFeatures returns the features of the training rows x, which are row-major with the given
// width. The features approximate the kernel or, if o.Width is Linear, are the inputs themselves.
// newFeatures also returns γ of the kernel, or 0 if there is no kernel.
func newFeatures(ctx context.Context, x []float64, width int, o Options) (features choleskyFactor, gamma float64) {
	if o.Width == Linear {
		return inputFeatures(x, width), 0
	}
	gamma = o.Width / meanSquaredDistance(x, width)
	if math.IsInf(gamma, 1) {
		gamma = 1 // any value will do, because all rows are equal
	}
	return incompleteCholesky(ctx, x, width, o.Centers, gamma), gamma
}

// inputFeatures returns a choleskyFactor that has no centres and whose features are the inputs x.
// Each row of the features has room for one more number, the constant that newLogisticRegression
// adds.
func inputFeatures(x []float64, width int) choleskyFactor {
	stride := width + 1
	f := choleskyFactor{rank: width, stride: stride, features: make([]float32, len(x)/width*stride)}
	for i := range len(x) / width {
		for j, v := range x[i*width : (i+1)*width] {
			f.features[i*stride+j] = float32(v)
		}
	}
	return f
}

// Validation returns the class probabilities of the rows fold.Validation: len(fold.Validation) ×
// classes, row-major. penaltyIndex is the index of the model's penalty in Options.Penalties. If the
// fit did not converge, all probabilities of a row are equal.
func (f *Fit) Validation(penaltyIndex int) []float32 { return f.validation[penaltyIndex] }

// Model returns the model of the penalty with the given index in Options.Penalties. The
// result is nil if the fit did not converge.
func (f *Fit) Model(penaltyIndex int) *Model { return f.models[penaltyIndex] }

// meanSquaredDistance returns the mean of |a−b|² over all pairs of rows a and b of x. This
// mean is twice the sum of the variances of the columns.
func meanSquaredDistance(x []float64, width int) float64 {
	n := float64(len(x) / width)
	sum := 0.0
	for j := range width {
		var mean, squares float64
		for i := j; i < len(x); i += width {
			mean += x[i] / n
		}
		for i := j; i < len(x); i += width {
			squares += float64((x[i] - mean) * (x[i] - mean))
		}
		sum += 2 * squares / n
	}
	return sum
}
