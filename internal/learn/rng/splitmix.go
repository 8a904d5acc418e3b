// Package rng derives seeds and random bits by SplitMix64 (Steele, Lea and Flood,
// Fast splittable pseudorandom number generators, OOPSLA 2014).
package rng

// Gamma is the increment of SplitMix64's state.
const Gamma = 0x9e3779b97f4a7c15

// SplitMix64 advances state and returns 64 random bits.
func SplitMix64(state *uint64) uint64 {
	*state += Gamma
	return Mix(*state)
}

// Derive returns the seed of the i-th random generator, i ≥ 0, of several generators that depend on
// one seed. It is output i of SplitMix64 with the initial state seed.
func Derive(seed uint64, i int) uint64 { return Mix(seed + uint64(i+1)*Gamma) }

// Mix is the finaliser of SplitMix64, a bijection of 64 bits.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
