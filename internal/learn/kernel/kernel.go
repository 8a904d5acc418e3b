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
// the value in dst and goes over the depth in ascending order. Therefore the result does
// not depend on the shape of a tile or on which worker computes which rows. If the processor fuses
// multiplication and addition, each multiply-add is rounded once; if not, twice. The assembly of
// this package fuses them, and AVX2 and AVX-512 compute the same bits. On arm64, the compiler may
// fuse them. On the same kind of processor, the bits are always the same. On different kinds of
// processors, products differ by rounding errors, which are at most about depth · 2⁻²⁴ times the
// sum of the absolute terms. The other kernels round multiplications and additions separately and
// compute the same bits on all processors.
//
// The assembly in *_amd64.s is written by the generator in gen, which is a separate
// module:
//
//go:generate go -C gen run . -out ../tile_amd64.s -stubs ../tile_stub_amd64.go -pkg kernel
package kernel

import "fmt"

// checkLen panics if have, the length of a slice, is less than want, the length that the kernel
// needs. The parameter kernel is the name of a function of this package, for the message.
func checkLen(kernel string, have, want int) {
	if have < want {
		panic(fmt.Sprintf("kernel.%s: slice of %d, needs %d", kernel, have, want))
	}
}
