package metric

import "math"

// Wilson returns the interval that holds the true success rate with 95 %
// confidence, given right successes in total trials: the score interval of
// Wilson (1927), which unlike the textbook one stays within [0, 1] and means
// something for few trials and for rates near 0 or 1. No trials give [0, 1].
func Wilson(right, total int) (low, high float64) {
	if total <= 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // the 97.5 % quantile of the normal distribution
	n, p := float64(total), float64(right)/float64(total)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = max(centre-half, 0), min(centre+half, 1)
	// Rounding would leave 1e-17 instead of the exact bound.
	if right == 0 {
		low = 0
	}
	if right == total {
		high = 1
	}
	return low, high
}
