package onnx

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Value is the name of a tensor: an input, a constant or the result of an operator.
type Value string

// Matrix is a tensor of float64 with two dimensions: any number of rows, and the given
// number of columns.
type Matrix struct {
	Value
	Columns int
}

// Graph is a graph under construction.
type Graph struct {
	name                              string
	nodes, constants, inputs, outputs message
	scope                             string
	count                             int
	known                             map[string]Value // constants by content
	err                               error
	usesTrees                         bool
}

// NewGraph returns an empty graph.
func NewGraph(name string) *Graph { return &Graph{name: name, known: map[string]Value{}} }

// Scope makes the names of values that are added from now on begin with name and a slash.
// An empty name ends the scope.
func (g *Graph) Scope(name string) {
	if g.scope = name; name != "" {
		g.scope += "/"
	}
}

// Fail records err, which Model.Write then returns, unless an error was recorded before.
func (g *Graph) Fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

// Input adds an input, a tensor of float64 with the given number of columns and any
// number of rows.
func (g *Graph) Input(name string, columns int) Matrix {
	g.inputs.message(11, valueInfo(name, Float64, columns))
	return Matrix{Value(name), columns}
}

// Output makes v an output of the graph with the given name. It is a matrix with the
// given number of columns or, if columns is 0, a vector with an element for each row.
func (g *Graph) Output(name string, v Value, t Type, columns int) {
	var node message
	node.text(1, string(v))
	node.text(2, name)
	node.text(4, "Identity")
	g.nodes.message(1, &node)
	g.outputs.message(12, valueInfo(name, t, columns))
}

// valueInfo returns a ValueInfoProto for a matrix with the given number of columns or, if
// columns is 0, for a vector.
func valueInfo(name string, t Type, columns int) *message {
	var rows, shape, tensor, kind, info message
	rows.text(2, "rows")
	shape.message(1, &rows)
	if columns > 0 {
		var dim message
		dim.varint(1, uint64(columns))
		shape.message(1, &dim)
	}
	tensor.varint(1, uint64(t))
	tensor.message(2, &shape)
	kind.message(1, &tensor)
	info.text(1, name)
	info.message(2, &kind)
	return &info
}

// Op adds an operator of the domain ai.onnx and returns its result.
func (g *Graph) Op(op string, inputs ...Value) Value { return g.node("", op, nil, inputs) }

// OpWith is Op for an operator with attributes.
func (g *Graph) OpWith(op string, attributes []Attribute, inputs ...Value) Value {
	return g.node("", op, attributes, inputs)
}

// node adds a NodeProto and returns the result of the operator.
func (g *Graph) node(domain, op string, attributes []Attribute, inputs []Value) Value {
	result := g.newName(op)
	var node message
	for _, in := range inputs {
		node.text(1, string(in))
	}
	node.text(2, string(result))
	node.text(3, string(result))
	node.text(4, op)
	for i := range attributes {
		node.message(5, &attributes[i].body)
	}
	if domain != "" {
		node.text(7, domain)
	}
	g.nodes.message(1, &node)
	return result
}

func (g *Graph) newName(kind string) Value {
	g.count++
	return Value(g.scope + kind + "_" + strconv.Itoa(g.count))
}

// Float64s adds a constant of float64 with the given dimensions.
func (g *Graph) Float64s(values []float64, dims ...int) Value {
	return g.constant(Float64, dims, len(values), float64Bytes(values))
}

// Float64 adds a constant number, a tensor without dimensions.
func (g *Graph) Float64(value float64) Value { return g.Float64s([]float64{value}) }

// Float32s adds a constant of float32 with the given dimensions.
func (g *Graph) Float32s(values []float32, dims ...int) Value {
	return g.constant(Float32, dims, len(values), float32Bytes(values))
}

// Int64s adds a constant of int64.
func (g *Graph) Int64s(values []int, dims ...int) Value {
	return g.constant(Int64, dims, len(values), int64Bytes(values))
}

// Bytes adds a constant of uint8. values must not change afterwards.
func (g *Graph) Bytes(values []byte, dims ...int) Value {
	return g.constant(Uint8, dims, len(values), values)
}

// Strings adds a constant of texts with one dimension.
func (g *Graph) Strings(values []string) Value {
	name := g.newName("const")
	m := newTensor(String, []int{len(values)})
	for _, s := range values {
		m.text(6, s)
	}
	m.text(8, string(name))
	g.constants.message(5, m)
	return name
}

// maxKnown is the largest size, in bytes, of a constant that is stored only once even if
// it is added several times.
const maxKnown = 256

// constant adds a constant of n elements. Without dims it is a single number.
func (g *Graph) constant(t Type, dims []int, n int, raw []byte) Value {
	product := 1
	for _, size := range dims {
		product *= size
	}
	if product != n {
		panic(fmt.Sprintf("onnx: %d elements for the dimensions %v", n, dims))
	}
	key := ""
	if len(raw) <= maxKnown {
		key = fmt.Sprint(t, dims) + string(raw)
		if v, known := g.known[key]; known {
			return v
		}
	}
	name := g.newName("const")
	g.constants.message(5, rawTensor(t, dims, string(name), raw))
	if key != "" {
		g.known[key] = name
	}
	return name
}

// Metadata is a pair of texts that a model carries.
type Metadata struct{ Key, Value string }

// Model is a graph with the texts that describe it.
type Model struct {
	Graph *Graph
	// Description is a text for people.
	Description string
	Metadata    []Metadata
}

// Versions, see the package comment.
const (
	irVersion = 8
	opset     = 13
	opsetML   = 3
	domainML  = "ai.onnx.ml"
)

// ErrTooLarge is the error for a model that exceeds the 2 GB of a message of Protocol
// Buffers.
var ErrTooLarge = errors.New("the model is larger than 2 GB, the limit of the ONNX format")

// Write writes the model to w.
func (m *Model) Write(w io.Writer) error {
	if m.Graph.err != nil {
		return m.Graph.err
	}
	var graph, model message
	graph.embed(&m.Graph.nodes)
	graph.text(2, m.Graph.name)
	graph.embed(&m.Graph.constants)
	graph.embed(&m.Graph.inputs)
	graph.embed(&m.Graph.outputs)
	model.varint(1, irVersion)
	model.text(2, "foretell")
	model.text(6, m.Description)
	model.message(7, &graph)
	model.message(8, operatorSet("", opset))
	if m.Graph.usesTrees {
		model.message(8, operatorSet(domainML, opsetML))
	}
	for _, entry := range m.Metadata {
		var pair message
		pair.text(1, entry.Key)
		pair.text(2, entry.Value)
		model.message(14, &pair)
	}
	if model.size > math.MaxInt32 {
		return ErrTooLarge
	}
	return model.writeTo(w)
}

// operatorSet returns an OperatorSetIdProto.
func operatorSet(domain string, version uint64) *message {
	var set message
	set.text(1, domain)
	set.varint(2, version)
	return &set
}
