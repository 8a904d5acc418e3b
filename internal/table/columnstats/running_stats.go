package columnstats

import (
	"math"
	"slices"

	"foretell/internal/table/cells"
)

// runningStats are the statistics of the values of a numeric column that have been added.
type runningStats struct {
	rows              int
	min, max          float64
	mean, squaredDevs float64 // squaredDevs is the sum of squared deviations from the mean
	hasFractions      bool    // some value is not an integer
	areDates          bool    // all values are dates such as 20060102
	distinct          *distinctCounter
	bins              *growingHistogram
}

// newRunningStats returns the statistics of the numbers in list. capacity is the capacity of the
// distinctCounter that counts these numbers.
func newRunningStats(list []Value, capacity int) *runningStats {
	r := &runningStats{min: math.Inf(1), max: math.Inf(-1), areDates: true, distinct: newDistinct(capacity)}
	for _, one := range list {
		if one.Kind == cells.Number {
			r.min, r.max = min(r.min, one.Number), max(r.max, one.Number)
		}
	}
	if r.min > r.max {
		return r
	}
	r.bins = newGrowingHistogram(r.min, r.max)
	for _, one := range list {
		if one.Kind == cells.Number {
			r.add(one.Number, one.Rows)
		}
	}
	return r
}

// add adds a value that occurs in the given number of rows (Welford, 1962; West, 1979).
func (r *runningStats) add(value float64, rows int) {
	r.rows += rows
	r.min, r.max = min(r.min, value), max(r.max, value)
	weight := float64(rows) / float64(r.rows)
	distance := value - r.mean
	if math.IsInf(distance, 0) { // both are very large; the following formula does not overflow
		r.mean = r.mean*(1-weight) + value*weight
		r.squaredDevs = math.Inf(1)
	} else {
		r.mean += distance * weight
		r.squaredDevs += distance * (value - r.mean) * float64(rows)
	}
	r.hasFractions = r.hasFractions || value != math.Trunc(value)
	r.areDates = r.areDates && cells.IsCompactDate(value)
	r.distinct.add(cells.HashNumber(value))
	if r.bins == nil {
		r.bins = newGrowingHistogram(value, value)
	}
	r.bins.add(value, rows)
}

// clone returns a copy that shares no memory with r.
func (r *runningStats) clone() *runningStats {
	c, distinct := *r, *r.distinct
	distinct.slots = slices.Clone(distinct.slots)
	c.distinct = &distinct
	if r.bins != nil {
		bins := *r.bins
		c.bins = &bins
	}
	return &c
}

// snapshot returns the parameters that a worker needs to compute chunkStats.
func (r *runningStats) snapshot() statsSnapshot {
	s := statsSnapshot{zeroBits: r.distinct.zeroBits, areDates: r.areDates}
	if r.bins != nil {
		s.low, s.width = r.bins.low, r.bins.width
	}
	return s
}

func (r *runningStats) addChunk(s *chunkStats) {
	if s.numbers == 0 {
		return
	}
	if s.mayOverflow {
		for _, value := range s.values {
			if value == value {
				r.add(value, 1)
			}
		}
		return
	}
	r.min, r.max = min(r.min, s.low), max(r.max, s.high)
	r.hasFractions = r.hasFractions || s.hasFractions
	r.areDates = r.areDates && s.areDates
	if r.bins == nil {
		r.bins = newGrowingHistogram(s.low, s.high)
	}
	r.bins.extendTo(s.low)
	r.bins.extendTo(s.high)
	if r.bins.low != s.bins.low || r.bins.width != s.bins.width { // the bins have grown since the snapshot
		s.fillBins(*r.bins)
	}
	for i, rows := range s.bins.rows {
		r.bins.rows[i] += rows
	}
	for _, hash := range s.hashes {
		r.distinct.add(hash)
	}
	r.merge(s.numbers, s.mean, s.squaredDevs)
}

// merge adds rows with the given mean and sum of squared deviations from this mean (Chan,
// Golub, LeVeque, 1979).
func (r *runningStats) merge(rows int, mean, squaredDevs float64) {
	distance, before := mean-r.mean, float64(r.rows)
	r.rows += rows
	weight := float64(rows) / float64(r.rows)
	r.mean += distance * weight
	r.squaredDevs += squaredDevs + distance*(distance*before*weight)
}

// toNumericStats returns the statistics in the form of a profile, or nil if there are no numbers.
func (r *runningStats) toNumericStats() *NumericStats {
	if r.rows == 0 {
		return nil
	}
	return &NumericStats{
		Min: r.min, Max: r.max, Mean: r.mean,
		StdDev:    min(math.Sqrt(max(r.squaredDevs, 0)/float64(r.rows)), math.MaxFloat64),
		Histogram: r.bins.toHistogram(),
	}
}

func (r *runningStats) summarize() NumberSummary {
	return NumberSummary{
		Stats: r.toNumericStats(), Rows: r.rows, HasFractions: r.hasFractions,
		Distinct: r.distinct.estimate(), Estimate: !r.distinct.isExact(),
	}
}
