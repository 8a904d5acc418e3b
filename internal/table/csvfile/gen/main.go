// Command gen writes the AVX2 kernels of package csvfile in Go assembly:
//
//	cd internal/table/csvfile/gen && go run . -out ../vector_amd64.s -stubs ../vector_stub_amd64.go -pkg csvfile
//
// It is a separate module, so that avo, the assembly generator, is not in the go.mod of foretell.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	emitFindSeparators()
	emitParseDecimals()
	Generate()
}

// repeatedWord returns 32 bytes of read-only memory that repeat one word.
func repeatedWord(name string, word uint64) Mem {
	at := GLOBL(name, RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(word))
	}
	return at
}

// emitFindSeparators emits findSeparatorsAVX2.
func emitFindSeparators() {
	TEXT("findSeparatorsAVX2", NOSPLIT, "func(ends *int32, text *byte, blocks uintptr) (count uintptr)")
	Doc("findSeparatorsAVX2 writes the offset after each comma, LF and CR of 64·blocks bytes of text to ends and returns their count. ends must have space for eight more offsets.")
	Pragma("noescape")
	ends := Load(Param("ends"), GP64())
	text := Load(Param("text"), GP64())
	blocks := Load(Param("blocks"), GP64())
	first, offset := GP64(), GP64()
	MOVQ(ends, first)
	MOVQ(U64(1), offset)
	comma, feed, back := YMM(), YMM(), YMM()
	VMOVDQU(repeatedWord("commas", 0x2C2C2C2C2C2C2C2C), comma)
	VMOVDQU(repeatedWord("feeds", 0x0A0A0A0A0A0A0A0A), feed)
	VMOVDQU(repeatedWord("returns", 0x0D0D0D0D0D0D0D0D), back)
	found, upper, count, at := GP64(), GP64(), GP64(), GP64()
	half := func(at int, found Register) {
		v, commas, feeds := YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: text, Disp: at}, v)
		VPCMPEQB(v, comma, commas)
		VPCMPEQB(v, feed, feeds)
		VPCMPEQB(v, back, v)
		VPOR(commas, feeds, feeds)
		VPOR(feeds, v, v)
		VPMOVMSKB(v, found.(GPVirtual).As32())
	}
	next := func(i int) {
		TZCNTQ(found, at)
		ADDQ(offset, at)
		MOVL(at.As32(), Mem{Base: ends, Disp: 4 * i})
		BLSRQ(found, found)
	}
	TESTQ(blocks, blocks)
	JZ(LabelRef("done"))
	Label("block")
	half(0, found)
	half(32, upper)
	SHLQ(Imm(32), upper)
	ORQ(upper, found)
	POPCNTQ(found, count)
	// Write the usual number of offsets without a branch, even if fewer separators were found. The
	// offsets of the next block overwrite the surplus.
	const usual = 8
	for i := range usual {
		next(i)
	}
	last := GP64()
	LEAQ(Mem{Base: ends, Index: count, Scale: 4}, last)
	TESTQ(found, found)
	JZ(LabelRef("advance"))
	ADDQ(Imm(4*usual), ends)
	Label("more")
	next(0)
	ADDQ(Imm(4), ends)
	TESTQ(found, found)
	JNZ(LabelRef("more"))
	Label("advance")
	MOVQ(last, ends)
	ADDQ(Imm(64), text)
	ADDQ(Imm(64), offset)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	Label("done")
	SUBQ(first, ends)
	SHRQ(Imm(2), ends)
	VZEROUPPER()
	Store(ends, ReturnIndex(0))
	RET()
}

