package frame

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// AdvisedRows is how many rows a class should have: with fewer it is hard to
// learn, and harder to measure.
const AdvisedRows = 25

// The rules by which a file is judged once all of it has been seen.
const (
	maxClasses = 1_000 // more labels are a quantity, not a class

	manyClasses    = 50   // classes of numbers that may be a quantity
	enoughForID    = 50   // rows from which a column may be called ID-like
	idLikeShare    = 0.95 // share of different values that makes it so
	topLevels      = 10
	longestExcerpt = 40 // characters of a cell quoted in a message
)

// finishColumns profiles the columns and makes features of them.
func (s *scan) finishColumns(ctx context.Context) error {
	list, texts := make([]judged, len(s.tallies)), 0
	err := inParallel(ctx, len(s.tallies), func(i int) {
		if i != s.id && i != s.label {
			list[i] = s.tallies[i].judge()
		}
	})
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].form == FormText {
			texts++
		}
	}
	words := wordsEach(texts, s.profile.Rows)
	schema := s.profile.Schema
	schema.Fields = make([]string, 0, len(list))
	schema.Columns = make([]ColumnSchema, 0, len(list))
	s.profile.Columns = make([]ColumnProfile, 0, len(list))
	for i := range list {
		if i == s.id || i == s.label {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		list[i].words = list[i].words[:min(len(list[i].words), words)]
		s.finishColumn(i, &list[i])
	}
	s.profile.Schema.simplify()
	return nil
}

func (s *scan) finishColumn(i int, j *judged) {
	t := &s.tallies[i]
	c := t.profile(j)
	c.Name, c.Column = s.table.names[i], i+1
	if c.Numbers != nil {
		c.Numbers.Median, c.Numbers.MedianEstimate = s.sample.median(i), !s.sample.complete()
		if j.values != nil {
			c.Numbers.Median, c.Numbers.MedianEstimate = medianOf(j.values), false
		}
	}
	s.countExactly(t, &c, j)
	features := t.features(c.Name, j)
	if s.useless(i, &c, j) {
		features = nil
	}
	c.Features = len(features)
	schema := s.profile.Schema
	schema.Fields = append(schema.Fields, c.Name)
	schema.Columns = append(schema.Columns, features...)
	s.profile.Columns = append(s.profile.Columns, c)
	s.warnStrays(i, j)
}

// countExactly counts the different values of a column if they were only estimated
// and the sample has all rows.
func (s *scan) countExactly(t *tally, c *ColumnProfile, j *judged) {
	if !c.Estimate || !s.sample.complete() {
		return
	}
	numbers, texts := s.sample.different(c.Column - 1)
	switch {
	case j.form == FormNumeric && j.values == nil:
		c.Distinct, c.Estimate = numbers, false
	case !j.form.ofNumbers() && t.cells[number] == 0:
		c.Distinct, c.Estimate = texts, false
	}
}

// useless says why nothing can be learnt from a column, if that is so. Of a
// blind file, it is no news.
func (s *scan) useless(i int, c *ColumnProfile, j *judged) bool {
	if s.label < 0 {
		return false
	}
	filled := s.profile.Rows - c.Missing
	allDifferent := filled >= enoughForID && float64(c.Distinct) >= idLikeShare*float64(filled)
	switch twin, known := s.twin(&s.tallies[i], c); {
	case filled <= 0 && len(j.strays) == 0:
		s.warn(CodeEmptyColumn, i, "no row has a value")
	case c.Distinct == 1 && !c.Estimate && c.Missing == 0:
		s.warn(CodeConstantColumn, i, "every row has the same value: not used")
	case known:
		s.warn(CodeTwinColumn, i, "says the same as column %d (%s): not used", twin+1, excerpt(s.table.names[twin]))
	case j.names && j.form == FormCategory:
		s.warn(CodeIDLikeColumn, i, "nearly every row has its own text: it names rows and teaches nothing about others, so it is not used")
	case j.form == FormNumeric && allDifferent && c.counts(filled):
		s.warn(CodeIDLikeColumn, i, "the integers number the rows: they teach nothing about others, so they are not used")
	default:
		if j.form == FormNumeric && allDifferent && c.integers() && c.Numbers.Max-c.Numbers.Min < 1.5*float64(filled) {
			s.warn(CodeIDLikeColumn, i, "the integers nearly number the rows: do they teach anything about others?")
		}
		return false
	}
	return true
}

// counts reports whether numbers count the rows: each integer of a range once.
func (c *ColumnProfile) counts(rows int) bool {
	return c.integers() && c.Missing == 0 && c.Numbers.Max-c.Numbers.Min == float64(rows-1) &&
		(c.Estimate || c.Distinct == rows)
}

// integers reports whether there are numbers, and none with a fraction.
func (c *ColumnProfile) integers() bool { return c.Numbers != nil && !c.fractions }

