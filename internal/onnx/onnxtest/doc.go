// Package onnxtest evaluates ONNX models in tests. It shares no code with package onnx. It
// decodes Protocol Buffers itself. It computes the operators that package onnx uses one
// number at a time, as Operators.md describes them.
package onnxtest
