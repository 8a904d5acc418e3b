package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// adam emits the assembly function adamBlocks, which updates eight parameters at a time by AdamW.
// Multiplications and additions are not fused and have the same order as in the portable
// version, so that both compute the same bits.
func adam() {
	TEXT("adamBlocks", NOSPLIT, "func(w, m, v, grad *float32, blocks uintptr, c *[8]float32)")
	Doc("adamBlocks computes Adam.Update for 8·blocks parameters; c holds β1, 1−β1, β2, 1−β2, rate/(1−β1ᵗ), 1/√(1−β2ᵗ), ε, 1−decay.")
	Pragma("noescape")
	w := Load(Param("w"), GP64())
	m := Load(Param("m"), GP64())
	v := Load(Param("v"), GP64())
	g := Load(Param("grad"), GP64())
	n := Load(Param("blocks"), GP64())
	c := Load(Param("c"), GP64())
	var k [8]VecVirtual
	for i := range k {
		k[i] = YMM()
		VBROADCASTSS(Mem{Base: c, Disp: 4 * i}, k[i])
	}
	beta1, rest1, beta2, rest2, rate, root, eps, keep := k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7]

	grad, first, second, t := YMM(), YMM(), YMM(), YMM()
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Label("loop")
	VMOVUPS(Mem{Base: g}, grad)
	VMULPS(Mem{Base: m}, beta1, first) // m = β1·m + (1−β1)·g
	VMULPS(grad, rest1, t)
	VADDPS(t, first, first)
	VMOVUPS(first, Mem{Base: m})
	VMULPS(Mem{Base: v}, beta2, second) // v = β2·v + (1−β2)·g²
	VMULPS(grad, grad, t)
	VMULPS(t, rest2, t)
	VADDPS(t, second, second)
	VMOVUPS(second, Mem{Base: v})
	VSQRTPS(second, second) // w = w·keep − rate·m / (√v·root + ε)
	VMULPS(root, second, second)
	VADDPS(eps, second, second)
	VMULPS(rate, first, first)
	VDIVPS(second, first, first)
	VMULPS(Mem{Base: w}, keep, t)
	VSUBPS(first, t, t)
	VMOVUPS(t, Mem{Base: w})
	for _, p := range []Register{w, m, v, g} {
		ADDQ(Imm(32), p)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
