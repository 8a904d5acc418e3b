package kernel

import (
	"math"

	"foretell/internal/learn/rng"
)

// ReLU replaces every element of x by max(0, x). A NaN whose sign bit is 0 stays NaN; a NaN whose
// sign bit is 1 becomes 0.
//
// The code has no branch, because the processor could not predict the sign of an
// activation. Instead, an arithmetic shift of the sign bit yields a mask.
func ReLU(x []float32) {
	x = x[reluVector(x):]
	for i, v := range x {
		b := math.Float32bits(v)
		x[i] = math.Float32frombits(b &^ uint32(int32(b)>>31))
	}
}

// ReLUBackward is the backward pass of ReLU. act is ReLU's output, and grad is the gradient
// of this output. ReLUBackward replaces grad by the gradient of ReLU's input: 0 where act
// is 0, and scale·grad elsewhere. If act is the output of Dropout with probability p, applied after
// ReLU, and scale is 1/(1−p), this is the backward pass of ReLU and Dropout together.
func ReLUBackward(grad, act []float32, scale float32) {
	checkLen("ReLUBackward", len(act), len(grad))
	done := reluBackwardVector(grad, act, scale)
	grad = grad[done:]
	act = act[done : done+len(grad)]
	for i, g := range grad {
		on := uint32(-int32(math.Float32bits(act[i])) >> 31) // all ones, or 0 if act[i] is +0
		grad[i] = math.Float32frombits(math.Float32bits(g)&on) * scale
	}
}

// Dropout sets each element of x to 0 with probability drop/256 and scales all other elements, so
// that the expected value stays the same (Srivastava et al. 2014). Which elements become 0 depends
// only on state, drop and len(x).
func Dropout(x []float32, drop uint8, state uint64) {
	if drop == 0 {
		return
	}
	scale := 256 / (256 - float32(drop))
	threshold := int32(drop)
	done := dropoutVector(x, threshold, scale, state)
	state += uint64(done/8) * rng.Gamma
	x = x[done:]
	for ; len(x) > 0; x = x[min(8, len(x)):] {
		bits := rng.SplitMix64(&state)
		for i := range x[:min(8, len(x))] {
			off := uint32((int32(bits&0xff) - threshold) >> 31)
			x[i] = math.Float32frombits(math.Float32bits(x[i])&^off) * scale
			bits >>= 8
		}
	}
}
