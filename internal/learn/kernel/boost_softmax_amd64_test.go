package kernel

import "testing"

// TestSoftmaxKernelsWithoutAssembly runs TestSoftmaxKernels on the portable code, so that both
// have the same results.
func TestSoftmaxKernelsWithoutAssembly(t *testing.T) {
	if !useAVX2 {
		t.Skip("there is no assembly for this processor")
	}
	useAVX2 = false
	t.Cleanup(func() { useAVX2 = true })
	TestSoftmaxKernels(t)
}

func BenchmarkExpClippedWithoutAssembly(b *testing.B) {
	has := useAVX2
	useAVX2 = false
	b.Cleanup(func() { useAVX2 = has })
	BenchmarkExpClipped(b)
}
