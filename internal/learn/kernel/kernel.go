// Package kernel implements the arithmetic of training on slices: matrix
// products, row operations, activations, softmax and the optimiser's update for
// neural networks; gathering, partitioning, split finding and the logistic loss
// for trees.
//
// Kernels take slices and write to dst. They do not allocate memory, and panic if a slice
// is too short, which is a bug of the caller. They run on the goroutine of the caller. To
// run in parallel, call them with different rows.
//
// # Precision
//
// Every element of a matrix product is one chain of multiply-adds. The chain starts with
// the value in dst and goes over the depth in ascending order. The result does not depend
// on the shape of a tile or on the assignment of rows to workers. A step of the chain is
// rounded once if the processor fuses multiply and add, and otherwise twice. The assembly
// of this package fuses them, with the same bits for AVX2 and AVX-512; on arm64 the
// compiler may fuse them. On one kind of processor the bits are always the same. Between
// kinds of processors, products differ by about depth · 2⁻²⁴ of their terms. The other
// kernels round multiplications and additions separately and compute the same bits
// everywhere.
//
// The assembly in *_amd64.s is written by the generator in gen, which is a separate
// module:
//
//go:generate go -C gen run . -out ../tile_amd64.s -stubs ../tile_stub_amd64.go -pkg kernel
package kernel

import "fmt"

// checkLen panics if a slice is shorter than the kernel needs.
func checkLen(kernel string, have, want int) {
	if have < want {
		panic(fmt.Sprintf("kernel.%s: slice of %d, needs %d", kernel, have, want))
	}
}
