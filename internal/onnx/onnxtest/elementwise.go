package onnxtest

import (
	"fmt"
	"math"
	"slices"
)

// operators holds the function that computes each supported operator, by the operator's name in
// ONNX.
var operators = map[string]func(n *node, in []*Tensor) *Tensor{
	"Add": broadcasting(func(a, b float64) float64 { return a + b }),
	"Sub": broadcasting(func(a, b float64) float64 { return a - b }),
	"Mul": broadcasting(func(a, b float64) float64 { return a * b }),
	"Div": broadcasting(func(a, b float64) float64 { return a / b }),
	"Mod": broadcasting(math.Mod),
	"Pow": broadcasting(math.Pow),
	"Min": broadcasting(math.Min),
	"Max": broadcasting(math.Max),
	"Equal": func(n *node, in []*Tensor) *Tensor {
		t := broadcasting(func(a, b float64) float64 { return boolToFloat(a == b) })(n, in)
		t.kind = typeBool
		return t
	},
	"Relu": unary(func(v float64) float64 { return math.Max(v, 0) }),
	"Sqrt": unary(math.Sqrt),
	"Exp":  unary(math.Exp),
	"IsNaN": func(n *node, in []*Tensor) *Tensor {
		t := unary(func(v float64) float64 { return boolToFloat(v != v) })(n, in)
		t.kind = typeBool
		return t
	},
	"Identity": func(_ *node, in []*Tensor) *Tensor { return in[0] },
	"Clip": func(n *node, in []*Tensor) *Tensor {
		return unary(func(v float64) float64 { return math.Min(math.Max(v, in[1].Numbers[0]), in[2].Numbers[0]) })(n, in)
	},
	"Cast":  cast,
	"Where": where,

	"Gather": gather, "Concat": concat, "Reshape": reshape, "Unsqueeze": unsqueeze,
	"MatMul": matMul, "Softmax": softmax, "ArgMax": argMax,
	"ReduceMax": reduce(math.Inf(-1), math.Max), "ReduceSum": reduce(0, func(a, b float64) float64 { return a + b }),
	"CumSum":                cumSum,
	"ReduceMean":            reduceMean,
	"TreeEnsembleRegressor": treeEnsemble,
}

func boolToFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unary(f func(v float64) float64) func(*node, []*Tensor) *Tensor {
	return func(_ *node, in []*Tensor) *Tensor {
		t := &Tensor{kind: in[0].kind, Dims: in[0].Dims, Numbers: make([]float64, len(in[0].Numbers))}
		for i, v := range in[0].Numbers {
			t.Numbers[i] = f(v)
		}
		return t
	}
}

// broadcasting returns an operator that applies f to the elements of two tensors, whose
// dimensions are broadcast.
func broadcasting(f func(a, b float64) float64) func(*node, []*Tensor) *Tensor {
	return func(_ *node, in []*Tensor) *Tensor {
		if in[0].kind != in[1].kind {
			panic(fmt.Sprintf("types %d and %d", in[0].kind, in[1].kind))
		}
		dims := broadcast(in[0].Dims, in[1].Dims)
		a, b := in[0].expand(dims), in[1].expand(dims)
		t := &Tensor{kind: in[0].kind, Dims: dims, Numbers: make([]float64, len(a))}
		for i := range a {
			t.Numbers[i] = f(a[i], b[i])
		}
		return t
	}
}

func where(_ *node, in []*Tensor) *Tensor {
	if in[0].kind != typeBool || in[1].kind != in[2].kind {
		panic("types of Where")
	}
	dims := broadcast(in[0].Dims, broadcast(in[1].Dims, in[2].Dims))
	condition, yes, no := in[0].expand(dims), in[1].expand(dims), in[2].expand(dims)
	t := &Tensor{kind: in[1].kind, Dims: dims, Numbers: slices.Clone(no)}
	for i := range condition {
		if condition[i] != 0 {
			t.Numbers[i] = yes[i]
		}
	}
	return t
}

// cast is the operator Cast for numbers.
func cast(n *node, in []*Tensor) *Tensor {
	to := n.intAttribute("to", 0)
	t := unary(func(v float64) float64 {
		switch to {
		case typeFloat32:
			return float64(float32(v))
		case typeInt64:
			return math.Trunc(v)
		}
		return v
	})(n, in)
	t.kind = to
	return t
}

// broadcast returns the dimensions of the result of an operator on tensors with the
// dimensions a and b.
func broadcast(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	dims := slices.Clone(a)
	for i, n := range b {
		switch at := len(a) - len(b) + i; {
		case dims[at] == 1:
			dims[at] = n
		case n != 1 && n != dims[at]:
			panic(fmt.Sprintf("dimensions %v and %v", a, b))
		}
	}
	return dims
}

// expand returns the numbers of t broadcast to dims.
func (t *Tensor) expand(dims []int) []float64 {
	if slices.Equal(t.Dims, dims) {
		return t.Numbers
	}
	numbers := make([]float64, product(dims))
	for i := range numbers {
		at, rest, stride := 0, i, 1
		for k := len(dims) - 1; k >= 0; k-- {
			index := rest % dims[k]
			rest /= dims[k]
			if own := k - (len(dims) - len(t.Dims)); own >= 0 {
				if t.Dims[own] > 1 {
					at += index * stride
				}
				stride *= t.Dims[own]
			}
		}
		numbers[i] = t.Numbers[at]
	}
	return numbers
}
