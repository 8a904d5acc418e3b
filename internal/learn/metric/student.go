package metric

// studentQuantiles are the 97.5 % quantiles of Student's distribution with 1 to 9 degrees of freedom.
var studentQuantiles = [...]float64{
	12.7062047362, 4.3026527297, 3.1824463053, 2.7764451052, 2.5705818356, 2.4469118511, 2.3646242516, 2.3060041352, 2.2621571628,
}

// StudentQuantile returns the 97.5 % quantile of Student's distribution with n ≥ 1 degrees of freedom. If
// n is 10 or more, the result has an error of at most 0.2 %, because it is computed from the first terms
// of Fisher's expansion.
func StudentQuantile(n int) float64 {
	if n <= len(studentQuantiles) {
		return studentQuantiles[n-1]
	}
	const z2 = Z95 * Z95
	inverse := 1 / float64(n)
	return Z95 * (1 + inverse*(z2+1)/4 + inverse*inverse*((5*z2+16)*z2+3)/96)
}

// smallSampleVarianceFactor returns the factor by which a variance that is estimated from n ≥ 2
// clusters must be multiplied before an interval of Z95 standard errors is computed from it. The
// factor has two parts: n/(n-1) corrects the bias of the estimate, and the other part replaces Z95
// by the quantile of Student's distribution.
func smallSampleVarianceFactor(n int) float64 {
	student := StudentQuantile(n-1) / Z95
	return float64(n) / float64(n-1) * student * student
}
