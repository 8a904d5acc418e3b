package compare

import (
	"math"
	"strconv"
	"time"

	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// Limits for reporting numbers that differ from the numbers of the training file. Differences that are
// likely in two files from the same source are not reported.
const (
	rangeTolerance    = 0.1  // largest growth of the range on each side, as a fraction of the training range
	farOutside        = 1    // a number farther from the training range than this multiple of the range is always reported
	maxMeanShift      = 0.5  // largest change of the mean, in standard deviations of the training file
	minRelativeShift  = 1e-9 // smallest change of the mean, as a fraction of the mean, that is not due to rounding
	falseAlarmsPerSet = 0.01 // probability that any column is reported if both files are from the same source
)

// checkNumbers reports numbers of a blind column that are outside the training range or whose mean
// differs. trainRows is the number of training rows with a number, or 0 if it is unknown. If it is
// unknown, every growth of the range by more than rangeTolerance is reported.
func (c *comparison) checkNumbers(form inference.Form, train *columnstats.NumericStats, trainRows int, column *profile.ColumnProfile) {
	blind, blindRows := column.Numbers, c.blind.Rows-column.Missing
	if c.isOutOfRange(train, blind, trainRows, blindRows) || c.isMostlyBelow(column, train.Min, trainRows) {
		texts := formatDistinctly(form, blind.Min, blind.Max, train.Min, train.Max)
		c.report(SeverityWarning, csvfile.CodeMovedRange, column.Name, "the values range from %s to %s; in training, they ranged from %s to %s", texts[0], texts[1], texts[2], texts[3])
		return
	}
	shift := math.Abs(blind.Mean - train.Mean)
	if c.blind.Rows < profile.MinComparedRows || shift <= max(maxMeanShift*train.StdDev, minRelativeShift*math.Abs(train.Mean)) || trainRows < 1 || blindRows < 1 {
		return
	}
	// The difference of two means is nearly normally distributed, so p is about the probability
	// that a shift of this size happens by chance.
	deviation := train.StdDev * math.Sqrt(1/float64(trainRows)+1/float64(blindRows))
	if p := math.Erfc(shift / deviation / math.Sqrt2); !(p > c.falseAlarmsPerColumn()) {
		texts := formatDistinctly(form, blind.Mean, train.Mean)
		c.report(SeverityWarning, csvfile.CodeMovedRange, column.Name, "the mean is %s, but %s in training", texts[0], texts[1])
	}
}

// checkTrainingSampleRange is checkNumbers for a training column whose range is known only for a
// sample of the rows. Other training rows may have numbers far outside this range, so a growth of
// the range is reported only if more rows are outside than is likely by chance. It also reports a
// column for which isMostlyBelow or isSampleMostlyAbove returns true.
func (c *comparison) checkTrainingSampleRange(known *profile.TrainingColumn, column *profile.ColumnProfile) {
	blind, rows := column.Numbers, c.blind.Rows-column.Missing
	outside := max(known.Min-blind.Min, blind.Max-known.Max)
	above, below := countAbove(blind, known.Max), countBelow(blind, known.Min)
	isOutside := outside > rangeTolerance*(known.Max-known.Min) && outOfRangePValue(max(above, below), known.SampleRows, rows) <= c.falseAlarmsPerColumn()/2
	if !isOutside && !c.isMostlyBelow(column, known.Min, known.SampleRows) && !c.isSampleMostlyAbove(known, column) {
		return
	}
	texts := formatDistinctly(known.Form, blind.Min, blind.Max, known.Min, known.Max)
	c.report(SeverityWarning, csvfile.CodeMovedRange, known.Name, "the values range from %s to %s; in a sample of %d training rows, they ranged from %s to %s", texts[0], texts[1], known.SampleRows, texts[2], texts[3])
}

// falseAlarmsPerColumn returns the largest probability with which one column may be reported by chance.
// It is falseAlarmsPerSet divided by the number of compared columns (a Bonferroni correction).
func (c *comparison) falseAlarmsPerColumn() float64 {
	return falseAlarmsPerSet / float64(max(c.compared, 1))
}

// isOutOfRange reports whether the blind numbers leave the range of the training numbers by more
// than rangeTolerance allows. In addition, either a number must be far outside this range (see
// farOutside), or more rows must be outside than is likely by chance. trainRows and blindRows are
// the numbers of rows with a number. If trainRows is 0, the number is unknown, and rangeTolerance
// alone decides.
func (c *comparison) isOutOfRange(train, blind *columnstats.NumericStats, trainRows, blindRows int) bool {
	width := train.Max - train.Min
	outside := max(train.Min-blind.Min, blind.Max-train.Max)
	switch {
	case !(outside > rangeTolerance*width):
		return false
	case outside > farOutside*width || trainRows < 1:
		return true
	}
	limit := c.falseAlarmsPerColumn()
	return outOfRangePValue(countAbove(blind, train.Max), trainRows, blindRows) <= limit ||
		outOfRangePValue(countBelow(blind, train.Min), trainRows, blindRows) <= limit
}

// isMostlyBelow reports whether most numbers of a blind column, and more than is likely by chance,
// are below low, the smallest of trainRows training numbers. Such numbers may be in another unit,
// such as thousands. If the training range is wide, isOutOfRange does not find them, because
// rangeTolerance allows them.
func (c *comparison) isMostlyBelow(blind *profile.ColumnProfile, low float64, trainRows int) bool {
	rows, counts := c.blind.Rows-blind.Missing, blind.CountRanges([]float64{low})
	return low > 0 && blind.Form == inference.FormNumeric && counts != nil && 2*counts[0] > float64(rows) &&
		outOfRangePValue(int(counts[0]), trainRows, rows) <= c.falseAlarmsPerColumn()
}

// isSampleMostlyAbove reports whether most numbers of a sample of the training rows are above twice
// the largest number of a blind column. If so, the blind numbers may be in another unit, for
// example 0.05 instead of 5 %, even if they are in the range of the sample.
func (c *comparison) isSampleMostlyAbove(known *profile.TrainingColumn, blind *profile.ColumnProfile) bool {
	above := 0
	for _, number := range known.SampleNumbers {
		if number > 2*blind.Numbers.Max {
			above++
		}
	}
	return blind.Numbers.Max >= 0 && blind.Form == inference.FormNumeric && 2*above > known.SampleRows &&
		outOfRangePValue(above, c.blind.Rows-blind.Missing, known.SampleRows) <= c.falseAlarmsPerColumn()
}

// outOfRangePValue returns the probability that at least count of the blind numbers are larger than
// all training numbers, if both come from the same distribution. This probability does not depend
// on the distribution: it is the probability that the largest count of all trainRows+blindRows
// numbers are blind numbers.
func outOfRangePValue(count, trainRows, blindRows int) float64 {
	p := 1.0
	for i := range count {
		p *= float64(blindRows-i) / float64(trainRows+blindRows-i)
	}
	return p
}

// countAbove returns a lower bound of the number of rows whose number is larger than value.
func countAbove(n *columnstats.NumericStats, value float64) int {
	rows := 0
	if h := n.Histogram; h != nil {
		for i, count := range h.Rows {
			if h.Low+h.Width*float64(i) > value {
				rows += count
			}
		}
	}
	if n.Max > value {
		rows = max(rows, 1)
	}
	return rows
}

// countBelow returns a lower bound of the number of rows whose number is smaller than value.
func countBelow(n *columnstats.NumericStats, value float64) int {
	rows := 0
	if h := n.Histogram; h != nil {
		for i, count := range h.Rows {
			if h.Low+h.Width*float64(i+1) < value {
				rows += count
			}
		}
	}
	if n.Min < value {
		rows = max(rows, 1)
	}
	return rows
}

// formatDistinctly formats values like f.Format. If different values would look equal, it adds more
// digits or, for dates, a time of day.
func formatDistinctly(f inference.Form, values ...float64) []string {
	formats := []func(value float64) string{f.Format}
	switch f {
	case inference.FormDate:
		for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05"} {
			formats = append(formats, func(value float64) string {
				return time.Unix(int64(math.Round(value*86400)), 0).UTC().Format(layout)
			})
		}
	case inference.FormTime:
		formats = append(formats, func(value float64) string {
			return time.Unix(int64(math.Round(value*3600)), 0).UTC().Format(time.TimeOnly)
		})
	default:
		for _, digits := range []int{9, 12, 17} {
			formats = append(formats, func(value float64) string { return strconv.FormatFloat(value, 'g', digits, 64) })
		}
	}
	texts := make([]string, len(values))
	for _, format := range formats {
		distinct, known := true, make(map[string]float64, len(values))
		for i, value := range values {
			texts[i] = format(value)
			if other, found := known[texts[i]]; found && other != value {
				distinct = false
			}
			known[texts[i]] = value
		}
		if distinct {
			break
		}
	}
	return texts
}
