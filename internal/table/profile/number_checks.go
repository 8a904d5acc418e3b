package profile

import (
	"math"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// warnStrayTexts warns about texts in a column of numbers.
func (s *scanner) warnStrayTexts(i int, inf *inference) {
	t := &s.columns[i]
	if inf.form != FormNumeric || t.rowsByKind[cells.Text] == 0 {
		return
	}
	rows, first := 0, distinctValue{}
	for _, one := range t.texts.values {
		if !inf.isStray(&one) {
			continue
		}
		rows += one.rows
		if first.rows == 0 || one.first < first.first {
			first = one
		}
	}
	treatment := "such text is treated as missing"
	if len(inf.strays) > 0 {
		treatment = "such text becomes another feature"
	}
	if rows > 0 {
		s.warnAt(first.firstLine(), csvfile.CodeJunkInNumbers, i, "the column has numbers, but %s %s text, first %s in %s; %s",
			humanize.Count(rows, "row"), verbHave(rows), csvfile.Excerpt(first.text), s.formatLine(first.firstLine()), treatment)
	}
}

// warnFootnotes warns about a training column of numbers if some of them have a footnote mark and
// others have none, because the mark may say something about the row.
func (s *scanner) warnFootnotes(i int, inf *inference) {
	t := &s.columns[i]
	if s.label < 0 || inf.form != FormNumeric || inf.format == nil {
		return
	}
	marked, plain := dateCount{}, t.rowsByKind[cells.Number]
	for _, one := range t.texts.values {
		switch {
		case one.kind != cells.Text || inf.isStray(&one):
		case len(cells.TrimFootnoteMarks([]byte(one.text))) < len(one.text):
			marked.add(&one)
		default:
			plain += one.rows
		}
	}
	if marked.rows > 0 && plain > 0 {
		s.warnAt(marked.first.firstLine(), csvfile.CodeFootnoteMarks, i, "%s %s a footnote mark after the number, first %s in %s; the marks are ignored",
			humanize.Count(marked.rows, "row"), verbHave(marked.rows), csvfile.Excerpt(marked.first.text), s.formatLine(marked.first.firstLine()))
	}
}

// warnMostlyNumbers warns about a training column that is read as texts although most of its cells
// are numbers.
func (s *scanner) warnMostlyNumbers(i int, inf *inference) {
	if first := &inf.firstOther; s.label >= 0 && first.rows > 0 {
		s.warnAt(first.firstLine(), csvfile.CodeMostlyNumbers, i, "most cells are numbers, but too many different cells are not, first %s in %s, so the column is read as %s",
			csvfile.Excerpt(first.text), s.formatLine(first.firstLine()), readAs(inf.form))
	}
}

// Limits for the warning about a unit that only some numbers of a column have.
const (
	minUnitRows   = 5  // smallest number of rows with the unit, and without it
	minScaleRatio = 10 // smallest ratio of the medians of these rows
)

// warnPartialUnit warns about a training column of numbers if only some of them have its unit and
// the others are much larger or smaller, such as 45% and 0.45.
func (s *scanner) warnPartialUnit(i int, inf *inference) {
	if s.label < 0 || inf.form != FormNumeric || inf.format == nil || inf.format.Unit == "" {
		return
	}
	var groups [2][]distinctValue // the numbers without and with the unit, without sign
	var rows [2]dateCount
	for _, one := range s.columns[i].texts.allOrFirstTexts() {
		value, ok := inf.format.Parse([]byte(one.text))
		if !ok || value == 0 {
			continue // 0 has the same meaning in every unit
		}
		group := 0
		if _, unit, ok := cells.ParseAmount([]byte(one.text), inf.format.DecimalComma); ok && unit != "" {
			group = 1
		}
		rows[group].add(&one)
		groups[group] = append(groups[group], distinctValue{value: math.Abs(value), rows: one.rows})
	}
	if min(rows[0].rows, rows[1].rows) < minUnitRows {
		return
	}
	without, with := weightedMedian(groups[0]), weightedMedian(groups[1])
	if max(without, with) < minScaleRatio*min(without, with) {
		return
	}
	first := &rows[0].first
	s.warnAt(first.firstLine(), csvfile.CodePartialUnit, i, "the numbers of %s have the unit %s (median %s), but those of %s have none (median %s), first %s in %s; all are read in this unit",
		humanize.Count(rows[1].rows, "row"), csvfile.Excerpt(inf.format.Unit), FormNumeric.Format(with), humanize.Count(rows[0].rows, "row"), FormNumeric.Format(without),
		csvfile.Excerpt(first.text), s.formatLine(first.firstLine()))
}

// readAs returns a phrase for messages which says how a column of texts is read.
func readAs(form Form) string {
	if form == FormText {
		return "text"
	}
	return "a category"
}
