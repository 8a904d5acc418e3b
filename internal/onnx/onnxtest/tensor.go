package onnxtest

import (
	"fmt"
	"math"
	"slices"
)

// axisOf returns the index of an axis of t. A negative axis counts from the last axis.
func (t *Tensor) axisOf(axis int) int {
	if axis < 0 {
		return axis + len(t.Dims)
	}
	return axis
}

// splitAtAxis returns the product of the dimensions before an axis, the length of the
// axis, and the product of the dimensions after it.
func (t *Tensor) splitAtAxis(axis int) (outer, along, inner int) {
	return product(t.Dims[:axis]), t.Dims[axis], product(t.Dims[axis+1:])
}

func gather(n *node, in []*Tensor) *Tensor {
	data, index := in[0], in[1]
	axis := data.axisOf(n.intAttribute("axis", 0))
	outer, along, inner := data.splitAtAxis(axis)
	t := &Tensor{kind: data.kind, Dims: slices.Concat(data.Dims[:axis], index.Dims, data.Dims[axis+1:])}
	for o := range outer {
		for _, i := range index.Numbers {
			if i < 0 || int(i) >= along {
				panic(fmt.Sprintf("index %v of %d", i, along))
			}
			from := (o*along + int(i)) * inner
			if data.kind == typeString {
				t.Texts = append(t.Texts, data.Texts[from:from+inner]...)
			} else {
				t.Numbers = append(t.Numbers, data.Numbers[from:from+inner]...)
			}
		}
	}
	return t
}

func concat(n *node, in []*Tensor) *Tensor {
	axis := in[0].axisOf(n.intAttribute("axis", 0))
	t := &Tensor{kind: in[0].kind, Dims: slices.Clone(in[0].Dims)}
	t.Dims[axis] = 0
	for _, part := range in {
		t.Dims[axis] += part.Dims[axis]
		if part.kind != t.kind {
			panic("different types")
		}
	}
	for o := range product(t.Dims[:axis]) {
		for _, part := range in {
			_, along, inner := part.splitAtAxis(axis)
			t.Numbers = append(t.Numbers, part.Numbers[o*along*inner:(o+1)*along*inner]...)
		}
	}
	return t
}

func reshape(_ *node, in []*Tensor) *Tensor {
	t := &Tensor{kind: in[0].kind, Numbers: in[0].Numbers}
	known := 1
	for _, d := range in[1].Numbers {
		t.Dims = append(t.Dims, int(d))
		if d > 0 {
			known *= int(d)
		}
	}
	for i, d := range t.Dims {
		if d == -1 {
			t.Dims[i] = len(t.Numbers) / known
		}
	}
	return t
}

func unsqueeze(_ *node, in []*Tensor) *Tensor {
	t := &Tensor{kind: in[0].kind, Numbers: in[0].Numbers, Dims: slices.Clone(in[0].Dims)}
	for _, axis := range in[1].Numbers {
		t.Dims = slices.Insert(t.Dims, int(axis), 1)
	}
	return t
}

func matMul(_ *node, in []*Tensor) *Tensor {
	a, b := in[0], in[1]
	if a.kind != typeFloat64 || b.kind != typeFloat64 {
		panic("types of MatMul")
	}
	rows, depth, columns := a.Dims[len(a.Dims)-2], a.Dims[len(a.Dims)-1], b.Dims[len(b.Dims)-1]
	if b.Dims[len(b.Dims)-2] != depth {
		panic(fmt.Sprintf("dimensions %v and %v", a.Dims, b.Dims))
	}
	batch := broadcast(a.Dims[:len(a.Dims)-2], b.Dims[:len(b.Dims)-2])
	left := a.expand(append(slices.Clone(batch), rows, depth))
	right := b.expand(append(slices.Clone(batch), depth, columns))
	t := &Tensor{kind: typeFloat64, Dims: append(slices.Clone(batch), rows, columns)}
	t.Numbers = make([]float64, product(t.Dims))
	for m := range product(batch) {
		for i := range rows {
			out := t.Numbers[(m*rows+i)*columns:][:columns]
			for k, v := range left[(m*rows+i)*depth:][:depth] {
				for j, w := range right[(m*depth+k)*columns:][:columns] {
					out[j] += v * w
				}
			}
		}
	}
	return t
}

