package metric

import "math"

// studentCoefficients are the coefficients c₁, c₂, … in StudentQuantile. They were fitted to the
// quantiles of 0.5 to 10 degrees of freedom.
var studentCoefficients = [...]float64{1.2085897, 0.7204992, 0.145444, -0.3269963, 0.1431911, -0.0216093}

// minFreedom is the smallest number of degrees of freedom of StudentQuantile.
const minFreedom = 0.5

// StudentQuantile returns the 97.5 % quantile of Student's distribution with n degrees of freedom.
// n need not be an integer. If it is below minFreedom, it is treated as minFreedom. The logarithm of
// the quantile is a smooth function of 1/n, so the quantile is computed as
//
//	Z95 · exp(c₁/n + c₂/n² + …)
//
// with an error of at most 0.05 %.
func StudentQuantile(n float64) float64 {
	inverse, power, sum := 1/max(n, minFreedom), 1.0, 0.0
	for _, c := range studentCoefficients {
		power *= inverse
		sum += c * power
	}
	return Z95 * math.Exp(sum)
}

// studentVarianceFactor returns the factor by which a variance that is estimated from clusters must
// be multiplied before an interval of Z95 standard errors is computed from it. The factor replaces
// Z95 by the quantile of Student's distribution. effective is the effective number of clusters; see
// effectiveClusters.
func studentVarianceFactor(effective float64) float64 {
	student := StudentQuantile(effective-1) / Z95
	return student * student
}

// effectiveClusters returns the number of clusters of equal size whose mean would have the same
// variance as the mean of clusters of different sizes, if all rows of a cluster were equal: 1/Σ share²
// (L. Kish, Survey Sampling, 1965). shares are the sizes of the clusters, and sum to 1. One very large
// cluster makes the number small, however many small clusters there are.
func effectiveClusters(shares []float64) float64 { return 1 / sumSquares(shares) }
