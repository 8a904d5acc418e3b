package drift

import (
	"fmt"
	"math"
	"strings"

	"foretell/internal/api"
	"foretell/internal/table/cells"
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// warnings describes the differences of a file from the training file that make predictions less
// accurate, such as numbers in another format. `foretell predict` prints the same warnings.
// newTexts are the names of the columns with texts that the training file does not have.
func warnings(train *api.Dataset, p *profile.Profile) (list, newTexts []string) {
	var known []profile.TrainingColumn
	for i := range train.Columns {
		if column := &train.Columns[i]; !column.Unused {
			known = append(known, *TrainingColumn(column, train.Rows))
		}
	}
	for _, f := range compare.TrainingColumns(known, p) {
		if f.Code == csvfile.CodeUnseenCategory || f.Code == csvfile.CodeOtherSpelling {
			newTexts = append(newTexts, f.Name)
		}
		if f.Name != "" {
			f.Message = fmt.Sprintf("the column %q: %s", f.Name, f.Message)
		}
		list = append(list, f.Message)
	}
	return list, newTexts
}

// TrainingColumn converts the description of a column of a training file to the form that package
// compare uses. rows is the number of rows of the training file.
func TrainingColumn(c *api.Column, rows int64) *profile.TrainingColumn {
	known := &profile.TrainingColumn{
		Name: c.Name, Form: inference.Form(c.Kind), DateOrder: inference.DateOrder(c.DateOrder), Epoch: frame.EpochUnit(c.Epoch), TimeZones: c.TimeZones,
		Rows: int(rows), Missing: int(c.Missing), Distinct: int(c.Distinct), DistinctEstimate: c.DistinctEstimate,
		Levels: c.Levels, ListSeparator: c.ListSeparator, Parts: c.Parts, PrefixLengths: c.PrefixLengths,
	}
	if c.NumberFormat != nil {
		known.NumberFormat = new(cells.NumberFormat(*c.NumberFormat))
	}
	if c.Sample != nil {
		known.SampleRows, known.SampleMissing, known.Min, known.Max, known.Integers = c.Sample.Rows, c.Sample.Missing, c.Sample.Min, c.Sample.Max, c.Sample.Integers
		known.SampleNumbers, known.SampleUnknown = c.Sample.Numbers, c.Sample.Unknown
	}
	if c.Terms != nil {
		known.Terms, known.TermSampleRows, known.TermSampleWithout = c.Terms.Terms, c.Terms.Rows, c.Terms.Without
	}
	d := c.Distribution
	if d == nil {
		return known
	}
	known.HasRange, known.Min, known.Max, known.Integers = len(d.Bins) > 0, d.Min, d.Max, d.Integers
	known.Mean, known.MaxStdDev = d.Mean, maxStdDev(d)
	for _, value := range d.Top {
		if !strings.HasSuffix(value.Label, "…") { // it may be truncated
			known.Texts, known.TextRows = append(known.Texts, value.Label), known.TextRows+int(value.Rows)
		}
	}
	if len(c.Texts) > 0 && len(c.Texts) == known.Distinct && !known.HasAllTexts() {
		known.Levels = c.Texts
	}
	return known
}

// maxStdDev returns an upper bound of the standard deviation of the numbers of d. It adds half the
// width of a bin to the standard deviation that the numbers would have in the centres of their
// bins. No number is farther from the centre of its bin. maxStdDev returns 0 if d has no bins, or
// if the numbers are too large to compute the deviation.
func maxStdDev(d *api.Distribution) float64 {
	rows, squares, width := 0.0, 0.0, (d.High-d.Low)/float64(max(len(d.Bins), 1))
	for i, n := range d.Bins {
		distance := d.Low + (float64(i)+0.5)*width - d.Mean
		rows, squares = rows+float64(n), squares+float64(n)*distance*distance
	}
	if deviation := math.Sqrt(squares/rows) + width/2; deviation <= math.MaxFloat64 { // it is NaN without rows
		return deviation
	}
	return 0
}
