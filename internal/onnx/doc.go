// Package onnx writes models in the Open Neural Network Exchange format, version 1.11:
//
//	IR version      8
//	ai.onnx         opset 13
//	ai.onnx.ml      opset 3
//
// ai.onnx.ml 3 is the first opset whose tree ensembles compare float64 numbers, and IR
// version 8 belongs to the same release of ONNX. The field numbers of messages are defined
// by onnx.proto, the operators by Operators.md and Operators-ml.md (github.com/onnx/onnx).
//
// A Graph is built from its input to its outputs. Each method that adds an operator
// returns the operator's result:
//
//	g := onnx.NewGraph("model")
//	x := g.AddInput("features", 4)
//	sum := g.Op("Add", x.Value, g.ScalarFloat64(1))
//	g.AddOutput("sum", sum, onnx.Float64, 4)
//	err := (&onnx.Model{Graph: g}).Write(w)
//
// Equal calls write equal bytes.
package onnx
