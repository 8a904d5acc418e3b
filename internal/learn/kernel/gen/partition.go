package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// partition emits the assembly function partitionBlocks. The table values of eight rows, 0 or 1
// each, are packed into a byte, with the value of the first row in the highest bit. The byte is the
// index of a permutation that moves the rows of one side to the front.
func partition() {
	TEXT("partitionBlocks", NOSPLIT, "func(rows, rest *int32, data, table *uint8, order *[256]uint64, blocks uintptr) uintptr")
	Doc("partitionBlocks computes Partition for 8·blocks rows; it returns the number of rows kept.")
	Pragma("noescape")
	rows := Load(Param("rows"), GP64())
	rest := Load(Param("rest"), GP64())
	data := Load(Param("data"), GP64())
	table := Load(Param("table"), GP64())
	order := Load(Param("order"), GP64())
	n := Load(Param("blocks"), GP64())
	keep, side, bin := GP64(), GP64(), GP64()
	MOVQ(rows, keep)
	eight, to := YMM(), YMM()
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Label("loop")
	for i := range 8 {
		MOVLQSX(Mem{Base: rows, Disp: 4 * i}, bin)
		MOVBLZX(Mem{Base: data, Index: bin, Scale: 1}, bin.As32())
		if i == 0 {
			MOVBLZX(Mem{Base: table, Index: bin, Scale: 1}, side.As32())
			continue
		}
		MOVBLZX(Mem{Base: table, Index: bin, Scale: 1}, bin.As32())
		LEAL(Mem{Base: bin, Index: side, Scale: 2}, side.As32())
	}
	VMOVDQU(Mem{Base: rows}, eight)
	VPMOVZXBD(Mem{Base: order, Index: side, Scale: 8}, to)
	VPERMD(eight, to, to)
	VMOVDQU(to, Mem{Base: keep})
	POPCNTL(side.As32(), bin.As32())
	LEAQ(Mem{Base: keep, Index: bin, Scale: 4}, keep)
	XORL(Imm(255), side.As32())
	VPMOVZXBD(Mem{Base: order, Index: side, Scale: 8}, to)
	VPERMD(eight, to, to)
	VMOVDQU(to, Mem{Base: rest})
	POPCNTL(side.As32(), bin.As32())
	LEAQ(Mem{Base: rest, Index: bin, Scale: 4}, rest)
	ADDQ(Imm(32), rows)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	first := Load(Param("rows"), GP64())
	SUBQ(first, keep)
	SHRQ(Imm(2), keep)
	Store(keep, ReturnIndex(0))
	RET()
}
