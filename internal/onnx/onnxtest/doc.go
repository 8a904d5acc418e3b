// Package onnxtest evaluates ONNX models in tests. It shares no code with package onnx: it
// decodes Protocol Buffers itself, and it computes the operators that package onnx uses as
// Operators.md describes them, one number at a time.
package onnxtest