// twin returns the earlier column that tells rows apart in the same way.
func (s *scan) twin(t *tally, c *ColumnProfile) (int, bool) {
	print, ok := t.fingerprint(c)
	if !ok || s.profile.Rows < enoughForID {
		return 0, false
	}
	if s.twins == nil {
		s.twins = make(map[fingerprint]int)
	}
	earlier, known := s.twins[print]
	if !known {
		s.twins[print] = c.Column - 1
	}
	return earlier, known
}

// fingerprint is equal for columns with the same content. Numbers must be
// equal; the texts of categories may be others for the same rows.
type fingerprint struct {
	form     Form
	order    uint64 // of the texts, as far as they were counted
	content  uint64
	distinct int
	missing  int
}

// fingerprint returns none of a column with texts that were forgotten.
func (t *tally) fingerprint(c *ColumnProfile) (print fingerprint, ok bool) {
	print = fingerprint{form: c.Form, order: t.texts.order, distinct: c.Distinct, missing: t.cells[blank]}
	if m := t.numbers; m != nil {
		for _, x := range []float64{m.mean, m.sum, m.min, m.max} {
			print.content = mix(print.content ^ math.Float64bits(x))
		}
	}
	if c.Form != FormCategory && c.Form != FormBoolean {
		for _, one := range t.texts.sample() {
			spelt := hashText([]byte(one.text))
			if one.kind == number {
				spelt = hashNumber(one.value)
			}
			print.content = mix(print.content ^ spelt)
		}
	}
	return print, t.texts.all == nil
}

// warnStrays tells of texts among numbers that are taken as missing.
func (s *scan) warnStrays(i int, j *judged) {
	t := &s.tallies[i]
	if j.form != FormNumeric || t.cells[text] == 0 {
		return
	}
	rows, first := 0, level{}
	for _, one := range t.texts.list {
		if !j.strange(&one) {
			continue
		}
		rows += one.rows
		if first.rows == 0 || one.first < first.first {
			first = one
		}
	}
	fate := "taken as missing"
	if len(j.strays) > 0 {
		fate = "kept apart from the numbers"
	}
	if rows > 0 {
		s.warnAt(first.line(), CodeJunkInNumbers, i, "%s of a column of numbers hold other text, the first %s in line %d: %s",
			plural(rows, "row"), excerpt(first.text), s.place(first.line()), fate)
	}
}

// finishLabel makes the label's texts the classes.
func (s *scan) finishLabel(ctx context.Context) error {
	p, t := s.profile, &s.tallies[s.label]
	p.Schema.Label = s.table.names[s.label]
	if d := s.labelDefect(); d != nil {
		s.refuse(*d)
		if d.Code != CodeOneClass {
			return nil
		}
	}
	list := slices.Clone(t.texts.list)
	numeric := t.cells[number] == t.filled()
	slices.SortFunc(list, compareLabels(numeric))
	if n := len(list); numeric && n > manyClasses {
		s.warn(CodeManyClasses, s.label, "foretell predicts classes, not numbers: each of the label's %d different ones is taken as a class of its own", n)
	}
	for _, one := range list {
		p.Schema.Classes = append(p.Schema.Classes, one.text)
		p.Classes = append(p.Classes, LevelRows{Text: one.text, Rows: one.rows})
	}
	if s.skipped > 0 {
		return nil // the labels of rows that could not be read are missing
	}
	s.warnSmall(list)
	s.warnSimilar(p.Schema.Classes)
	return s.findLeaks(ctx)
}

// labelDefect returns why the label's texts cannot be the classes, nil if they can.
// Those of rows that could not be read are not known: nothing is said that they
// could make wrong.
func (s *scan) labelDefect() *Defect {
	t := &s.tallies[s.label]
	filled := t.filled()
	n, _ := t.texts.distinct()
	var d Defect
	switch {
	case filled == 0:
		return nil // each row is told to have no label
	case n > maxClasses, s.skipped == 0 && n > 2 && 2*n > filled:
		d = s.tooManyClasses(n, filled)
	case t.texts.all != nil:
		d = s.table.defect(CodeTooManyClasses, s.label,
			"the label's %s different values are too long to be the names of classes: is the label the last column?%s", grouped(n), s.likelyLabel())
	case s.skipped == 0 && n == 1:
		d = s.table.defect(CodeOneClass, s.label, "every row has the label %s: at least two classes are needed%s",
			excerpt(t.texts.list[0].text), s.likelyLabel())
	default:
		return nil
	}
	return &d
}

// tooManyClasses refuses a label with n different values in rows rows.
func (s *scan) tooManyClasses(n, rows int) Defect {
	t, count := &s.tallies[s.label], grouped(n)
	if _, exact := t.texts.distinct(); !exact {
		count = "about " + grouped(min(n, rows))
	}
	if t.cells[number] == t.filled() {
		return s.table.defect(CodeNumericLabel, s.label,
			"foretell predicts classes, not numbers: the label has %s different ones in %s%s",
			count, plural(rows, "row"), s.likelyLabel())
	}
	return s.table.defect(CodeTooManyClasses, s.label,
		"the label has %s different values in %s: it must name a class that many rows share; is the label the last column?%s",
		count, plural(rows, "row"), s.likelyLabel())
}

