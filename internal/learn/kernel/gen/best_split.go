package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// bestSplit emits the assembly function bestSplitBlocks, which scores eight splits at a time. Each
// lane of a vector register keeps its own best split. The caller chooses the best of the eight.
func bestSplit() {
	TEXT("bestSplitBlocks", NOSPLIT, "func(cells *int64, sum int64, blocks uintptr, s, best *float64) (end int64, found uint64)")
	Doc("bestSplitBlocks computes BestSplit for 8·blocks cells. s points to GainParams, and best to laneSplits. sum is the sum of the left side before these cells, and the result end is this sum after them. found is 0 if no split exceeds the score s.Best.")
	Pragma("noescape")
	cells := Load(Param("cells"), GP64())
	n := Load(Param("blocks"), GP64())
	params := Load(Param("s"), GP64())
	var k [6]VecVirtual // in the order of the fields of GainParams
	for i := range k {
		k[i] = ZMM()
		VBROADCASTSD(Mem{Base: params, Disp: 8 * i}, k[i])
	}
	gradient, hessian, l2, least, most, top := k[0], k[1], k[2], k[3], k[4], k[5]
	sum, last, half, zero := ZMM(), ZMM(), ZMM(), ZMM()
	at, err := Param("sum").Resolve()
	if err != nil {
		panic(err)
	}
	VPBROADCASTQ(at.Addr, sum)
	VPXORQ(zero, zero, zero)
	VPTERNLOGQ(Imm(255), half, half, half)
	VPSRLQ(Imm(32), half, half)
	t := GP64()
	MOVQ(U64(7), t)
	VPBROADCASTQ(t, last)

	block, where, left, one := ZMM(), ZMM(), ZMM(), ZMM()
	MOVQ(U64(1), t)
	VPBROADCASTQ(t, one)
	VPXORQ(block, block, block)
	VPXORQ(where, where, where)
	VPXORQ(left, left, left)
	any := K()
	KXORW(any, any, any)

	c, s, gl, hl, gr, hr := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	in, better := K(), K()
	Label("loop")
	VMOVDQU64(Mem{Base: cells}, c)
	for _, by := range []uint64{7, 6, 4} {
		VALIGNQ(Imm(by), zero, c, s)
		VPADDQ(s, c, c)
	}
	VPADDQ(sum, c, c)
	VPERMQ(c, last, sum)
	VPANDQ(half, c, hl)
	VCVTQQ2PD(hl, hl)
	VPSRAQ(Imm(32), c, gl)
	VCVTQQ2PD(gl, gl)
	VCMPPD(Imm(29), least, hl, in)    // hl ≥ least
	VCMPPD(Imm(18), most, hl, in, in) // and hl ≤ most
	VSUBPD(gl, gradient, gr)
	VSUBPD(hl, hessian, hr)
	VADDPD(l2, hr, hr)
	VADDPD(l2, hl, hl)
	VMULPD(gl, gl, gl)
	VMULPD(hr, gl, gl)
	VMULPD(gr, gr, gr)
	VMULPD(hl, gr, gr)
	VADDPD(gr, gl, gl)
	VMULPD(hr, hl, hl)
	VDIVPD(hl, gl, gl)
	VCMPPD(Imm(30), top, gl, in, better) // score > top
	VMOVAPD(gl, better, top)
	VMOVDQA64(c, better, left)
	VMOVDQA64(block, better, where)
	KORW(better, any, any)
	VPADDQ(one, block, block)
	ADDQ(Imm(64), cells)
	DECQ(n)
	JNZ(LabelRef("loop"))

	best := Load(Param("best"), GP64())
	VMOVUPD(top, Mem{Base: best})
	VMOVDQU64(left, Mem{Base: best, Disp: 64})
	VMOVDQU64(where, Mem{Base: best, Disp: 128})
	VMOVQ(sum.AsX(), t)
	Store(t, Return("end"))
	KMOVW(any, t.As32())
	Store(t, Return("found"))
	VZEROUPPER()
	RET()
}
