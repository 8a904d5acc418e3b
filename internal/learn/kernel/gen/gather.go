package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// prefetchDistance is the distance, in rows, from the current row to the row that is
// prefetched.
const prefetchDistance = 32

// rowLoop emits two loops over rows. In each of its iterations, the first loop also prefetches the
// row that is prefetchDistance rows after the current row. Its number of iterations is the assembly
// function's parameter ahead. The second loop processes the remaining rows without prefetching.
// body receives two registers: i holds the index of the current row, and at holds the offset of
// this row in bytes.
func rowLoop(src Register, body func(i, at Register)) {
	width := Load(Param("width"), GP64())
	list := Load(Param("rows"), GP64())
	ahead := Load(Param("ahead"), GP64())
	n := Load(Param("n"), GP64())
	i, at := GP64(), GP64()
	XORQ(i, i)
	CMPQ(i, ahead)
	JGE(LabelRef("rest"))
	Label("loop")
	MOVLQSX(Mem{Base: list, Index: i, Scale: 4, Disp: 4 * prefetchDistance}, at)
	IMULQ(width, at)
	PREFETCHT0(Mem{Base: src, Index: at, Scale: 1})
	MOVLQSX(Mem{Base: list, Index: i, Scale: 4}, at)
	IMULQ(width, at)
	body(i, at)
	INCQ(i)
	CMPQ(i, ahead)
	JLT(LabelRef("loop"))
	Label("rest")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	Label("last")
	MOVLQSX(Mem{Base: list, Index: i, Scale: 4}, at)
	IMULQ(width, at)
	body(i, at)
	INCQ(i)
	CMPQ(i, n)
	JLT(LabelRef("last"))
	Label("done")
	RET()
}

// gather emits the assembly function gatherRows.
func gather() {
	TEXT("gatherRows", NOSPLIT, "func(dst, src *uint64, width uintptr, rows *int32, ahead, n uintptr)")
	Doc("gatherRows computes Gather for n rows; width is in bytes. At each of the first ahead rows, gatherRows also prefetches the row that is prefetchDistance rows later.")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	word := GP64()
	rowLoop(src, func(i, at Register) {
		MOVQ(Mem{Base: src, Index: at, Scale: 1}, word)
		MOVQ(word, Mem{Base: dst, Index: i, Scale: 8})
	})
}

// gather4 emits the assembly function gather4Rows.
func gather4() {
	TEXT("gather4Rows", NOSPLIT, "func(dst *uint64, stride uintptr, src *uint64, width uintptr, rows *int32, ahead, n uintptr)")
	Doc("gather4Rows computes Gather4Columns for n rows; stride and width are in bytes. ahead has the same meaning as in gatherRows.")
	Pragma("noescape")
	first := Load(Param("dst"), GP64())
	stride := Load(Param("stride"), GP64())
	src := Load(Param("src"), GP64())
	third, odd, word := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: first, Index: stride, Scale: 2}, third)
	rowLoop(src, func(i, at Register) {
		for lane, base := range []Register{first, first, third, third} {
			to := base
			if lane%2 == 1 {
				LEAQ(Mem{Base: base, Index: stride, Scale: 1}, odd)
				to = odd
			}
			MOVQ(Mem{Base: src, Index: at, Scale: 1, Disp: 8 * lane}, word)
			MOVQ(word, Mem{Base: to, Index: i, Scale: 8})
		}
	})
}
