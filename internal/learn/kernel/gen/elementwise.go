package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// blockLoop emits a loop over blocks of eight floats. body receives the registers that
// hold the named pointers, which advance by 32 bytes after each block.
func blockLoop(body func(p []Register), pointers ...string) {
	p := make([]Register, len(pointers))
	for i, name := range pointers {
		p[i] = Load(Param(name), GP64())
	}
	n := Load(Param("blocks"), GP64())
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Label("loop")
	body(p)
	for _, r := range p {
		ADDQ(Imm(32), r)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// broadcastParam loads the named parameter, of four bytes, into every lane of
// dst.
func broadcastParam(name string, dst VecVirtual) {
	at, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(at.Addr, dst)
}

// relu emits the assembly function reluBlocks.
func relu() {
	TEXT("reluBlocks", NOSPLIT, "func(x *float32, blocks uintptr)")
	Doc("reluBlocks computes ReLU for 8·blocks elements.")
	Pragma("noescape")
	v, sign := YMM(), YMM()
	blockLoop(func(p []Register) {
		VMOVUPS(Mem{Base: p[0]}, v)
		VPSRAD(Imm(31), v, sign)
		VPANDN(v, sign, v)
		VMOVUPS(v, Mem{Base: p[0]})
	}, "x")
}

// reluBackward emits the assembly function reluBackwardBlocks.
func reluBackward() {
	TEXT("reluBackwardBlocks", NOSPLIT, "func(grad, act *float32, blocks uintptr, scale float32)")
	Doc("reluBackwardBlocks computes ReLUBackward for 8·blocks elements.")
	Pragma("noescape")
	v, on, zero, scale := YMM(), YMM(), YMM(), YMM()
	broadcastParam("scale", scale)
	VXORPS(zero, zero, zero)
	blockLoop(func(p []Register) {
		VMOVUPS(Mem{Base: p[1]}, on)
		VPSUBD(on, zero, on) // negative unless the activation is +0
		VPSRAD(Imm(31), on, on)
		VANDPS(Mem{Base: p[0]}, on, v)
		VMULPS(scale, v, v)
		VMOVUPS(v, Mem{Base: p[0]})
	}, "grad", "act")
}

// dropout emits the assembly function dropoutBlocks. Each of the eight bytes of a random number
// decides whether one of eight elements is dropped.
func dropout() {
	TEXT("dropoutBlocks", NOSPLIT, "func(x *float32, blocks uintptr, threshold int32, scale float32, state uint64)")
	Doc("dropoutBlocks computes Dropout for 8·blocks elements.")
	Pragma("noescape")
	v, off, least, scale, bits := YMM(), YMM(), YMM(), YMM(), XMM()
	broadcastParam("scale", scale)
	broadcastParam("threshold", least)
	state := Load(Param("state"), GP64())
	gamma, first, second := GP64(), GP64(), GP64()
	MOVQ(U64(0x9e3779b97f4a7c15), gamma)
	MOVQ(U64(0xbf58476d1ce4e5b9), first)
	MOVQ(U64(0x94d049bb133111eb), second)
	z, t := GP64(), GP64()
	shifted := func(by uint64) {
		MOVQ(z, t)
		SHRQ(Imm(by), t)
		XORQ(t, z)
	}
	blockLoop(func(p []Register) {
		ADDQ(gamma, state)
		MOVQ(state, z)
		shifted(30)
		IMULQ(first, z)
		shifted(27)
		IMULQ(second, z)
		shifted(31)
		VMOVQ(z, bits) // MOVQ would wait for the upper half of the register
		VPMOVZXBD(bits, off)
		VPCMPGTD(off, least, off) // the threshold is greater: drop
		VMULPS(Mem{Base: p[0]}, scale, v)
		VANDNPS(v, off, v)
		VMOVUPS(v, Mem{Base: p[0]})
	}, "x")
}

// axpy emits the assembly function axpyBlocks. Multiplications and additions are not fused, as in
// the portable version.
func axpy() {
	TEXT("axpyBlocks", NOSPLIT, "func(dst, x *float32, blocks uintptr, alpha float32)")
	Doc("axpyBlocks computes Axpy for 8·blocks elements.")
	Pragma("noescape")
	v, alpha := YMM(), YMM()
	broadcastParam("alpha", alpha)
	blockLoop(func(p []Register) {
		VMULPS(Mem{Base: p[1]}, alpha, v)
		VADDPS(Mem{Base: p[0]}, v, v)
		VMOVUPS(v, Mem{Base: p[0]})
	}, "dst", "x")
}

// lerp emits the assembly function lerpBlocks.
func lerp() {
	TEXT("lerpBlocks", NOSPLIT, "func(dst, x *float32, blocks uintptr, t float32)")
	Doc("lerpBlocks computes Lerp for 8·blocks elements.")
	Pragma("noescape")
	v, d, t := YMM(), YMM(), YMM()
	broadcastParam("t", t)
	blockLoop(func(p []Register) {
		VMOVUPS(Mem{Base: p[0]}, d)
		VMOVUPS(Mem{Base: p[1]}, v)
		VSUBPS(d, v, v)
		VMULPS(t, v, v)
		VADDPS(v, d, d)
		VMOVUPS(d, Mem{Base: p[0]})
	}, "dst", "x")
}

// scaleShift emits the assembly function scaleShiftBlocks.
func scaleShift() {
	TEXT("scaleShiftBlocks", NOSPLIT, "func(dst, a, scale, bias *float32, blocks uintptr)")
	Doc("scaleShiftBlocks computes ScaleShift for 8·blocks elements of one row.")
	Pragma("noescape")
	v := YMM()
	blockLoop(func(p []Register) {
		VMOVUPS(Mem{Base: p[1]}, v)
		VMULPS(Mem{Base: p[2]}, v, v)
		VADDPS(Mem{Base: p[3]}, v, v)
		VMOVUPS(v, Mem{Base: p[0]})
	}, "dst", "a", "scale", "bias")
}

// scaleShiftBackward emits the assembly function scaleShiftBackwardBlocks.
func scaleShiftBackward() {
	TEXT("scaleShiftBackwardBlocks", NOSPLIT, "func(dst, dscale, grad, a, scale *float32, blocks uintptr)")
	Doc("scaleShiftBackwardBlocks computes ScaleShiftBackward for 8·blocks elements of one row.")
	Pragma("noescape")
	g, v := YMM(), YMM()
	blockLoop(func(p []Register) {
		VMOVUPS(Mem{Base: p[2]}, g)
		VMULPS(Mem{Base: p[4]}, g, v)
		VADDPS(Mem{Base: p[0]}, v, v)
		VMOVUPS(v, Mem{Base: p[0]})
		VMULPS(Mem{Base: p[3]}, g, v)
		VADDPS(Mem{Base: p[1]}, v, v)
		VMOVUPS(v, Mem{Base: p[1]})
	}, "dst", "dscale", "grad", "a", "scale")
}
