package profile

import (
	"math"

	"foretell/internal/table/cells"
)

// runningStats are the running statistics of a numeric column.
type runningStats struct {
	rows          int
	min, max      float64
	mean, squares float64 // sum of squared deviations from the mean
	fractions     bool    // some value is not an integer
	distinct      *distinct
	bins          *growingHistogram
}

// newRunningStats returns the statistics of the numbers among the values.
func newRunningStats(list []distinctValue, capacity int) *runningStats {
	m := &runningStats{min: math.Inf(1), max: math.Inf(-1), distinct: newDistinct(capacity)}
	for _, one := range list {
		if one.kind == cells.Number {
			m.min, m.max = min(m.min, one.value), max(m.max, one.value)
		}
	}
	if m.min > m.max {
		return m
	}
	m.bins = newGrowingHistogram(m.min, m.max)
	for _, one := range list {
		if one.kind == cells.Number {
			m.add(one.value, one.rows)
		}
	}
	return m
}

// add adds a value with its number of rows (Welford, 1962; West, 1979).
func (m *runningStats) add(value float64, rows int) {
	m.rows += rows
	m.min, m.max = min(m.min, value), max(m.max, value)
	weight := float64(rows) / float64(m.rows)
	distance := value - m.mean
	if math.IsInf(distance, 0) { // both are very large: the convex form cannot overflow
		m.mean = m.mean*(1-weight) + value*weight
		m.squares = math.Inf(1)
	} else {
		m.mean += distance * weight
		m.squares += distance * (value - m.mean) * float64(rows)
	}
	m.fractions = m.fractions || value != math.Trunc(value)
	m.distinct.add(hashNumber(value))
	if m.bins == nil {
		m.bins = newGrowingHistogram(value, value)
	}
	m.bins.add(value, rows)
}

// snapshot returns the parameters for the chunkStats of the next chunks.
func (m *runningStats) snapshot() statsSnapshot {
	o := statsSnapshot{depth: m.distinct.depth}
	if m.bins != nil {
		o.low, o.width = m.bins.low, m.bins.width
	}
	return o
}

// addChunk adds the statistics of a chunk.
func (m *runningStats) addChunk(s *chunkStats) {
	if s.numbers == 0 {
		return
	}
	if s.mayOverflow {
		for _, value := range s.values {
			if value == value {
				m.add(value, 1)
			}
		}
		return
	}
	m.min, m.max = min(m.min, s.low), max(m.max, s.high)
	m.fractions = m.fractions || s.fractions
	if m.bins == nil {
		m.bins = newGrowingHistogram(s.low, s.high)
	}
	m.bins.extendTo(s.low)
	m.bins.extendTo(s.high)
	if m.bins.low != s.bins.low || m.bins.width != s.bins.width { // they have grown since the snapshot
		s.fillBins(*m.bins)
	}
	for i, rows := range s.bins.rows {
		m.bins.rows[i] += rows
	}
	for _, hash := range s.hashes {
		m.distinct.add(hash)
	}
	m.merge(s.numbers, s.mean, s.squares)
}

// merge adds rows with a mean and a sum of squared deviations from it (Chan, Golub,
// LeVeque, 1979).
func (m *runningStats) merge(rows int, mean, squares float64) {
	distance, before := mean-m.mean, float64(m.rows)
	m.rows += rows
	weight := float64(rows) / float64(m.rows)
	m.mean += distance * weight
	m.squares += squares + distance*(distance*before*weight)
}

// stats returns the statistics for a profile; nil without numbers.
func (m *runningStats) stats() *NumericStats {
	if m.rows == 0 {
		return nil
	}
	return &NumericStats{
		Min: m.min, Max: m.max, Mean: m.mean,
		StdDev:    min(math.Sqrt(max(m.squares, 0)/float64(m.rows)), math.MaxFloat64),
		Histogram: m.bins.trimmed(),
	}
}
