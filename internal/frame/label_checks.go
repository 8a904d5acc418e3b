package frame

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The rules by which a label is judged.
const (
	// AdvisedClassRows is how many rows a class should have: with fewer it is hard to
	// learn, and harder to measure.
	AdvisedClassRows = 25

	maxClasses  = 1_000 // more labels are a quantity, not a class
	manyClasses = 50    // classes of numbers that may be a quantity
)

// checkLabel makes the label's texts the classes.
func (s *scanner) checkLabel(ctx context.Context) error {
	p, t := s.profile, &s.columns[s.label]
	p.Schema.Label = s.table.names[s.label]
	if d := s.labelDefect(); d != nil {
		s.addDefects(*d)
		if d.Code != CodeOneClass {
			return nil
		}
	}
	list := slices.Clone(t.texts.list)
	numeric := t.cells[number] == t.nonBlank()
	slices.SortFunc(list, compareLabels(numeric))
	if n := len(list); numeric && n > manyClasses {
		s.warn(CodeManyClasses, s.label, "foretell predicts classes, not numbers: each of the label's %d different ones is taken as a class of its own", n)
	}
	for _, one := range list {
		p.Schema.Classes = append(p.Schema.Classes, one.text)
		p.Classes = append(p.Classes, ValueCount{Text: one.text, Rows: one.rows})
	}
	if s.unreadable > 0 {
		return nil // the labels of rows that could not be read are missing
	}
	s.warnSmallClasses(list)
	s.warnSimilarClasses(p.Schema.Classes)
	return s.findLeaks(ctx)
}

// labelDefect returns why the label's texts cannot be the classes, nil if they can.
// Those of rows that could not be read are not known: nothing is said that they
// could make wrong.
func (s *scanner) labelDefect() *Defect {
	t := &s.columns[s.label]
	filled := t.nonBlank()
	n, _ := t.texts.distinct()
	var d Defect
	switch {
	case filled == 0:
		return nil // each row is told to have no label
	case n > maxClasses, s.unreadable == 0 && n > 2 && 2*n > filled:
		d = s.tooManyClasses(n, filled)
	case t.texts.hashes != nil:
		d = s.table.defect(CodeTooManyClasses, s.label,
			"the label's %s different values are too long to be the names of classes: is the label the last column?", groupDigits(n))
	case s.unreadable == 0 && n == 1:
		d = s.table.defect(CodeOneClass, s.label, "every row has the label %s: at least two classes are needed",
			excerpt(t.texts.list[0].text))
	default:
		return nil
	}
	return &d
}

// tooManyClasses refuses a label with n different values in rows rows.
func (s *scanner) tooManyClasses(n, rows int) Defect {
	t, count := &s.columns[s.label], groupDigits(n)
	if _, exact := t.texts.distinct(); !exact {
		count = "about " + groupDigits(min(n, rows))
	}
	if t.cells[number] == t.nonBlank() {
		return s.table.defect(CodeNumericLabel, s.label,
			"foretell predicts classes, not numbers: the label has %s different ones in %s",
			count, pluralize(rows, "row"))
	}
	return s.table.defect(CodeTooManyClasses, s.label,
		"the label has %s different values in %s: it must name a class that many rows share; is the label the last column?",
		count, pluralize(rows, "row"))
}

// findLeaks measures how much of the label each column tells by itself, and
// warns of one that tells nearly all: it may be known only once the label is.
func (s *scanner) findLeaks(ctx context.Context) error {
	if s.opts.Brief {
		return nil
	}
	a, err := newLeakDetector(ctx, s.sample)
	if a == nil || err != nil {
		return err
	}
	shares, err := a.accuracies(ctx, func(i int) bool { return i != s.id && i != s.label })
	if err != nil {
		return err
	}
	columns := s.profile.Columns
	for i := range columns {
		field := columns[i].Column - 1
		told := shares[field]
		if columns[i].LabelAccuracy = told; columns[i].Features > 0 && a.leaks(told) {
			s.warn(CodeLeakingColumn, field,
				"tells the label of %s of the rows by itself, where %s alone is right in %s: is it known before the label is?",
				formatPercent(told), excerpt(s.columns[s.label].texts.top(1)[0].Text), formatPercent(a.baseline()))
		}
	}
	return nil
}

// warnSmallClasses tells of classes that are hard to learn: each, or all at once where
// they are many.
func (s *scanner) warnSmallClasses(list []distinctValue) {
	const many = 3
	small := slices.DeleteFunc(slices.Clone(list), func(one distinctValue) bool { return one.rows >= AdvisedClassRows })
	slices.SortStableFunc(small, func(a, b distinctValue) int { return cmp.Compare(a.rows, b.rows) })
	if len(small) > many {
		text := ""
		for _, one := range small[:many] {
			text += fmt.Sprintf("%s %s, ", excerpt(one.text), groupDigits(one.rows))
		}
		s.warnAt(small[0].firstLine(), CodeSmallClass, s.label, "%d classes have fewer than the %d rows that are advised: %s…", len(small), AdvisedClassRows, text)
		return
	}
	for _, one := range small {
		s.warnAt(one.firstLine(), CodeSmallClass, s.label, "class %s has only %s: at least %d are advised", excerpt(one.text), pluralize(one.rows, "row"), AdvisedClassRows)
	}
}

// warnSimilarClasses names classes that a reader would take for one.
func (s *scanner) warnSimilarClasses(classes []string) {
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

// compareLabels orders numbers by value and other texts by their bytes.
func compareLabels(numeric bool) func(a, b distinctValue) int {
	return func(a, b distinctValue) int {
		if numeric {
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.text, b.text))
		}
		return cmp.Compare(a.text, b.text)
	}
}
