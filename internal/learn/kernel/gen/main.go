// Command gen writes the AVX2 and AVX-512 kernels of package kernel as Go
// assembly:
//
//	cd internal/learn/kernel/gen && go run . -out ../tile_amd64.s -stubs ../tile_stub_amd64.go -pkg kernel
//
// It is a separate module, so that avo, the assembly generator, is not in the go.mod of
// foretell.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("amd64")
	for rows := 1; rows <= 6; rows++ {
		tile(rows)
	}
	tile12()
	adam()
	relu()
	reluBackward()
	dropout()
	axpy()
	lerp()
	scaleShift()
	scaleShiftBackward()
	gather()
	gather4()
	partition()
	bestSplit()
	logistic()
	expClipped()
	addExp()
	maxima()
	softmaxGradients()
	addDerivatives()
	Generate()
}
