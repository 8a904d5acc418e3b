package rbf

// EstimateMemory returns the estimated memory of New, in bytes, for a table with the given numbers of
// rows and classes, and the given numbers of centres and penalties.
func EstimateMemory(rows, classes, maxCenters, penalties int) float64 {
	n, centers := float64(rows), float64(min(rows, maxCenters))
	const featureBytes, matrixBytes, scoreBytes = 8 + 4, 8, 4
	const garbage = 1.3 // the garbage collector runs when the memory has grown by 30 %
	return garbage * (featureBytes*n*centers + matrixBytes*float64(penalties)*centers*centers + 2*scoreBytes*n*float64(classes*penalties))
}
