package check

import (
	"math"
	"strconv"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// warnStrayTexts warns about texts in a column of numbers.
func (c *columnChecker) warnStrayTexts() {
	inf := c.inferred
	t := c.stats
	if inf.Form != inference.FormNumeric || t.Rows(cells.Text) == 0 {
		return
	}
	rows, first := 0, columnstats.Value{}
	for _, one := range t.ValuesByInterpretation() {
		if !inf.IsStray(&one) {
			continue
		}
		rows += one.Rows
		if first.Rows == 0 || one.FirstLine() < first.FirstLine() {
			first = one
		}
	}
	treatment := "; such text is treated as missing"
	switch {
	case c.opts.Blind:
		treatment = "" // how such text is treated depends on the training file
	case len(inf.Strays) > 0:
		treatment = "; such text becomes another feature"
	}
	if rows > 0 {
		c.warnAt(first.FirstLine(), csvfile.CodeJunkInNumbers, "the column has numbers, but text in %s, such as %s in %s%s",
			humanize.Count(rows, "row"), csvfile.Excerpt(first.Text), c.opts.FormatLine(first.FirstLine()), treatment)
	}
}

// warnMarks warns about a training column of numbers if some of them have a footnote mark or a mark
// such as ~, because the mark may say something about the row.
func (c *columnChecker) warnMarks() {
	c.warnMark("a footnote mark after the number", func(cell []byte) bool { return len(cells.TrimFootnoteMarks(cell)) < len(cell) })
	c.warnMark("a mark before the number", cells.HasApproximateMark)
}

// warnMark warns if some numbers of a training column have a mark and other numbers have no mark.
// isMarked reports whether a cell has the mark. mark describes the mark in the message.
func (c *columnChecker) warnMark(mark string, isMarked func(cell []byte) bool) {
	inf := c.inferred
	t := c.stats
	if c.opts.Blind || inf.Form != inference.FormNumeric || inf.Format == nil {
		return
	}
	marked, plain := columnstats.Occurrences{}, t.Rows(cells.Number)
	for _, one := range t.Values() {
		switch {
		case one.Kind != cells.Text || inf.IsStray(&one):
		case isMarked([]byte(one.Text)):
			marked.Add(&one)
		default:
			plain += one.Rows
		}
	}
	if marked.Rows > 0 && plain > 0 {
		c.warnAt(marked.First.FirstLine(), csvfile.CodeFootnoteMarks, "the cells of %s have %s, such as %s in %s; the marks are ignored",
			humanize.Count(marked.Rows, "row"), mark, csvfile.Excerpt(marked.First.Text), c.opts.FormatLine(marked.First.FirstLine()))
	}
}

// warnMostlyNumbers warns about a training column that is read as texts although most of its cells
// are numbers.
func (c *columnChecker) warnMostlyNumbers() {
	inf := c.inferred
	if first := &inf.FirstOther; !c.opts.Blind && first.Rows > 0 {
		c.warnAt(first.FirstLine(), csvfile.CodeMostlyNumbers, "most cells are numbers, but the column is read as %s, because it has too many different texts that are not numbers; the first of these texts is %s in %s%s",
			describeReading(inf.Form), csvfile.Excerpt(first.Text), c.opts.FormatLine(first.FirstLine()), c.describeFrequentText())
	}
}

// describeFrequentText returns a clause about the most frequent text that is not a number, because
// it often marks a missing value, such as ~. It returns "" if no such text is frequent.
func (c *columnChecker) describeFrequentText() string {
	var most columnstats.Value
	for _, one := range c.stats.AllOrSample() {
		_, _, isPoint := cells.ParseAmount([]byte(one.Text), false)
		_, _, isComma := cells.ParseAmount([]byte(one.Text), true)
		if one.Kind == cells.Text && !isPoint && !isComma && one.Rows > most.Rows {
			most = one
		}
	}
	if most.Rows < minMixedRows {
		return ""
	}
	return ", and the most frequent is " + csvfile.Excerpt(most.Text) + " (" + humanize.Count(most.Rows, "row") + ")"
}

// Limits for the warning about a unit that only some numbers of a column have.
const (
	minUnitRows   = 5  // smallest number of rows with the unit, and without it
	minScaleRatio = 10 // smallest ratio of the medians of these rows
)

// warnPartialUnit warns about a training column in which only some numbers have a unit and the
// numbers without it are much larger or smaller, as in a column with 45% and 0.45.
func (c *columnChecker) warnPartialUnit() {
	inf := c.inferred
	if c.opts.Blind || inf.Form != inference.FormNumeric || inf.Format == nil || inf.Format.Unit == "" {
		return
	}
	var groups [2][]columnstats.Value // the absolute values of the numbers without the unit (0) and with the unit (1)
	var rows [2]columnstats.Occurrences
	for _, one := range c.stats.AllOrSample() {
		value, ok := inf.Format.Parse([]byte(one.Text))
		if !ok || value == 0 {
			continue // 0 has the same meaning in every unit
		}
		group := 0
		if _, unit, ok := cells.ParseAmount([]byte(one.Text), inf.Format.DecimalComma); ok && unit != "" {
			group = 1
		}
		rows[group].Add(&one)
		groups[group] = append(groups[group], columnstats.Value{Number: math.Abs(value), Rows: one.Rows})
	}
	if min(rows[0].Rows, rows[1].Rows) < minUnitRows {
		return
	}
	without, with := columnstats.WeightedMedian(groups[0]), columnstats.WeightedMedian(groups[1])
	if max(without, with) < minScaleRatio*min(without, with) {
		return
	}
	first := &rows[0].First
	if cells.IsDuration([]byte(rows[1].First.Text)) { // perhaps no cell shows the unit h
		c.warnAt(first.FirstLine(), csvfile.CodePartialUnit, "the column has durations in %s (median %s hours), but numbers without a unit in %s (median %s), such as %s in %s; these numbers are also read as hours",
			humanize.Count(rows[1].Rows, "row"), inference.FormNumeric.Format(with), humanize.Count(rows[0].Rows, "row"), inference.FormNumeric.Format(without),
			csvfile.Excerpt(first.Text), c.opts.FormatLine(first.FirstLine()))
		return
	}
	c.warnAt(first.FirstLine(), csvfile.CodePartialUnit, "the numbers of %s have the unit %s (median %s), but the numbers of %s, such as %s in %s, have no unit (median %s); all are read as if they had the same unit",
		humanize.Count(rows[1].Rows, "row"), csvfile.Excerpt(inf.Format.Unit), inference.FormNumeric.Format(with), humanize.Count(rows[0].Rows, "row"),
		csvfile.Excerpt(first.Text), c.opts.FormatLine(first.FirstLine()), inference.FormNumeric.Format(without))
}

// describeReading returns how a text column is read, for messages: "text" or "a category".
func describeReading(form inference.Form) string {
	if form == inference.FormText {
		return "text"
	}
	return "a category"
}

// warnSeparators warns about a training column of numbers if it is unknown whether a point or comma
// in them separates thousands or decimals.
func (c *columnChecker) warnSeparators() {
	inf := c.inferred
	if c.opts.Blind || !inf.HasUnknownSeparator {
		return
	}
	first, format := inf.FirstAmbiguousNumber(), cells.NumberFormat{}
	if inf.Format != nil {
		format = *inf.Format
	}
	name := "point"
	if strings.Contains(first.Text, ",") {
		name = "comma"
	}
	read, _ := format.Parse([]byte(first.Text))
	c.warnAt(first.FirstLine(), csvfile.CodeUnclearNumbers, "no number of the column shows whether the %s in %s separates thousands or decimals: this number is read as %s",
		name, csvfile.Excerpt(first.Text), strconv.FormatFloat(read, 'f', -1, 64))
}
