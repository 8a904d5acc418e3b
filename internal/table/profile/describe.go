package profile

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/inference"
)

// Describe returns the profile of a column, without its name and position. identifiesRows is set if
// nearly every row has its own text, as in a column of people's names.
func Describe(t *columnstats.Column) (c ColumnProfile, identifiesRows bool) {
	inf := inference.Infer(t)
	return describe(t, &inf), inf.IdentifiesRows
}

// describe returns the profile of a column with the given inference, without its name
// and position.
func describe(t *columnstats.Column, inf *inference.Result) ColumnProfile {
	c := ColumnProfile{
		Form: inf.Form, Words: len(inf.Words),
		values: t.Values(), emptyRows: t.Rows(cells.Blank), dateFormat: inf.DateFormat(), DateOrder: inf.DateOrder(), Epoch: inf.Epoch, dates: inf.Dates, format: inf.Format,
		separator: inf.Separator, hasAllTexts: t.KnowsAllTexts(),
	}
	if inf.IdentifiesRows || inf.Form == inference.FormText {
		c.prefixes = inf.PrefixLengths
	}
	switch {
	case inf.Form == inference.FormCategory, inf.Form == inference.FormBoolean, inf.Form == inference.FormText:
		c.Missing = t.Rows(cells.Blank)
		c.Distinct, c.Estimate = t.DistinctCount()
		for _, one := range t.Top(maxTopValues) {
			c.Top = append(c.Top, ValueCount{Text: one.Text, Rows: one.Rows})
		}
	case inf.Values != nil:
		if inf.IsSampled && inf.Epoch != "" {
			c.describeSampledUnixTimes(t)
			break
		}
		if inf.IsSampled {
			c.describeSampled(t)
			break
		}
		m := t.Summarize(inf.Values)
		c.parsed = inf.Values
		c.setNumbers(&m)
		c.Missing = t.Rows(cells.Blank) + t.Rows(cells.Null) + t.Rows(cells.Text) + t.Rows(cells.Number) - m.Rows
	default:
		numbers := t.SummarizeNumbers()
		c.Missing = t.Rows(cells.Blank) + t.Rows(cells.Null) + t.Rows(cells.Text)
		c.setNumbers(&numbers)
	}
	rows := t.Rows(cells.Blank) + t.Rows(cells.Number) + t.Rows(cells.Null) + t.Rows(cells.Text)
	c.Distinct = min(c.Distinct, rows-c.Missing) // an estimate may be larger
	if c.Estimate {
		c.Distinct = max(c.Distinct, min(1, rows-c.Missing)) // an estimate may be 0
	}
	if inf.Epoch == "" && (inf.Form == inference.FormDate || inf.Form == inference.FormTime) {
		c.TimeZones, c.firstTime = inference.TimeZones(t, inf.DateFormat())
	}
	return c
}

func (c *ColumnProfile) setNumbers(n *columnstats.NumberSummary) {
	c.Distinct, c.Estimate, c.Numbers, c.hasFractions = n.Distinct, n.Estimate, n.Stats, n.HasFractions
}

// describeSampled sets the counts of a column of numbers or dates if not all of its values are still
// counted. If all values that are no longer counted are plain numbers, it also sets Numbers,
// because the statistics of plain numbers are computed while the file is read.
func (c *ColumnProfile) describeSampled(t *columnstats.Column) {
	c.Missing = t.Rows(cells.Blank)
	for _, one := range t.ValuesByInterpretation() {
		if !c.CanParse(one.Text) {
			c.Missing += one.Rows
		}
	}
	if c.format != nil && !c.format.DecimalComma && !c.format.HasDenominator() {
		var amounts []columnstats.Value
		for _, one := range t.Values() {
			if value, ok := c.format.Parse([]byte(one.Text)); ok && one.Kind == cells.Text {
				amounts = append(amounts, columnstats.Value{Kind: cells.Number, Number: value, Rows: one.Rows})
			}
		}
		if n, ok := t.SummarizeWith(amounts); ok {
			c.setNumbers(&n)
			c.Numbers.Median, c.Numbers.MedianEstimate = c.Numbers.Histogram.Median(), true
			return
		}
	}
	c.Distinct, _ = t.DistinctCount()
	c.Estimate = true
}

// describeSampledUnixTimes sets the counts of a column of Unix times whose values are not all
// known. It sets Numbers to the statistics of the numbers, converted to days. If some of the
// numbers are not times, such as 0, -1 or numbers that would be after the year 2999, Numbers stays
// nil, and Missing includes the rows of histogram bins whose left edge is not a time.
func (c *ColumnProfile) describeSampledUnixTimes(t *columnstats.Column) {
	perDay := c.dateFormat.PerDay
	n := t.SummarizeNumbers()
	c.Missing = t.Rows(cells.Blank) + t.Rows(cells.Null) + t.Rows(cells.Text)
	c.Distinct, c.Estimate = n.Distinct, true
	s := n.Stats
	if s == nil {
		return
	}
	isTime := func(number float64) bool {
		_, ok := c.dateFormat.ParseNumber(number)
		return ok
	}
	if !isTime(s.Min) || !isTime(s.Max) {
		for i, rows := range s.Histogram.Rows {
			if !isTime(s.Histogram.Edge(i)) {
				c.Missing += rows
			}
		}
		return
	}
	c.hasFractions = true
	c.Numbers = &columnstats.NumericStats{
		Min: s.Min / perDay, Max: s.Max / perDay, Mean: s.Mean / perDay, StdDev: s.StdDev / perDay,
		Histogram: &columnstats.Histogram{Low: s.Histogram.Low / perDay, Width: s.Histogram.Width / perDay, Rows: s.Histogram.Rows},
	}
	c.Numbers.Median, c.Numbers.MedianEstimate = c.Numbers.Histogram.Median(), true
}
