package boost

import "math"

// exp32 returns e^x to about float32's precision for x <= 0, and 0 for what is
// too small for a normal float32. It is the softmax's: 2^k · e^r with r within
// half of ln 2, e^r by its Taylor polynomial (Cephes expf).
func exp32(x float32) float32 {
	if x < -87 {
		return 0
	}
	const (
		log2e = 1.44269504088896341
		ln2Hi = 0.693359375
		ln2Lo = -2.12194440e-4
	)
	k := int32(x*log2e - 0.5)
	kf := float32(k)
	r := x - kf*ln2Hi - kf*ln2Lo
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	p = p*r*r + r + 1
	return p * math.Float32frombits(uint32(k+127)<<23)
}
