package logistic

import "foretell/internal/learn/kernel"

// EstimateMemory returns the estimated memory of New in bytes. The estimate covers regressions with
// and without a kernel. inputs is the number of inputs of a row.
func EstimateMemory(rows, inputs, classes, maxCenters, penalties int) float64 {
	n, features := float64(rows), float64(max(min(rows, maxCenters), inputs))
	const inputBytes, featureBytes, matrixBytes, scoreBytes = 8, 4, 8, 4
	const garbage = 1.3 // the garbage collector starts after the memory has grown by 30 %
	scores := n*float64(classes*penalties) + float64(kernel.PackedLen(rows, classes*penalties))
	return garbage * (n*(inputBytes*float64(inputs)+featureBytes*features) + matrixBytes*float64(penalties)*features*features + scoreBytes*scores)
}
