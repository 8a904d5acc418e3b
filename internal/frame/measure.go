package frame

import "math"

// measure holds the running statistics of a numeric column.
type measure struct {
	rows      int
	min, max  float64
	mean, sum float64 // sum of the squared distances from the mean
	fractions bool    // some value is not an integer
	values    *distinct
	bins      *binning
}

// newMeasure returns the statistics of the numbers among the levels.
func newMeasure(list []level, capacity int) *measure {
	m := &measure{min: math.Inf(1), max: math.Inf(-1), values: newDistinct(capacity)}
	for _, one := range list {
		if one.kind == number {
			m.min, m.max = min(m.min, one.value), max(m.max, one.value)
		}
	}
	if m.min > m.max {
		return m
	}
	m.bins = newBinning(m.min, m.max)
	for _, one := range list {
		if one.kind == number {
			m.add(one.value, one.rows)
		}
	}
	return m
}

// add counts a value that stands on so many rows (Welford, 1962; West, 1979).
func (m *measure) add(value float64, rows int) {
	m.rows += rows
	m.min, m.max = min(m.min, value), max(m.max, value)
	weight := float64(rows) / float64(m.rows)
	distance := value - m.mean
	if math.IsInf(distance, 0) { // both are huge: the convex form cannot overflow
		m.mean = m.mean*(1-weight) + value*weight
		m.sum = math.Inf(1)
	} else {
		m.mean += distance * weight
		m.sum += distance * (value - m.mean) * float64(rows)
	}
	m.fractions = m.fractions || value != math.Trunc(value)
	m.values.add(hashNumber(value))
	if m.bins == nil {
		m.bins = newBinning(value, value)
	}
	m.bins.add(value, rows)
}

// numbers returns the statistics for a profile; nil without a number.
func (m *measure) numbers() *Numbers {
	if m.rows == 0 {
		return nil
	}
	return &Numbers{
		Min: m.min, Max: m.max, Mean: m.mean,
		StdDev:    min(math.Sqrt(max(m.sum, 0)/float64(m.rows)), math.MaxFloat64),
		Histogram: m.bins.histogram(),
	}
}
