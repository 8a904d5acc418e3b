package profile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// Limits for the checks of the label.
const (
	// AdvisedClassRows is the recommended smallest number of rows of a class. A class
	// with fewer rows is hard to learn, and its scores are uncertain.
	AdvisedClassRows = 25

	// MaxUnconfirmedNumbers is the largest number of distinct numbers that may be the classes of a
	// label without the confirmation of the user. More of them are probably a quantity.
	MaxUnconfirmedNumbers = 50

	maxClasses  = 1_000 // more distinct labels are a quantity, not classes
	manyNumbers = 20    // more distinct numbers may be a quantity
)

// checkLabel sets the classes of the schema to the label's texts and checks them.
func (s *scanner) checkLabel(ctx context.Context) error {
	p, t := s.profile, &s.columns[s.label]
	p.Schema.Label = s.table.Names[s.label]
	if d := s.labelDefect(); d != nil {
		s.addDefects(*d)
		if d.Code != csvfile.CodeOneClass {
			return nil
		}
	}
	list := slices.Clone(t.texts.values)
	numeric := t.rowsByKind[cells.Number] == t.nonBlank()
	slices.SortFunc(list, compareLabels(numeric))
	if n := len(list); n > manyNumbers && t.hasOnlyNumbers() {
		s.warn(csvfile.CodeManyClasses, s.label, "foretell predicts classes, not numbers; each of the label's %d different numbers becomes a class", n)
	}
	for _, one := range list {
		p.Schema.Classes = append(p.Schema.Classes, one.text)
		p.Classes = append(p.Classes, ValueCount{Text: one.text, Rows: one.rows})
	}
	if s.unreadableRows > 0 {
		return nil // the labels of unreadable rows are missing
	}
	s.warnSmallClasses(list)
	s.warnSimilarClasses(p.Schema.Classes)
	s.warnClassNames(list)
	s.warnGroupAndTimeColumns()
	return s.warnLeaks(ctx)
}

// labelDefect returns the reason why the label's texts cannot be classes, or nil if they can. The
// labels of unreadable rows are unknown. If there are such rows, labelDefect returns a defect only
// if no labels of these rows could correct it.
func (s *scanner) labelDefect() *csvfile.Defect {
	t := &s.columns[s.label]
	filled := t.nonBlank()
	n, _ := t.texts.distinctCount()
	var d csvfile.Defect
	switch {
	case filled == 0:
		return nil // each row without a label is a defect already
	case n > maxClasses, s.unreadableRows == 0 && n > 2 && 2*n > filled:
		d = s.tooManyClassesDefect(n, filled)
	case t.texts.distinctHashes != nil:
		d = s.table.HeaderDefect(csvfile.CodeTooManyClasses, s.label,
			"the label's %s different values are too long to be the names of classes: is the label the last column?", humanize.Comma(n))
	case s.unreadableRows == 0 && n == 1:
		d = s.table.HeaderDefect(csvfile.CodeOneClass, s.label, "every row has the label %s, but at least two classes are required",
			csvfile.Excerpt(t.texts.values[0].text))
	default:
		return nil
	}
	return &d
}

// tooManyClassesDefect returns the defect of a label with n distinct values in the given number
// of rows.
func (s *scanner) tooManyClassesDefect(n, rows int) csvfile.Defect {
	t, count := &s.columns[s.label], humanize.Comma(n)
	if _, exact := t.texts.distinctCount(); !exact {
		count = "about " + humanize.Comma(min(n, rows))
	}
	if t.hasOnlyNumbers() {
		return s.table.HeaderDefect(csvfile.CodeNumericLabel, s.label,
			"foretell predicts classes, not numbers; the label has %s different numbers in %s",
			count, humanize.Count(rows, "row"))
	}
	return s.table.HeaderDefect(csvfile.CodeTooManyClasses, s.label,
		"the label has %s different values in %s, but must be a class that many rows share: is the label the last column?",
		count, humanize.Count(rows, "row"))
}

// hasOnlyNumbers reports whether all values are numbers, which may have a currency, a unit or
// separators of thousands, such as $1,200.
func (t *ColumnStats) hasOnlyNumbers() bool {
	if t.rowsByKind[cells.Number] == t.nonBlank() {
		return true
	}
	texts := t.texts.allOrFirstTexts()
	best := bestAmounts(texts)
	inf, areAmounts := t.decideAmounts(&best)
	return areAmounts && !slices.ContainsFunc(texts, func(one distinctValue) bool { return inf.isStray(&one) })
}