// emitParseDecimals emits parseDecimalsAVX2: the lanes of a register are the cells of four rows.
func emitParseDecimals() {
	TEXT("parseDecimalsAVX2", NOSPLIT, "func(dst *int32, text *byte, begins *int32, stride uintptr, quads uintptr) bool")
	Doc("parseDecimalsAVX2 is parseDecimalsGo for 4·quads rows. stride is the distance in bytes between the elements of begins for consecutive rows.")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	text := Load(Param("text"), GP64())
	begins := Load(Param("begins"), GP64())
	stride := Load(Param("stride"), GP64())
	quads := Load(Param("quads"), GP64())
	thrice, result := GP64(), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, thrice)
	all, none, full := YMM(), YMM(), YMM()
	VPXOR(none, none, none)
	VPCMPEQB(full, full, full)
	VPCMPEQB(all, all, all)
	points, digits := YMM(), YMM()
	VMOVDQU(repeatedWord("points", 0x2E2E2E2E2E2E2E2E), points)
	VMOVDQU(repeatedWord("zeroes", 0x3030303030303030), digits)
	lowByte, minus := repeatedWord("lowBytes", 0xFF), repeatedWord("minuses", 0x2D)
	nine, eachByte, sixtyFour := repeatedWord("nines", 0x0909090909090909), repeatedWord("eachByte", 0x0101010101010101), repeatedWord("wordBits", 64)
	aboveSeven, tens := repeatedWord("aboveSeven", ^uint64(7)), repeatedWord("tensAndOnes", 0x010A010A010A010A)
	hundreds, myriads, other := repeatedWord("hundredsAndOnes", 0x0001006400010064), repeatedWord("myriads", 10_000), repeatedWord("others", 0x80000001)

	Label("quad")
	// Load the offset at which each of four cells begins and, from the upper 32 bits, the offset
	// at which the next cell begins.
	low, high, begin, size := XMM(), XMM(), YMM(), YMM()
	rows := []Mem{
		{Base: begins},
		{Base: begins, Index: stride, Scale: 1},
		{Base: begins, Index: stride, Scale: 2},
		{Base: begins, Index: thrice, Scale: 1},
	}
	VMOVQ(rows[0], low)
	VPINSRQ(Imm(1), rows[1], low, low)
	VMOVQ(rows[2], high)
	VPINSRQ(Imm(1), rows[3], high, high)
	VINSERTI128(Imm(1), high, low.AsY(), begin)
	VPSRLQ(Imm(32), begin, size)
	VPBLENDD(Imm(0xAA), none, begin, begin)
	VPSUBQ(begin, size, size)
	VPADDQ(full, size, size)
	// Load the first sixteen bytes of each cell. Each of word, second and third becomes eight of
	// these bytes, beginning with the first, the second and the third byte, respectively.
	var at [4]Mem
	for i, row := range rows {
		offset := GP64()
		MOVL(row, offset.As32())
		at[i] = Mem{Base: text, Index: offset, Scale: 1}
	}
	even, odd := XMM(), XMM()
	VMOVDQU(at[0], even)
	VMOVDQU(at[1], odd)
	evens, odds := even.AsY(), odd.AsY()
	VINSERTI128(Imm(1), at[2], evens, evens)
	VINSERTI128(Imm(1), at[3], odds, odds)
	word, second, third := YMM(), YMM(), YMM()
	VPUNPCKLQDQ(odds, evens, word)
	for _, next := range []VecVirtual{second, third} {
		VPSRLDQ(Imm(1), evens, evens)
		VPSRLDQ(Imm(1), odds, odds)
		VPUNPCKLQDQ(odds, evens, next)
	}
	negative := YMM()
	VPAND(lowByte, word, negative)
	VPCMPEQQ(minus, negative, negative)
	VPBLENDVB(negative, second, word, word)   // word begins with the first digit
	VPBLENDVB(negative, third, second, third) // third begins one byte later
	VPADDQ(negative, size, size)
	// before becomes a mask of the bytes before the point, or of all bytes if the cell has no
	// point.
	point, beyond, before, pointless := YMM(), YMM(), YMM(), YMM()
	VPSLLQ(Imm(3), size, beyond)
	VPSLLVQ(beyond, full, beyond)
	VPCMPEQB(points, word, point)
	VPANDN(point, beyond, point)
	VPCMPEQQ(none, point, pointless)
	VPSUBQ(point, none, before)
	VPAND(point, before, before)
	VPADDQ(full, before, before)
	// word becomes the digits without the point, with the last digit in the highest byte.
	count, shift := YMM(), YMM()
	VPADDQ(full, size, count)
	VPSUBQ(pointless, count, count)
	VPBLENDVB(before, word, third, word)
	VPXOR(digits, word, word)
	VPSLLQ(Imm(3), count, shift)
	VMOVDQU(sixtyFour, beyond)
	VPSUBQ(shift, beyond, shift)
	VPSLLVQ(shift, word, word)
	// all stays set if there are one to eight digits and nothing else.
	good, excess := YMM(), YMM()
	VPADDQ(full, count, excess)
	VPAND(aboveSeven, excess, excess)
	VPSUBUSB(nine, word, good)
	VPOR(excess, good, good)
	VPCMPEQQ(none, good, good)
	VPAND(good, all, all)
	// Compute the number from the digits, its sign, and the number of digits after the point.
	upper := YMM()
	VPMADDUBSW(tens, word, word)
	VPMADDWD(hundreds, word, word)
	VPMULUDQ(myriads, word, upper)
	VPSRLQ(Imm(32), word, word)
	VPADDQ(upper, word, word)
	VPXOR(negative, word, word)
	VPSUBQ(negative, word, word)
	VPSLLQ(Imm(4), word, word)
	VPAND(eachByte, before, before)
	VPSADBW(none, before, before)
	VPSUBQ(before, count, count)
	VPANDN(count, pointless, count)
	VPOR(count, word, word)
	VMOVDQU(other, upper)
	VPBLENDVB(good, word, upper, word)
	VPSHUFD(Imm(0x08), word, word)
	VPERMQ(Imm(0x08), word, word)
	VMOVDQU(word.AsX(), Mem{Base: dst})
	ADDQ(Imm(16), dst)
	LEAQ(Mem{Base: begins, Index: stride, Scale: 4}, begins)
	DECQ(quads)
	JNZ(LabelRef("quad"))

	VPMOVMSKB(all, result.As32())
	CMPL(result.As32(), I32(-1))
	good8 := GP8()
	SETEQ(good8)
	VZEROUPPER()
	Store(good8, ReturnIndex(0))
	RET()
}
