package kernel

import "math"

// expSteps is the number of elements of expTable, a power of two.
const expSteps = 64

// expTable holds the float32 bits of 2^(i/expSteps).
var expTable = func() (bits [expSteps]uint32) {
	for i := range bits {
		bits[i] = math.Float32bits(float32(math.Exp2(float64(i) / expSteps)))
	}
	return bits
}()

// Exp returns e^x to about float32 precision for x between -87 and 87. It returns 0 for
// smaller x and e^87 for larger x. It computes 2^(n/expSteps) · e^r, where n is an
// integer and |r| is at most half of ln 2/expSteps. The first factor is read from a table, and the
// second is approximated by its Taylor polynomial of degree 2 (Tang, Table-driven implementation of
// the exponential function, 1989).
//
// Here and in the other sums of this file, products are converted explicitly. This
// prevents the compiler from fusing a multiplication and an addition on arm64, which would
// change the last bits.
func Exp(x float32) float32 {
	if x < -87 {
		return 0
	}
	if x > 87 {
		x = 87
	}
	const (
		perStep = expSteps / math.Ln2
		// high + low is ln 2 / expSteps. high has so few bits that its multiples are
		// exact.
		high = 0.693359375 / expSteps
		low  = -2.12194440e-4 / expSteps
		// bias makes the number positive. The conversion truncates, so with the added 0.5
		// it rounds to the nearest integer.
		bias = 1 << 14
	)
	n := int32(float32(x*perStep)+(bias+0.5)) - bias
	r := x - float32(float32(n)*high) - float32(float32(n)*low)
	power := math.Float32frombits(expTable[n&(expSteps-1)] + uint32(n>>6)<<23)
	return power + float32(power*(r+float32(r*r*0.5)))
}

// block is the number of elements that the assembly processes at once. For fewer elements, calling
// the assembly takes longer than a loop in Go.
const block = 8

// ExpClipped sets dst[i] to Exp(min(x[i] − shift, most)), or to 0 if x[i] − shift is NaN or less
// than the parameter least. The parameter least must not be below -87, and the parameter most must
// not be above 87. dst and x must not overlap.
func ExpClipped(dst, x []float32, shift, least, most float32) {
	checkLen("ExpClipped", len(x), len(dst))
	x = x[:len(dst)]
	done := 0
	if len(dst) >= block {
		done = expClippedVector(dst, x, shift, least, most)
	}
	for i := done; i < len(dst); i++ {
		e := float32(0)
		if d := x[i] - shift; d >= least {
			if d > most {
				d = most
			}
			e = Exp(d)
		}
		dst[i] = e
	}
}

// Max replaces each element of dst by the element of x if that is larger.
func Max(dst, x []float32) {
	checkLen("Max", len(x), len(dst))
	x = x[:len(dst)]
	for i := maxVector(dst, x); i < len(dst); i++ {
		if x[i] > dst[i] {
			dst[i] = x[i]
		}
	}
}

// AddExp adds Exp(scores[i] − maxScores[i]) to sums[i], unless the difference is less than the
// parameter least. No difference must exceed 87, and least must not be less than -87.
func AddExp(sums, scores, maxScores []float32, least float32) {
	checkLen("AddExp", len(scores), len(sums))
	checkLen("AddExp", len(maxScores), len(sums))
	scores, maxScores = scores[:len(sums)], maxScores[:len(sums)]
	for i := addExpVector(sums, scores, maxScores, least); i < len(sums); i++ {
		if d := scores[i] - maxScores[i]; d >= least {
			sums[i] += Exp(d)
		}
	}
}

// SoftmaxGradients computes the gradient g and the hessian h of the log loss with respect to the
// score s of one class, for each row. y is 1 if the label is target, and otherwise 0. The
// probability p counts as 0 if s − maxScore is less than the parameter least, which must not be
// less than -87. If s − maxScore exceeds 87, the result is arbitrary. dst[i] holds the float32 bits
// of g in its high half and the float32 bits of h in its low half.
//
//	p = exp(s − maxScore)·normalizer    g = p − y    h = p(1 − p)
func SoftmaxGradients(dst []uint64, scores, maxScores, normalizers []float32, labels []int32, target int32, least float32) {
	checkLen("SoftmaxGradients", len(scores), len(dst))
	checkLen("SoftmaxGradients", len(maxScores), len(dst))
	checkLen("SoftmaxGradients", len(normalizers), len(dst))
	checkLen("SoftmaxGradients", len(labels), len(dst))
	done := softmaxGradientsVector(dst, scores, maxScores, normalizers, labels, target, least)
	for i := done; i < len(dst); i++ {
		e := float32(0)
		if d := scores[i] - maxScores[i]; d >= least {
			e = Exp(d)
		}
		g := float32(e * normalizers[i])
		h := float32(g * (1 - g))
		if labels[i] == target {
			g--
		}
		dst[i] = uint64(math.Float32bits(g))<<32 | uint64(math.Float32bits(h))
	}
}

// AddDerivatives adds the derivatives of the log loss of one row, without the term of its
// label, to g and h, which have one element for each class. The probabilities p are
// scale·odds.
//
//	g ← g + p    h ← h + p − p²
func AddDerivatives(g, h, odds []float32, scale float32) {
	checkLen("AddDerivatives", len(h), len(g))
	checkLen("AddDerivatives", len(odds), len(g))
	h, odds = h[:len(g)], odds[:len(g)]
	k := 0
	if len(g) >= block {
		k = addDerivativesVector(g, h, odds, scale)
	}
	for ; k < len(g); k++ {
		p := float32(odds[k] * scale)
		g[k] += p
		h[k] += p - float32(p*p)
	}
}
