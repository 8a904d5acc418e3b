package kernel

import "math"

// Rectify replaces every element of x by max(0, x), NaN by itself.
//
// Signs of activations are coin tosses to a branch predictor, hence the bit
// arithmetic: an arithmetic shift spreads the sign over a mask.
func Rectify(x []float32) {
	x = x[rectifyVector(x):]
	for i, v := range x {
		b := math.Float32bits(v)
		x[i] = math.Float32frombits(b &^ uint32(int32(b)>>31))
	}
}

// RectifyBack writes the gradient before Rectify to grad, which holds the one
// behind it: nothing where the activation act is zero, scale times the
// gradient elsewhere. It serves Drop too, with scale = 1/(1−p): a dropped
// activation is a zero one.
func RectifyBack(grad, act []float32, scale float32) {
	check("RectifyBack", len(act), len(grad))
	done := rectifyBackVector(grad, act, scale)
	grad = grad[done:]
	act = act[done : done+len(grad)]
	for i, g := range grad {
		on := uint32(-int32(math.Float32bits(act[i])) >> 31) // act ≥ 0: all ones unless it is +0
		grad[i] = math.Float32frombits(math.Float32bits(g)&on) * scale
	}
}

// Drop sets each element of x to zero with probability drop/256 and scales the
// others so that the expectation stays (Srivastava et al. 2014). The same
// state drops the same elements.
func Drop(x []float32, drop uint8, state uint64) {
	if drop == 0 {
		return
	}
	scale := 256 / (256 - float32(drop))
	threshold := int32(drop)
	done := dropVector(x, threshold, scale, state)
	state += uint64(done/8) * golden // as mix would have
	x = x[done:]
	for ; len(x) > 0; x = x[min(8, len(x)):] {
		bits := mix(&state)
		for i := range x[:min(8, len(x))] {
			off := uint32((int32(bits&0xff) - threshold) >> 31)
			x[i] = math.Float32frombits(math.Float32bits(x[i])&^off) * scale
			bits >>= 8
		}
	}
}

// golden is by how much mix advances its state.
const golden = 0x9e3779b97f4a7c15

// mix advances state and returns 64 well mixed bits: SplitMix64 (Steele, Lea
// and Flood 2014).
func mix(state *uint64) uint64 {
	*state += golden
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