// findLeaks measures how much of the label each column tells by itself, and
// warns of one that tells nearly all: it may be known only once the label is.
func (s *scan) findLeaks(ctx context.Context) error {
	a := newAlone(s.sample)
	if a == nil {
		return nil
	}
	columns := s.profile.Columns
	fields := make([]int, len(columns))
	for i := range columns {
		fields[i] = columns[i].Column - 1
	}
	shares, err := a.measure(ctx, fields)
	if err != nil {
		return err
	}
	for i, told := range shares {
		if columns[i].Alone = told; columns[i].Features > 0 && a.leaks(told) {
			s.warn(CodeLeakingColumn, fields[i],
				"tells the label of %s of the rows by itself, where %s alone is right in %s: is it known before the label is?",
				percent(told), excerpt(s.tallies[s.label].texts.top(1)[0].Text), percent(a.base()))
		}
	}
	return nil
}

// likelyLabel says which column is rather the label, if one is.
func (s *scan) likelyLabel() string {
	at, why := s.guessLabel(s.table.names, s.label, s.id)
	if at < 0 {
		return ""
	}
	s.profile.LikelyLabel = s.table.names[at]
	return fmt.Sprintf(" Rather %s is: %s", excerpt(s.profile.LikelyLabel), why)
}

// warnSmall tells of classes that are hard to learn: each, or all at once where
// they are many.
func (s *scan) warnSmall(list []level) {
	const many = 3
	small := slices.DeleteFunc(slices.Clone(list), func(one level) bool { return one.rows >= AdvisedRows })
	slices.SortStableFunc(small, func(a, b level) int { return cmp.Compare(a.rows, b.rows) })
	if len(small) > many {
		text := ""
		for _, one := range small[:many] {
			text += fmt.Sprintf("%s %s, ", excerpt(one.text), grouped(one.rows))
		}
		s.warnAt(small[0].line(), CodeSmallClass, s.label, "%d classes have fewer than the %d rows that are advised: %s…", len(small), AdvisedRows, text)
		return
	}
	for _, one := range small {
		s.warnAt(one.line(), CodeSmallClass, s.label, "class %s has only %s: at least %d are advised", excerpt(one.text), plural(one.rows, "row"), AdvisedRows)
	}
}

// warnSimilar names classes that a reader would take for one.
func (s *scan) warnSimilar(classes []string) {
	first := make(map[string]string, len(classes))
	for _, class := range classes {
		folded := strings.ToLower(strings.TrimSpace(class))
		if value, ok := parseNumber([]byte(folded)); ok {
			folded = strconv.FormatFloat(value, 'g', -1, 64)
		}
		if other, known := first[folded]; known {
			s.warn(CodeSimilarClasses, s.label, "the classes %s and %s differ in spelling only", excerpt(other), excerpt(class))
		} else {
			first[folded] = class
		}
	}
}

// headless reports whether the header is rather a row of data: it holds
// numbers over columns of numbers and texts that occur below it, the label
// among them.
func (s *scan) headless() bool {
	alike, features := 0, 0
	for i := range s.tallies {
		if i == s.id || i == s.label {
			continue
		}
		features++
		if s.tallies[i].resembles(s.table.names[i]) {
			alike++
		}
	}
	if s.label >= 0 {
		isClass := s.tallies[s.label].texts.find(s.table.names[s.label]) != nil
		return isClass && 2*alike >= features
	}
	return 2*alike >= features && alike > 1 && !ascending(s.table.names)
}

// resembles reports whether a header's cell could be one of the column's.
func (t *tally) resembles(name string) bool {
	if t.kind() == Numeric {
		kind, _ := classify([]byte(name))
		return kind == number && t.cells[number] > 0
	}
	return t.texts.find(name) != nil
}

// ascending reports whether the numbers among the names are integers that
// rise from left to right: years or positions, as headers have them.
func ascending(names []string) bool {
	last, any := 0.0, false
	for _, name := range names {
		value, ok := parseNumber([]byte(name))
		if !ok {
			continue
		}
		if value != float64(int64(value)) || (any && value <= last) {
			return false
		}
		last, any = value, true
	}
	return any
}

// excerpt quotes a cell for a message, cut to a readable length.
func excerpt(cell string) string {
	chars := []rune(cell)
	if len(chars) > longestExcerpt {
		cell = string(chars[:longestExcerpt]) + "…"
	}
	return strconv.Quote(cell)
}

// compareLabels orders numbers by value and other texts by their bytes.
func compareLabels(numeric bool) func(a, b level) int {
	return func(a, b level) int {
		if numeric {
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.text, b.text))
		}
		return cmp.Compare(a.text, b.text)
	}
}
