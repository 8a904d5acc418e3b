// Package onnxtest evaluates ONNX models in tests. It shares no code with package onnx and decodes
// Protocol Buffers itself, so that it finds errors of that package. In simple loops, it implements
// the operators that package onnx uses, as Operators.md of ONNX describes them.
package onnxtest
