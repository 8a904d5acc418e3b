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

// addAll counts the values, each on a row, up to the first otherCell, and
// returns how many were numbers and how many empty cells.
func (m *measure) addAll(values []float64) (numbers, blanks int) {
	low, high, sum := m.min, m.max, 0.0
	for i, value := range values {
		if value != value {
			if isOther(value) {
				values = values[:i]
				break
			}
			blanks++
			continue
		}
		sum += value
		if value < low {
			low = value
		}
		if value > high {
			high = value
		}
	}
	numbers = len(values) - blanks
	if numbers == 0 {
		return 0, blanks
	}
	if max(-low, high) > hugeNumber {
		for _, value := range values {
			if value == value {
				m.add(value, 1)
			}
		}
		return numbers, blanks
	}
	m.min, m.max = low, high
	if m.bins == nil {
		m.bins = newBinning(low, high)
	}
	m.bins.reach(low)
	m.bins.reach(high)
	mean := sum / float64(numbers)
	m.merge(numbers, mean, m.spread(values, mean))
	return numbers, blanks
}

// hugeNumber is so large that sums of numbers beyond might overflow.
const hugeNumber = 1e300

// spread puts values within reach into the bins and the set, and returns the
// sum of their squared distances from a number.
func (m *measure) spread(values []float64, from float64) float64 {
	squares := 0.0
	for _, value := range values {
		if value != value {
			continue
		}
		distance := value - from
		squares += distance * distance
		m.bins.rows[m.bins.bin(value)]++
		if !m.fractions && value != math.Trunc(value) {
			m.fractions = true
		}
		if hash := hashNumber(value); m.values.takes(hash) {
			m.values.add(hash)
		}
	}
	return squares
}

// merge adds so many rows of a mean and a sum of squared distances from it
// (Chan, Golub, LeVeque, 1979).
func (m *measure) merge(rows int, mean, squares float64) {
	distance, before := mean-m.mean, float64(m.rows)
	m.rows += rows
	weight := float64(rows) / float64(m.rows)
	m.mean += distance * weight
	m.sum += squares + distance*(distance*before*weight)
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
