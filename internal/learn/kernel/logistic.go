package kernel

import "math"

// LogisticGradients computes the gradient g and the hessian h of the logistic loss for each score
// s. y is 1 if the label is target, and otherwise 0. dst[i] holds the float32 bits of g in its high
// half and the float32 bits of h in its low half. For a score that is NaN, the result depends on
// the processor.
//
//	p = 1/(1 + e⁻ˢ)    g = p − y    h = p(1 − p)
func LogisticGradients(dst []uint64, scores []float32, labels []int32, target int32) {
	checkLen("LogisticGradients", len(scores), len(dst))
	checkLen("LogisticGradients", len(labels), len(dst))
	done := logisticVector(dst, scores, labels, target)
	scores, labels = scores[:len(dst)], labels[:len(dst)]
	for i := done; i < len(dst); i++ {
		x := scores[i]
		e := exp(-float32(math.Abs(float64(x))))
		p := 1 / (1 + e)
		if x < 0 {
			p = float32(e * p)
		}
		h := float32(p * (1 - p))
		if labels[i] == target {
			p--
		}
		dst[i] = uint64(math.Float32bits(p))<<32 | uint64(math.Float32bits(h))
	}
}
