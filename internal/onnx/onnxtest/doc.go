// Package onnxtest evaluates ONNX models in tests. To find errors of package onnx, it
// shares no code with it, and decodes Protocol Buffers itself. It implements the
// operators that package onnx uses as Operators.md describes them, in simple loops.
package onnxtest
