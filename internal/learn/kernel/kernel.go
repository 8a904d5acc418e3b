// Package kernel is the arithmetic of the neural learner on float32 slices:
// matrix products, the rows and columns around them, activations, softmax and
// the optimiser's update; and the inner loops of the trees: fetching what
// belongs to rows, dividing rows, scoring divisions, the logistic loss.
//
// Kernels are small and dumb: slices in, dst out, no allocation, lengths
// checked at the door (a wrong length is a programmer's mistake and panics).
// They run on the caller's goroutine; who wants parallelism gives each worker
// rows of its own.
//
// # Precision
//
// Every output of a matrix product is one chain of multiply-adds over the
// depth in ascending order, starting from what dst held. Neither the shape of
// a tile nor the way rows are dealt out to workers changes a bit. Where the
// processor fuses multiply and add (AVX2 with FMA and AVX-512, with the same
// bits, by the assembly of this package, arm64 as its compiler sees fit) the
// chain is rounded once a step, elsewhere twice. On one kind of processor the
// bits are always the same; between kinds, products differ by about depth · 2⁻²⁴ of their terms. The
// other kernels keep products and sums apart and give the same bits
// everywhere.
//
// The assembly in *_amd64.s is written by the generator in gen, a module of
// its own:
//
//go:generate go -C gen run . -out ../tile_amd64.s -stubs ../tile_stub_amd64.go -pkg kernel
package kernel

import "fmt"

// check panics unless a slice has at least the length the kernel will touch.
func check(kernel string, have, want int) {
	if have < want {
		panic(fmt.Sprintf("kernel.%s: slice of %d, needs %d", kernel, have, want))
	}
}
