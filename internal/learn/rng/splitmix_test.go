package rng

import "testing"

// TestSplitMix64AgreesWithItsReference compares the first outputs for the seed 1234567 with the
// reference implementation by Vigna (https://prng.di.unimi.it/splitmix64.c).
func TestSplitMix64AgreesWithItsReference(t *testing.T) {
	want := []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821}
	state := uint64(1234567)
	for i, w := range want {
		if got := Derive(1234567, i); got != w {
			t.Errorf("derived seed %d is %d, want %d", i, got, w)
		}
		if got := SplitMix64(&state); got != w {
			t.Errorf("output %d is %d, want %d", i, got, w)
		}
	}
}
