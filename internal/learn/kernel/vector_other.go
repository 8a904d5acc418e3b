//go:build !amd64

package kernel

// There is no assembly here: these functions do nothing.

func adamVector(_, _, _, _ []float32, _ *[8]float32) int { return 0 }

func rectifyVector([]float32) int { return 0 }

func rectifyBackVector(_, _ []float32, _ float32) int { return 0 }

func dropVector([]float32, int32, float32, uint64) int { return 0 }

func axpyVector(_, _ []float32, _ float32) int { return 0 }

func blendVector(_, _ []float32, _ float32) int { return 0 }

func affineVector(_, _, _, _ []float32) int { return 0 }

func affineBackVector(_, _, _, _, _ []float32) int { return 0 }
