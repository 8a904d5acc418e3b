package frame

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// The rules by which a file is judged once all of it has been seen.
const (
	maxClasses     = 1_000 // more labels are a quantity, not a class
	smallClass     = 25    // rows below which a class is hard to learn
	manyClasses    = 100   // classes of numbers that may be a quantity
	enoughForID    = 50    // rows from which a column may be called ID-like
	idLikeShare    = 0.95  // share of different values that makes it so
	topLevels      = 10
	longestExcerpt = 40 // characters of a cell quoted in a message
)

// finishColumn profiles the feature in field i.
func (s *scan) finishColumn(i int) {
	t := &s.tallies[i]
	kind, numbers := t.kind(), t.measured()
	c := ColumnProfile{Name: s.table.names[i], Column: i + 1, Kind: kind, Missing: t.missing(), texts: t.texts.list}
	schema := ColumnSchema{Name: c.Name, Kind: kind}
	if kind == Numeric {
		c.Distinct, c.Estimate = numbers.values.count(), !numbers.values.exact()
		c.Numbers = numbers.numbers()
	} else {
		c.Distinct, c.Estimate = t.distinctTexts()
		c.Top = t.texts.top(topLevels)
		for _, one := range t.texts.retained() {
			schema.Levels = append(schema.Levels, one.text)
		}
	}
	s.profile.Columns = append(s.profile.Columns, c)
	s.profile.Schema.Columns = append(s.profile.Schema.Columns, schema)
	s.warnColumn(i, &c, numbers)
}

// warnColumn says what may be wrong with the use of a feature.
func (s *scan) warnColumn(i int, c *ColumnProfile, numbers *measure) {
	filled := s.profile.Rows - c.Missing
	allDifferent := filled >= enoughForID && float64(c.Distinct) >= idLikeShare*float64(filled)
	switch {
	case filled <= 0:
		s.warn(CodeEmptyColumn, i, "no row has a value")
	case c.Distinct == 1 && c.Missing == 0:
		s.warn(CodeConstantColumn, i, "every row has the same value")
	case c.Kind == Category && allDifferent:
		s.warn(CodeIDLikeColumn, i, "nearly every row has its own text: it names rows and teaches nothing about others")
	case c.Kind == Numeric && allDifferent && !numbers.fractions && numbers.max-numbers.min < 1.5*float64(filled):
		s.warn(CodeIDLikeColumn, i, "the integers number the rows: they teach nothing about others")
	}
	t := &s.tallies[i]
	if c.Kind == Numeric && t.cells[text] > 0 {
		s.warn(CodeJunkInNumbers, i, "%s of a column of numbers hold other text, the first %s in line %d: taken as missing",
			plural(t.cells[text], "row"), excerpt(t.junk.text), t.junk.line)
	}
}

// finishLabel makes the label's texts the classes.
func (s *scan) finishLabel() {
	p, t := s.profile, &s.tallies[s.label]
	p.Schema.Label = s.table.names[s.label]
	list := slices.Clone(t.texts.list)
	numeric := allNumbers(list)
	slices.SortFunc(list, compareLabels(numeric))
	labelled := p.Rows - t.cells[blank]
	n, _ := t.texts.distinct()
	switch {
	case len(list) == 0 || s.skipped > 0:
		return // the labels of rows that could not be read are missing
	case len(list) == 1:
		s.refuse(s.table.defect(CodeOneClass, s.label, "every row has the label %s: at least two classes are needed", excerpt(list[0].text)))
	case n > 2 && 2*n > labelled, n > maxClasses:
		s.refuse(s.table.defect(CodeTooManyClasses, s.label,
			"the label has %s different values in %s: it must name a class that many rows share; is the label the last column?",
			grouped(n), plural(labelled, "row")))
		return
	case numeric && n > manyClasses:
		s.warn(CodeManyClasses, s.label, "%d different numbers: each is taken as a class of its own", n)
	}
	for _, one := range list {
		p.Schema.Classes = append(p.Schema.Classes, one.text)
		p.Classes = append(p.Classes, LevelRows{Text: one.text, Rows: one.rows})
		if one.rows < smallClass {
			s.warn(CodeSmallClass, s.label, "class %s has only %s", excerpt(one.text), plural(one.rows, "row"))
		}
	}
	s.warnSimilar(p.Schema.Classes)
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
		_, isClass := s.tallies[s.label].texts.index[s.table.names[s.label]]
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
	_, known := t.texts.index[name]
	return known
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

func allNumbers(list []level) bool {
	return !slices.ContainsFunc(list, func(one level) bool { return one.kind != number })
}
