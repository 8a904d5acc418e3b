package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tile emits tile<rows>x16. The code holds rows × 16 outputs in registers, two registers for each
// row, and reads one panel of b. Each output is one chain of fused multiply-adds, which starts with
// the value in dst and runs over k in order. The result therefore does not depend on the number of
// rows of a tile.
//
//	     b:  [ y0 ][ y1 ]   one row of the panel
//	a0 ──▶   [acc0][acc1]
//	a1 ──▶   [acc2][acc3]   broadcast, then two FMAs a row
//	…
func tile(rows int) {
	TEXT(fmt.Sprintf("tile%dx16", rows), NOSPLIT, "func(dst *float32, ldd uintptr, a *float32, rs, cs uintptr, b *float32, k uintptr)")
	Doc(fmt.Sprintf("tile%dx16 adds a·b to a tile of dst with %d×16 elements. a is %d × k, b is a panel of k × 16. Strides in bytes: ldd from row to row of dst, rs from row to row of a, cs from column to column of a.", rows, rows, rows))
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	ldd := Load(Param("ldd"), GP64())
	upper := Load(Param("a"), GP64())
	rs := Load(Param("rs"), GP64())
	cs := Load(Param("cs"), GP64())
	b := Load(Param("b"), GP64())
	k := Load(Param("k"), GP64())

	lower := GP64() // the address of the fourth row, because x86 addresses cannot scale a stride by 3
	LEAQ(Mem{Base: upper, Index: rs, Scale: 2}, lower)
	ADDQ(rs, lower)
	row := func(i int) Mem {
		base := upper
		if i >= 3 {
			base, i = lower, i-3
		}
		if i == 0 {
			return Mem{Base: base}
		}
		return Mem{Base: base, Index: rs, Scale: uint8(i)}
	}

	acc := make([]VecVirtual, 2*rows)
	out := GP64()
	MOVQ(dst, out)
	for i := range rows {
		acc[2*i], acc[2*i+1] = YMM(), YMM()
		VMOVUPS(Mem{Base: out}, acc[2*i])
		VMOVUPS(Mem{Base: out, Disp: 32}, acc[2*i+1])
		ADDQ(ldd, out)
	}

	y0, y1, x := YMM(), YMM(), YMM()
	TESTQ(k, k)
	JZ(LabelRef("store"))
	Label("loop")
	VMOVUPS(Mem{Base: b}, y0)
	VMOVUPS(Mem{Base: b, Disp: 32}, y1)
	for i := range rows {
		VBROADCASTSS(row(i), x)
		VFMADD231PS(y0, x, acc[2*i])
		VFMADD231PS(y1, x, acc[2*i+1])
	}
	ADDQ(cs, upper)
	ADDQ(cs, lower)
	ADDQ(Imm(64), b)
	DECQ(k)
	JNZ(LabelRef("loop"))

	Label("store")
	for i := range rows {
		VMOVUPS(acc[2*i], Mem{Base: dst})
		VMOVUPS(acc[2*i+1], Mem{Base: dst, Disp: 32})
		ADDQ(ldd, dst)
	}
	VZEROUPPER()
	RET()
}

// tile12 emits tile12x16 for AVX-512. The code holds a row in one register, and each
// multiply-add broadcasts the element of a that it uses. The multiply-adds have the same
// order as in tile, so that both compute the same bits.
func tile12() {
	const rows = 12
	TEXT("tile12x16", NOSPLIT, "func(dst *float32, ldd uintptr, a *float32, rs, cs uintptr, b *float32, k uintptr)")
	Doc("tile12x16 does the same as tile6x16 for a tile with 12×16 elements. It needs AVX-512.")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	ldd := Load(Param("ldd"), GP64())
	rs := Load(Param("rs"), GP64())
	cs := Load(Param("cs"), GP64())
	b := Load(Param("b"), GP64())
	k := Load(Param("k"), GP64())

	var base [rows / 3]Register // rows 0, 3, 6 and 9
	base[0] = Load(Param("a"), GP64())
	for i := 1; i < len(base); i++ {
		base[i] = GP64()
		LEAQ(Mem{Base: base[i-1], Index: rs, Scale: 2}, base[i])
		ADDQ(rs, base[i])
	}
	row := func(i int) Mem {
		if i%3 == 0 {
			return Mem{Base: base[i/3]}
		}
		return Mem{Base: base[i/3], Index: rs, Scale: uint8(i % 3)}
	}

	acc := make([]VecVirtual, rows)
	out := GP64()
	MOVQ(dst, out)
	for i := range acc {
		acc[i] = ZMM()
		VMOVUPS(Mem{Base: out}, acc[i])
		ADDQ(ldd, out)
	}
	y := ZMM()
	TESTQ(k, k)
	JZ(LabelRef("store"))
	Label("loop")
	VMOVUPS(Mem{Base: b}, y)
	for i := range acc {
		VFMADD231PS_BCST(row(i), y, acc[i])
	}
	for _, p := range base {
		ADDQ(cs, p)
	}
	ADDQ(Imm(64), b)
	DECQ(k)
	JNZ(LabelRef("loop"))

	Label("store")
	for i := range acc {
		VMOVUPS(acc[i], Mem{Base: dst})
		ADDQ(ldd, dst)
	}
	VZEROUPPER()
	RET()
}
