package preprocess

import "math"

// RobustScaler scales a number v to (v − Center)·Scale and then clips the result smoothly.
// Scaling maps the middle half of the training values to an interval of length 1 (Holzmüller et
// al. 2024, "Better by default", section 3).
type RobustScaler struct {
	Center, Scale float64
}

// FitRobustScaler fits a scaler to the non-missing values of a column, in ascending order. Values
// are divided by the interquartile range or, if this is 0, by half the range. missing reports
// whether the column also has missing values. varies is false if the column is constant, or if its
// range is infinite.
func FitRobustScaler(sorted []float64, missing bool) (s RobustScaler, varies bool) {
	n := len(sorted)
	if n == 0 {
		return RobustScaler{}, false
	}
	lo, hi := sorted[0], sorted[n-1]
	if lo == hi && !missing {
		return RobustScaler{}, false
	}
	s = RobustScaler{Center: sorted[n/2], Scale: 1}
	if iqr := sorted[n-1-n/4] - sorted[n/4]; iqr > 0 {
		s.Scale = 1 / iqr
	} else if hi > lo {
		s.Scale = 2 / (hi - lo)
	}
	if s.Scale == 0 { // a difference of values has overflowed
		return RobustScaler{}, false
	}
	s.Scale = min(s.Scale, math.MaxFloat64) // infinite if the range is subnormal
	return s, true
}

// Transform scales v, which must not be NaN, and clips it smoothly to ±3.
func (s RobustScaler) Transform(v float64) float64 {
	z := (v - s.Center) * s.Scale
	if math.Abs(z) > 1e6 { // z*z might overflow
		return math.Copysign(3, z)
	}
	return z / math.Sqrt(1+z*z/9)
}