// warnLeaks computes how accurately each column alone predicts the label. It warns about
// a column that is nearly always right, because its values may become known only after
// the label.
func (s *scanner) warnLeaks(ctx context.Context) error {
	if s.opts.Brief {
		return nil
	}
	detector, err := newLeakDetector(ctx, s.sample)
	if detector == nil || err != nil {
		return err
	}
	shares, err := detector.columnAccuracies(ctx, func(i int) bool { return i != s.id && i != s.label })
	if err != nil {
		return err
	}
	columns := s.profile.Columns
	for i := range columns {
		field := columns[i].Column - 1
		accuracy := shares[field]
		if columns[i].LabelAccuracy = accuracy; columns[i].Features > 0 && detector.isLeak(accuracy) {
			s.warn(csvfile.CodeLeakingColumn, field,
				"the column alone predicts %s of the labels (always predicting %[2]s: %[3]s): is the column known before the label is?",
				humanize.Percent(accuracy), csvfile.Excerpt(s.columns[s.label].texts.top(1)[0].Text), humanize.Percent(detector.baseline()))
		}
	}
	return nil
}

// warnSmallClasses warns about classes with few rows. If there are many, it adds one
// warning for all.
func (s *scanner) warnSmallClasses(list []distinctValue) {
	const many = 3
	small := slices.DeleteFunc(slices.Clone(list), func(one distinctValue) bool { return one.rows >= AdvisedClassRows })
	slices.SortStableFunc(small, func(a, b distinctValue) int { return cmp.Compare(a.rows, b.rows) })
	if len(small) > many {
		text := ""
		for _, one := range small[:many] {
			text += fmt.Sprintf("%s %s, ", csvfile.Excerpt(one.text), humanize.Comma(one.rows))
		}
		s.warnAt(small[0].firstLine(), csvfile.CodeSmallClass, s.label, "%d classes have fewer than the recommended %d rows: %s…", len(small), AdvisedClassRows, text)
		return
	}
	for _, one := range small {
		s.warnAt(one.firstLine(), csvfile.CodeSmallClass, s.label, "class %s has only %s; at least %d are recommended", csvfile.Excerpt(one.text), humanize.Count(one.rows, "row"), AdvisedClassRows)
	}
}

// warnSimilarClasses warns about classes whose names differ only in spelling.
func (s *scanner) warnSimilarClasses(classes []string) {
	first := make(map[string]string, len(classes))
	for _, class := range classes {
		folded := foldClass(class)
		if other, known := first[folded]; known {
			s.warn(csvfile.CodeSimilarClasses, s.label, "the classes %s and %s differ in spelling only", csvfile.Excerpt(other), csvfile.Excerpt(class))
		} else {
			first[folded] = class
		}
	}
}

// foldClass returns a text that is equal for classes whose names differ only in spelling: in case, in
// surrounding spaces, in the composition of characters such as é, or in the form of a number.
func foldClass(class string) string {
	folded := norm.NFC.String(cells.FoldCase(class))
	value, ok := cells.ParseNumber([]byte(folded))
	switch {
	case !ok || !cells.DigitsFitFloat64(folded):
		return folded
	case value == 0:
		return "0" // also for -0
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}

// warnClassNames warns about classes whose names suggest that the label is missing, such as NA, and
// about spaces around names. In a label, a text such as NA is an ordinary name, because a label is
// not a number.
func (s *scanner) warnClassNames(list []distinctValue) {
	var spaced *distinctValue
	for i, one := range list {
		if len(list) > 2 && meansMissing(one.text) {
			s.warnAt(one.firstLine(), csvfile.CodeMissingClass, s.label, "the label %s (%s) becomes a class of its own", csvfile.Excerpt(one.text), humanize.Count(one.rows, "row"))
		}
		name := strings.TrimSpace(one.text)
		if spaced == nil && one.text != name && !slices.ContainsFunc(list, func(other distinctValue) bool { return other.text == name }) {
			spaced = &list[i] // warnSimilarClasses has not warned about it
		}
	}
	if spaced != nil {
		s.warnAt(spaced.firstLine(), csvfile.CodeSpacedClass, s.label, "the class %s has spaces around its name, which are part of the name", csvfile.Excerpt(spaced.text))
	}
}

// meansMissing reports whether a label probably stands for a missing one. It returns false for
// none, inf and a minus sign, because they are names of classes in many files.
func meansMissing(label string) bool {
	kind, _ := cells.Classify([]byte(label))
	folded := cells.FoldCase(label)
	return kind == cells.Null && folded != "none" && folded != "-" && !strings.Contains(folded, "inf")
}

// compareLabels returns a function that compares labels: by value if numeric is set, then
// by bytes.
func compareLabels(numeric bool) func(a, b distinctValue) int {
	return func(a, b distinctValue) int {
		if numeric {
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.text, b.text))
		}
		return cmp.Compare(a.text, b.text)
	}
}
