package onnxtest

import (
	"fmt"
	"maps"
	"slices"
)

// Tensor is a tensor of numbers of any type, or of texts.
type Tensor struct {
	kind    int
	Dims    []int
	Numbers []float64
	Texts   []string
}

// Matrix returns a matrix of float64 with the given number of columns. numbers holds its rows, one
// after another.
func Matrix(numbers []float64, columns int) *Tensor {
	return &Tensor{kind: typeFloat64, Dims: []int{len(numbers) / columns, columns}, Numbers: numbers}
}

// Model is an ONNX model.
type Model struct {
	// Metadata are the metadata properties.
	Metadata map[string]string
	// Columns is the number of columns of the input.
	Columns int
	// Operators are the operators of the graph, each once, in the order of their first use.
	Operators []string

	nodes     []*node
	constants map[string]*Tensor
	input     string
	outputs   map[string]int // type by name
}

type node struct {
	op         string
	inputs     []string
	output     string
	attributes map[string]message
	trees      []tree // decoded from the attributes
}

// Decode returns the model whose file has the content b. It returns an error if b cannot be
// decoded, or if an operator is of a domain that the model does not import.
func Decode(b []byte) (m *Model, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	proto, err := decode(b)
	if err != nil {
		return nil, err
	}
	graph := proto.message(7)
	m = &Model{Metadata: map[string]string{}, constants: map[string]*Tensor{}, outputs: map[string]int{}}
	for _, entry := range proto.messages(14) {
		m.Metadata[entry.text(1)] = entry.text(2)
	}
	input := graph.message(11)
	m.input = input.text(1)
	shape := input.message(2).message(1).message(2).messages(1)
	m.Columns = shape[1].number(1)
	for _, constant := range graph.messages(5) {
		m.constants[constant.text(8)] = constant.tensor()
	}
	for _, output := range graph.messages(12) {
		m.outputs[output.text(1)] = output.message(2).message(1).number(1)
	}
	opsets := map[string]bool{}
	for _, set := range proto.messages(8) {
		opsets[set.text(1)] = true
	}
	seen := map[string]bool{}
	for _, proto := range graph.messages(1) {
		n := &node{op: proto.text(4), inputs: proto.texts(1), output: proto.text(2), attributes: map[string]message{}}
		for _, a := range proto.messages(5) {
			n.attributes[a.text(1)] = a
		}
		if !opsets[proto.text(7)] {
			return nil, fmt.Errorf("the domain %q is not imported", proto.text(7))
		}
		if !seen[n.op] {
			seen[n.op] = true
			m.Operators = append(m.Operators, n.op)
		}
		m.nodes = append(m.nodes, n)
	}
	return m, nil
}

// Run evaluates the model for the rows of x, and returns its outputs by name.
func (m *Model) Run(x *Tensor) (outputs map[string]*Tensor, err error) {
	at := ""
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%s: %v", at, cause)
		}
	}()
	known := map[string]*Tensor{m.input: x}
	for name, constant := range m.constants {
		known[name] = constant
	}
	for _, n := range m.nodes {
		at = n.output
		inputs := make([]*Tensor, len(n.inputs))
		for i, name := range n.inputs {
			if inputs[i] = known[name]; inputs[i] == nil {
				return nil, fmt.Errorf("%s: the input %q is not known yet", at, name)
			}
		}
		run, ok := operators[n.op]
		if !ok {
			return nil, fmt.Errorf("%s: unknown operator %s", at, n.op)
		}
		if known[n.output] != nil {
			return nil, fmt.Errorf("%s: the name is used twice", at)
		}
		known[n.output] = run(n, inputs)
	}
	outputs = map[string]*Tensor{}
	for name, kind := range m.outputs {
		if outputs[name] = known[name]; outputs[name] == nil || outputs[name].kind != kind {
			return nil, fmt.Errorf("the output %s is missing, or its type differs from the declared type", name)
		}
	}
	return outputs, nil
}

// OperatorNames returns the names of the operators that Run knows, sorted.
func OperatorNames() []string { return slices.Sorted(maps.Keys(operators)) }

// intAttribute returns the integer value of the named attribute, or fallback if there is no
// such attribute.
func (n *node) intAttribute(name string, fallback int) int {
	if a, ok := n.attributes[name]; ok {
		return a.number(3)
	}
	return fallback
}

// intsAttribute returns the integer values of the named attribute.
func (n *node) intsAttribute(name string) []int { return n.attributes[name].numbers(8) }
