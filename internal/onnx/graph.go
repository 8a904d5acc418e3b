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
	sharedConstants                   map[string]Value // constants by content
	err                               error
	usesTrees                         bool
}

// NewGraph returns an empty graph.
func NewGraph(name string) *Graph { return &Graph{name: name, sharedConstants: map[string]Value{}} }

// SetScope makes the names of values that are added from now on begin with name and a slash.
// An empty name ends the scope.
func (g *Graph) SetScope(name string) {
	if g.scope = name; name != "" {
		g.scope += "/"
	}
}

// RecordError records err, unless an error was recorded before. Model.Write returns the
// recorded error.
func (g *Graph) RecordError(err error) {
	if g.err == nil {
		g.err = err
	}
}

// AddInput adds an input, a tensor of float64 with the given number of columns and any
// number of rows.
func (g *Graph) AddInput(name string, columns int) Matrix {
	g.inputs.appendMessage(11, valueInfo(name, Float64, columns))
	return Matrix{Value(name), columns}
}

// AddOutput makes v an output of the graph with the given name. It is a matrix with the
// given number of columns or, if columns is 0, a vector with an element for each row.
func (g *Graph) AddOutput(name string, v Value, t Type, columns int) {
	var node message
	node.appendText(1, string(v))
	node.appendText(2, name)
	node.appendText(4, "Identity")
	g.nodes.appendMessage(1, &node)
	g.outputs.appendMessage(12, valueInfo(name, t, columns))
}

// valueInfo returns a ValueInfoProto for a matrix with the given number of columns or, if
// columns is 0, for a vector.
func valueInfo(name string, t Type, columns int) *message {
	var rows, shape, tensor, kind, info message
	rows.appendText(2, "rows")
	shape.appendMessage(1, &rows)
	if columns > 0 {
		var dim message
		dim.appendVarint(1, uint64(columns))
		shape.appendMessage(1, &dim)
	}
	tensor.appendVarint(1, uint64(t))
	tensor.appendMessage(2, &shape)
	kind.appendMessage(1, &tensor)
	info.appendText(1, name)
	info.appendMessage(2, &kind)
	return &info
}

// Op adds an operator of the domain ai.onnx and returns its result.
func (g *Graph) Op(op string, inputs ...Value) Value { return g.addNode("", op, nil, inputs) }

// OpWithAttributes adds an operator of the domain ai.onnx with attributes, and returns its result.
func (g *Graph) OpWithAttributes(op string, attributes []Attribute, inputs ...Value) Value {
	return g.addNode("", op, attributes, inputs)
}

// addNode adds a NodeProto and returns the result of the operator.
func (g *Graph) addNode(domain, op string, attributes []Attribute, inputs []Value) Value {
	result := g.newName(op)
	var node message
	for _, in := range inputs {
		node.appendText(1, string(in))
	}
	node.appendText(2, string(result))
	node.appendText(3, string(result))
	node.appendText(4, op)
	for i := range attributes {
		node.appendMessage(5, &attributes[i].body)
	}
	if domain != "" {
		node.appendText(7, domain)
	}
	g.nodes.appendMessage(1, &node)
	return result
}

func (g *Graph) newName(kind string) Value {
	g.count++
	return Value(g.scope + kind + "_" + strconv.Itoa(g.count))
}

// ConstFloat64s adds a constant of float64 with the given dimensions.
func (g *Graph) ConstFloat64s(values []float64, dims ...int) Value {
	return g.addConstant(Float64, dims, len(values), float64Bytes(values))
}

// ScalarFloat64 adds a scalar constant of float64.
func (g *Graph) ScalarFloat64(value float64) Value { return g.ConstFloat64s([]float64{value}) }

// ConstFloat32s adds a constant of float32 with the given dimensions.
func (g *Graph) ConstFloat32s(values []float32, dims ...int) Value {
	return g.addConstant(Float32, dims, len(values), float32Bytes(values))
}

// ConstInt64s adds a constant of int64 with the given dimensions.
func (g *Graph) ConstInt64s(values []int, dims ...int) Value {
	return g.addConstant(Int64, dims, len(values), int64Bytes(values))
}

// ConstBytes adds a constant of uint8 with the given dimensions. values must not change afterwards.
func (g *Graph) ConstBytes(values []byte, dims ...int) Value {
	return g.addConstant(Uint8, dims, len(values), values)
}

// ConstStrings adds a constant of texts with one dimension.
func (g *Graph) ConstStrings(values []string) Value {
	name := g.newName("const")
	m := newTensor(String, []int{len(values)})
	for _, s := range values {
		m.appendText(6, s)
	}
	m.appendText(8, string(name))
	g.constants.appendMessage(5, m)
	return name
}

// maxSharedConstantBytes is the largest size, in bytes, of a constant that is stored only once even if
// it is added several times.
const maxSharedConstantBytes = 256

// addConstant adds a constant with n elements of type t and the dimensions dims; a scalar has no
// dimensions. raw holds the bytes of the elements.
func (g *Graph) addConstant(t Type, dims []int, n int, raw []byte) Value {
	product := 1
	for _, size := range dims {
		product *= size
	}
	if product != n {
		panic(fmt.Sprintf("onnx: %d elements for the dimensions %v", n, dims))
	}
	key := ""
	if len(raw) <= maxSharedConstantBytes {
		key = fmt.Sprint(t, dims) + string(raw)
		if v, known := g.sharedConstants[key]; known {
			return v
		}
	}
	name := g.newName("const")
	g.constants.appendMessage(5, rawTensor(t, dims, string(name), raw))
	if key != "" {
		g.sharedConstants[key] = name
	}
	return name
}

// Metadata is a metadata property of a model: its key and its value.
type Metadata struct{ Key, Value string }

// Model is a graph with the texts that describe it.
type Model struct {
	Graph *Graph
	// Description is a text for people.
	Description string
	Metadata    []Metadata
}

// The versions that a model declares: of the format (IR) and of the operators. See the package
// comment for the reasons.
const (
	irVersion = 8
	opset     = 13
	opsetML   = 3
	domainML  = "ai.onnx.ml"
)

// ErrTooLarge is the error for a model that exceeds the 2 GB of a message of Protocol
// Buffers.
var ErrTooLarge = errors.New("the model is larger than 2 GB, the limit of the ONNX format")

// Write writes the model to w. It returns the error of Graph.RecordError, or ErrTooLarge, before it
// writes anything.
func (m *Model) Write(w io.Writer) error {
	if m.Graph.err != nil {
		return m.Graph.err
	}
	var graph, model message
	graph.appendFieldsOf(&m.Graph.nodes)
	graph.appendText(2, m.Graph.name)
	graph.appendFieldsOf(&m.Graph.constants)
	graph.appendFieldsOf(&m.Graph.inputs)
	graph.appendFieldsOf(&m.Graph.outputs)
	model.appendVarint(1, irVersion)
	model.appendText(2, "foretell")
	model.appendText(6, m.Description)
	model.appendMessage(7, &graph)
	model.appendMessage(8, operatorSet("", opset))
	if m.Graph.usesTrees {
		model.appendMessage(8, operatorSet(domainML, opsetML))
	}
	for _, entry := range m.Metadata {
		var pair message
		pair.appendText(1, entry.Key)
		pair.appendText(2, entry.Value)
		model.appendMessage(14, &pair)
	}
	if model.size > math.MaxInt32 {
		return ErrTooLarge
	}
	return model.writeTo(w)
}

// operatorSet returns an OperatorSetIdProto.
func operatorSet(domain string, version uint64) *message {
	var set message
	set.appendText(1, domain)
	set.appendVarint(2, version)
	return &set
}
