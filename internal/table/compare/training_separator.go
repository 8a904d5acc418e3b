package compare

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// Limits for areSwapped and checkTrainingSeparator.
const (
	minSwappedNumbers    = 5   // smallest number of distinct ambiguous numbers of the blind column
	minFittingShare      = 0.9 // smallest fraction of the rows whose number is in the training range after the exchange
	minAmbiguousTraining = 20  // smallest number of distinct ambiguous numbers of the training column
)

// areSwapped reports whether the numbers of a training column have a separator between thousands,
// and all numbers of the blind column with a point or comma have the other separator in this role,
// such as 4.568 instead of 4,568. It requires that the numbers are in the training range after
// points and commas are exchanged. In addition, most of them must be below this range before,
// unless all training numbers are integers.
func areSwapped(train *profile.ColumnProfile, r *decimalSeparatorCounts) bool {
	if !train.NumberFormat().Grouped || train.Numbers == nil || r.distinct < minSwappedNumbers || r.thousands > 0 || r.otherOnly > 0 || r.trainingOnly > 0 {
		return false
	}
	tolerance := rangeTolerance * (train.Numbers.Max - train.Numbers.Min)
	fitting, below := 0, 0
	for _, one := range r.ambiguous {
		if one.meant >= train.Numbers.Min-tolerance && one.meant <= train.Numbers.Max+tolerance {
			fitting += one.rows
		}
		if one.read < train.Numbers.Min {
			below += one.rows
		}
	}
	return ratio(fitting, r.both) >= minFittingShare && (train.IsInteger() || 2*below > r.both)
}

// checkTrainingSeparator reports a training column whose numbers are read wrongly, because no
// number shows whether their separator separates thousands or decimals. Numbers of the blind
// column, counted in r, must show the other meaning, or look grouped, and the training numbers must
// then be closer to the blind numbers. sample are numbers of the training column if its texts are
// not known. A training number from 1000 on without a separator shows that the training numbers are
// read correctly. checkTrainingSeparator returns true if it reports the column. Points and commas
// of the blind file must then not be exchanged.
func (c *comparison) checkTrainingSeparator(train *profile.ColumnProfile, sample []float64, r *decimalSeparatorCounts) (found bool) {
	format := *train.NumberFormat()
	other := cells.NumberFormat{Unit: format.Unit, DecimalComma: !format.DecimalComma}
	values := train.Values()
	if len(sample) > 0 {
		values = textsOfThousandths(sample, &format)
	}
	t := countDecimalSeparators(values, &format, &other)
	if t.distinct < minAmbiguousTraining || t.trainingOnly > 0 || t.otherOnly > 0 || t.largest >= 1000 {
		return false
	}
	read := make([]columnstats.Value, len(t.ambiguous))
	for i, one := range t.ambiguous {
		read[i] = columnstats.Value{Number: math.Abs(one.read), Rows: one.rows}
	}
	distance := func(numbers []columnstats.Value) float64 {
		return math.Abs(math.Log(columnstats.WeightedMedian(numbers) / columnstats.WeightedMedian(r.meant)))
	}
	if !(distance(t.meant) < distance(read)) {
		return false
	}
	cell := []byte(t.mostBoth.Text)
	before, _ := format.Parse(cell)
	after, _ := other.Parse(cell)
	evidence := "all numbers of this file without a separator are below 1000, such as " + csvfile.Excerpt(r.largestText)
	if r.otherOnly > 0 {
		evidence = "numbers of this file, such as " + csvfile.Excerpt(r.mostOther.Text) + ", show that this is wrong"
	}
	c.report(SeverityDefect, csvfile.CodeUnclearNumbers, train.Name, "in the training file, a number such as %s is read as %s and not as %s, but %s",
		csvfile.Excerpt(t.mostBoth.Text), formatExact(before), formatExact(after), evidence)
	c.misreadTraining = append(c.misreadTraining, train.Name)
	return true
}

// textsOfThousandths returns numbers from 1 to 999.999 as they were probably written: with exactly
// three decimals. It returns nil if the format is grouped, or if a number is not in this range or
// has more decimals. Then, the decimal separator was probably clear. It also returns nil if all
// numbers are integers, because these were probably written without decimals.
func textsOfThousandths(numbers []float64, format *cells.NumberFormat) (texts []columnstats.Value) {
	if !slices.ContainsFunc(numbers, func(number float64) bool { return number != math.Trunc(number) }) {
		return nil
	}
	for _, number := range numbers {
		thousandths := math.Round(1000 * number)
		if size := math.Abs(thousandths); format.Grouped || size < 1000 || size >= 1e6 || math.Abs(1000*number-thousandths) > 1e-6 {
			return nil
		}
		text := strconv.FormatFloat(number, 'f', 3, 64)
		if format.DecimalComma {
			text = strings.Replace(text, ".", ",", 1)
		}
		texts = append(texts, columnstats.Value{Kind: cells.Text, Text: text, Rows: 1})
	}
	return texts
}
