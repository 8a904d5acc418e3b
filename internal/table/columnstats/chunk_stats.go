package columnstats

import (
	"math"
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// statsSnapshot is a copy of the parameters of a column's runningStats. A worker uses the latest
// snapshot to compute the statistics of a chunk, even if some earlier chunks have not been added
// yet. If these earlier chunks change the parameters, runningStats.addChunk corrects the
// statistics.
type statsSnapshot struct {
	low, width float64 // left edge and bin width of the histogram; 0 if there is none yet
	zeroBits   uint    // zeroBits of the distinctCounter
	areDates   bool    // all numbers so far are dates such as 20060102
}

// chunkStats are the statistics of a column's values in consecutive rows.
type chunkStats struct {
	values            []float64 // NaN where the field is empty
	numbers, blanks   int
	low, high         float64 // the smallest and the largest number
	mayOverflow       bool    // the sum of the numbers might overflow; the fields below are not set
	mean, squaredDevs float64 // squaredDevs is the sum of squared deviations from the mean
	hasFractions      bool    // some number is not an integer
	areDates          bool    // all numbers of the chunk are dates, and all earlier numbers were dates
	bins              growingHistogram
	hashes            []uint64 // hashes of the numbers, without the hashes that the distinctCounter would not keep
}

// overflowLimit is the magnitude of a number above which a sum might overflow.
const overflowLimit = 1e300

// compute sets s to the statistics of values, up to the first csvfile.TextCell. It sets
// s.values to the values before this cell.
func (s *chunkStats) compute(values []float64, snapshot statsSnapshot) {
	low, high, sum, blanks := math.Inf(1), math.Inf(-1), 0.0, 0
	for i, value := range values {
		if value != value {
			if csvfile.IsTextCell(value) {
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
	s.values, s.numbers, s.blanks, s.low, s.high = values, len(values)-blanks, blanks, low, high
	s.mayOverflow = s.numbers > 0 && max(-low, high) > overflowLimit
	if s.numbers == 0 || s.mayOverflow {
		return
	}
	s.mean = sum / float64(s.numbers)
	s.computeSpread(1<<snapshot.zeroBits - 1)
	s.areDates = snapshot.areDates && !slices.ContainsFunc(values, func(value float64) bool { return value == value && !cells.IsCompactDate(value) })
	bins := growingHistogram{low: snapshot.low, width: snapshot.width}
	if snapshot.width == 0 {
		bins = *newGrowingHistogram(low, high)
	}
	bins.extendTo(low)
	bins.extendTo(high)
	s.fillBins(bins)
}

// computeSpread computes squaredDevs, hasFractions and hashes from s.values and s.mean. It keeps
// only the hashes whose bits in mask are 0.
func (s *chunkStats) computeSpread(mask uint64) {
	s.squaredDevs, s.hasFractions, s.hashes = 0, false, s.hashes[:0]
	for _, value := range s.values {
		if value != value {
			continue
		}
		distance := value - s.mean
		s.squaredDevs += distance * distance
		if !s.hasFractions && value != math.Trunc(value) {
			s.hasFractions = true
		}
		if hash := cells.HashNumber(value); hash&mask == 0 {
			s.hashes = append(s.hashes, hash)
		}
	}
}

// fillBins sets s.bins to the counts of the numbers of s in bins with the same edges as in shape.
// The range of shape must include all numbers.
func (s *chunkStats) fillBins(shape growingHistogram) {
	s.bins = growingHistogram{low: shape.low, width: shape.width}
	for _, value := range s.values {
		if value == value {
			s.bins.rows[s.bins.binIndex(value)]++
		}
	}
}
