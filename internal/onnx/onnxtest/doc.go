// Package onnxtest evaluates ONNX models in tests. It shares no code with package onnx
// and decodes Protocol Buffers itself, so that it finds errors of that package. It
// implements the operators that package onnx uses as Operators.md describes them, in
// simple loops.
package onnxtest
