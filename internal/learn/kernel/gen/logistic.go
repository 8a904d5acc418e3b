package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// eightOf returns the address of a constant that consists of eight floats x.
func eightOf(x float32) Mem {
	name := "eight" + hex(math.Float32bits(x))
	return constantOf(name, math.Float32bits(x))
}

// eightWords returns the address of a constant that consists of eight words x.
func eightWords(x uint32) Mem { return constantOf("eight"+hex(x), x) }

func hex(x uint32) string {
	const digits = "0123456789abcdef"
	name := make([]byte, 8)
	for i := range name {
		name[i] = digits[x>>(28-4*i)&15]
	}
	return string(name)
}

// constants holds the addresses of the constants emitted so far, by name.
var constants = map[string]Mem{}

// constantOf returns the address of the constant with the given name, which consists of eight equal
// words: each is x. The first call for a name emits the constant.
func constantOf(name string, x uint32) Mem {
	if at, ok := constants[name]; ok {
		return at
	}
	at := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(x))
	}
	constants[name] = at
	return at
}

// exp emits code that replaces each of the eight floats x by eˣ. The floats must be at most 0. The
// operations and their order are the same as in the portable version. NaN is replaced by 0, while
// the portable version returns NaN.
func exp(x VecVirtual) {
	f, p, n, on := YMM(), YMM(), YMM(), YMM()
	VCMPPS(Imm(30), eightOf(-87), x, on) // x > −87: false for NaN
	VMULPS(eightOf(math.Log2E), x, f)
	VSUBPS(eightOf(0.5), f, f)
	VCVTTPS2DQ(f, n)
	VCVTDQ2PS(n, f)
	VMULPS(eightOf(0x1.62ep-1), f, p)
	VSUBPS(p, x, x)
	VMULPS(eightOf(0x1.0bfbe8p-15), f, p)
	VSUBPS(p, x, x)
	VMULPS(eightOf(1./5040), x, p)
	VADDPS(eightOf(1./720), p, p)
	for _, c := range []float32{1. / 120, 1. / 24, 1. / 6, 1. / 2, 1, 1} {
		VMULPS(x, p, p)
		VADDPS(eightOf(c), p, p)
	}
	VPADDD(eightWords(127), n, n)
	VPSLLD(Imm(23), n, n)
	VMULPS(n, p, p)
	VANDPS(on, p, x)
}

// logistic emits the assembly function logisticBlocks.
func logistic() {
	TEXT("logisticBlocks", NOSPLIT, "func(dst *uint64, scores *float32, labels *int32, target int32, blocks uintptr)")
	Doc("logisticBlocks computes LogisticGradients for 8·blocks rows.")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	scores := Load(Param("scores"), GP64())
	labels := Load(Param("labels"), GP64())
	n := Load(Param("blocks"), GP64())
	target := YMM()
	broadcastParam("target", target)
	x, e, s, g, h, low := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Label("loop")
	VMOVUPS(Mem{Base: scores}, x)
	VORPS(eightWords(1<<31), x, e) // -|x|
	exp(e)
	VADDPS(eightOf(1), e, g)
	VMOVUPS(eightOf(1), s)
	VDIVPS(g, s, s)
	VMULPS(s, e, e)
	VBLENDVPS(x, e, s, s) // p
	VPCMPEQD(Mem{Base: labels}, target, g)
	VANDPS(eightOf(1), g, g)
	VMOVUPS(eightOf(1), h)
	VSUBPS(s, h, h)
	VMULPS(s, h, h)
	VSUBPS(g, s, g)
	storeGradHess(g, h, low, dst)
	ADDQ(Imm(64), dst)
	ADDQ(Imm(32), scores)
	ADDQ(Imm(32), labels)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