// softmax is the operator Softmax. It supports only the last axis.
func softmax(n *node, in []*Tensor) *Tensor {
	if in[0].axisOf(n.intAttribute("axis", -1)) != len(in[0].Dims)-1 {
		panic("another axis than the last")
	}
	t := &Tensor{kind: in[0].kind, Dims: in[0].Dims}
	size := t.Dims[len(t.Dims)-1]
	for row := range slices.Chunk(in[0].Numbers, size) {
		top, sum := slices.Max(row), 0.0
		for _, v := range row {
			sum += math.Exp(v - top)
		}
		for _, v := range row {
			t.Numbers = append(t.Numbers, math.Exp(v-top)/sum)
		}
	}
	return t
}

// argMax is the operator ArgMax along the last axis, which it removes.
func argMax(n *node, in []*Tensor) *Tensor {
	last := len(in[0].Dims) - 1
	if n.intAttribute("axis", 0) != last || n.intAttribute("keepdims", 1) != 0 {
		panic("other attributes of ArgMax")
	}
	t := &Tensor{kind: typeInt64, Dims: in[0].Dims[:last]}
	for row := range slices.Chunk(in[0].Numbers, in[0].Dims[last]) {
		t.Numbers = append(t.Numbers, float64(slices.Index(row, slices.Max(row))))
	}
	return t
}

// reduce returns a reduction operator, such as ReduceSum. It reduces the axis of the second input
// or of the attribute axes. The result is start at first, and then f(result, element) for one
// element after another.
func reduce(start float64, f func(a, b float64) float64) func(*node, []*Tensor) *Tensor {
	return func(n *node, in []*Tensor) *Tensor {
		var axis int
		if len(in) > 1 {
			axis = int(in[1].Numbers[0])
		} else {
			axis = n.intsAttribute("axes")[0]
		}
		axis = in[0].axisOf(axis)
		outer, along, inner := in[0].splitAtAxis(axis)
		t := &Tensor{kind: in[0].kind, Dims: slices.Clone(in[0].Dims), Numbers: slices.Repeat([]float64{start}, outer*inner)}
		for o := range outer {
			for k := range along {
				for i := range inner {
					at := o*inner + i
					t.Numbers[at] = f(t.Numbers[at], in[0].Numbers[(o*along+k)*inner+i])
				}
			}
		}
		t.Dims[axis] = 1
		if n.intAttribute("keepdims", 1) == 0 {
			t.Dims = slices.Delete(t.Dims, axis, axis+1)
		}
		return t
	}
}

func reduceMean(n *node, in []*Tensor) *Tensor {
	size := float64(in[0].Dims[in[0].axisOf(n.intsAttribute("axes")[0])])
	t := reduce(0, func(a, b float64) float64 { return a + b })(n, in)
	for i := range t.Numbers {
		t.Numbers[i] /= size
	}
	return t
}

// cumSum is the operator CumSum, which adds in float32.
func cumSum(_ *node, in []*Tensor) *Tensor {
	if in[0].kind != typeFloat32 || len(in[1].Dims) != 0 {
		panic("types of CumSum")
	}
	outer, along, inner := in[0].splitAtAxis(int(in[1].Numbers[0]))
	t := &Tensor{kind: in[0].kind, Dims: in[0].Dims, Numbers: slices.Clone(in[0].Numbers)}
	for o := range outer {
		for k := 1; k < along; k++ {
			for i := range inner {
				at := (o*along+k)*inner + i
				t.Numbers[at] = float64(float32(t.Numbers[at] + t.Numbers[at-inner]))
			}
		}
	}
	return t
}
