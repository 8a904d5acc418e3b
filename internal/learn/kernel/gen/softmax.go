package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tableExp emits code that replaces each of the eight floats x by Exp(x). If x is not between −87
// and 87, the result is arbitrary, and callers must not use it. table holds the address of
// expTable. The operations and their order are the same as in the portable version.
func tableExp(x VecVirtual, table Register) {
	const steps, bias = 64, 1 << 14
	f, p, n, power, all := YMM(), YMM(), YMM(), YMM(), YMM()
	VMULPS(eightOf(steps/math.Ln2), x, f)
	VADDPS(eightOf(bias+0.5), f, f)
	VCVTTPS2DQ(f, n)
	VPSUBD(eightWords(bias), n, n)
	VCVTDQ2PS(n, f)
	VMULPS(eightOf(0.693359375/steps), f, p)
	VSUBPS(p, x, x)
	VMULPS(eightOf(-2.12194440e-4/steps), f, p)
	VSUBPS(p, x, x) // r
	VPAND(eightWords(steps-1), n, f)
	VPCMPEQD(all, all, all)
	VPXOR(power, power, power) // the gather does not wait for its previous value
	VPGATHERDD(all, Mem{Base: table, Index: f, Scale: 4}, power)
	VPSRAD(Imm(6), n, n)
	VPSLLD(Imm(23), n, n)
	VPADDD(n, power, power)
	VMULPS(x, x, p)
	VMULPS(eightOf(0.5), p, p)
	VADDPS(p, x, p)
	VMULPS(power, p, p)
	VADDPS(p, power, x)
}

// expFrom emits code that replaces each of the eight floats x by Exp(x), or by 0 if x is NaN or
// below the parameter least. table holds the address of expTable.
func expFrom(x, least VecVirtual, table Register) {
	on := YMM()
	VCMPPS(Imm(29), least, x, on) // x ≥ least: false for NaN
	tableExp(x, table)
	VANDPS(on, x, x)
}

// expClipped emits the assembly function expClippedBlocks.
func expClipped() {
	TEXT("expClippedBlocks", NOSPLIT, "func(dst, x *float32, table *[64]uint32, blocks uintptr, shift, least, most float32)")
	Doc("expClippedBlocks computes ExpClipped for 8·blocks elements.")
	Pragma("noescape")
	table := Load(Param("table"), GP64())
	shift, least, most := YMM(), YMM(), YMM()
	broadcastParam("shift", shift)
	broadcastParam("least", least)
	broadcastParam("most", most)
	v, on := YMM(), YMM()
	blockLoop(func(p []Register) {
		VMOVUPS(Mem{Base: p[1]}, v)
		VSUBPS(shift, v, v)
		VCMPPS(Imm(29), least, v, on) // v ≥ least: false for NaN
		VMINPS(most, v, v)
		tableExp(v, table)
		VANDPS(on, v, v)
		VMOVUPS(v, Mem{Base: p[0]})
	}, "dst", "x")
}

// addExp emits the assembly function addExpBlocks.
func addExp() {
	TEXT("addExpBlocks", NOSPLIT, "func(sums, scores, maxScores *float32, table *[64]uint32, blocks uintptr, least float32)")
	Doc("addExpBlocks computes AddExp for 8·blocks elements.")
	Pragma("noescape")
	table := Load(Param("table"), GP64())
	least := YMM()
	broadcastParam("least", least)
	v := YMM()
	blockLoop(func(p []Register) {
		VMOVUPS(Mem{Base: p[1]}, v)
		VSUBPS(Mem{Base: p[2]}, v, v)
		expFrom(v, least, table)
		VADDPS(Mem{Base: p[0]}, v, v)
		VMOVUPS(v, Mem{Base: p[0]})
	}, "sums", "scores", "maxScores")
}

// maxima emits the assembly function maxBlocks.
func maxima() {
	TEXT("maxBlocks", NOSPLIT, "func(dst, x *float32, blocks uintptr)")
	Doc("maxBlocks computes Max for 8·blocks elements.")
	Pragma("noescape")
	v := YMM()
	blockLoop(func(p []Register) {
		VMOVUPS(Mem{Base: p[1]}, v)
		VMAXPS(Mem{Base: p[0]}, v, v) // x if x > dst, and otherwise dst
		VMOVUPS(v, Mem{Base: p[0]})
	}, "dst", "x")
}

// softmaxGradients emits the assembly function softmaxGradientsBlocks.
func softmaxGradients() {
	TEXT("softmaxGradientsBlocks", NOSPLIT, "func(dst *uint64, scores, maxScores, normalizers *float32, labels *int32, table *[64]uint32, blocks uintptr, target int32, least float32)")
	Doc("softmaxGradientsBlocks computes SoftmaxGradients for 8·blocks rows.")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	table := Load(Param("table"), GP64())
	target, least := YMM(), YMM()
	broadcastParam("target", target)
	broadcastParam("least", least)
	g, h, on, low := YMM(), YMM(), YMM(), YMM()
	blockLoop(func(p []Register) {
		VMOVUPS(Mem{Base: p[0]}, g)
		VSUBPS(Mem{Base: p[1]}, g, g)
		expFrom(g, least, table)
		VMULPS(Mem{Base: p[2]}, g, g)
		VMOVUPS(eightOf(1), h)
		VSUBPS(g, h, h)
		VMULPS(g, h, h)
		VPCMPEQD(Mem{Base: p[3]}, target, on)
		VANDPS(eightOf(1), on, on)
		VSUBPS(on, g, g)
		storeGradHess(g, h, low, dst)
		ADDQ(Imm(64), dst)
	}, "scores", "maxScores", "normalizers", "labels")
}

// storeGradHess emits code that stores eight gradients g and hessians h at dst, each pair
// with the gradient in the high half of a word. It overwrites g, h and the scratch register t.
func storeGradHess(g, h, t VecVirtual, dst Register) {
	VPUNPCKLDQ(g, h, t)
	VPUNPCKHDQ(g, h, h)
	VPERM2I128(Imm(0x20), h, t, g)
	VMOVUPS(g, Mem{Base: dst})
	VPERM2I128(Imm(0x31), h, t, g)
	VMOVUPS(g, Mem{Base: dst, Disp: 32})
}

// addDerivatives emits the assembly function addDerivativesBlocks.
func addDerivatives() {
	TEXT("addDerivativesBlocks", NOSPLIT, "func(gradients, hessians, odds *float32, blocks uintptr, scale float32)")
	Doc("addDerivativesBlocks computes AddDerivatives for 8·blocks elements.")
	Pragma("noescape")
	scale, v, square := YMM(), YMM(), YMM()
	broadcastParam("scale", scale)
	blockLoop(func(p []Register) {
		VMULPS(Mem{Base: p[2]}, scale, v)
		VMULPS(v, v, square)
		VSUBPS(square, v, square)
		VADDPS(Mem{Base: p[0]}, v, v)
		VMOVUPS(v, Mem{Base: p[0]})
		VADDPS(Mem{Base: p[1]}, square, square)
		VMOVUPS(square, Mem{Base: p[1]})
	}, "gradients", "hessians", "odds")
}
