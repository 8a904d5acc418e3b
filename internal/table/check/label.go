package check

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// Limits for the checks of the label.
const (
	// AdvisedClassRows is the recommended smallest number of rows of a class. A class
	// with fewer rows is hard to learn, and its scores are uncertain.
	AdvisedClassRows = 25

	// MaxUnconfirmedNumbers is the largest number of distinct numbers in a label that are accepted
	// as classes without the user's confirmation. If there are more, the label is probably a
	// quantity.
	MaxUnconfirmedNumbers = 50

	maxClasses  = 1_000 // more distinct labels are a quantity, not classes
	manyNumbers = 20    // more distinct numbers may be a quantity

	minMeasurementRows = 5 // with fewer rows per number, many numbers with decimals are a quantity
)

// LabelDefect returns the code and the message of a defect if the texts of the label cannot be
// classes. If there is no defect, code is empty. If complete is false, further rows may follow;
// LabelDefect then reports only defects that further rows cannot correct.
func LabelDefect(t *columnstats.Column, complete bool) (code, message string) {
	filled := t.NonBlank()
	n, _ := t.DistinctCount()
	switch {
	case filled == 0:
		return "", "" // each row without a label is a defect already
	case n > maxClasses, complete && n > 2 && 2*n > filled, complete && areMeasurements(t, n, filled):
		return tooManyClassesDefect(t, n, filled)
	case !t.KnowsAllTexts():
		return csvfile.CodeTooManyClasses, fmt.Sprintf("the label's %s different values are too long to be the names of classes: is the label the last column?", humanize.Comma(n))
	case complete && n == 1:
		return csvfile.CodeOneClass, fmt.Sprintf("every row has the label %s, but at least two classes are required", csvfile.Excerpt(t.Values()[0].Text))
	}
	return "", ""
}

// LongLabel returns the first label of more than [csvfile.MaxLabelLength] characters and the message
// of its defect, or nil if no label is that long.
func LongLabel(t *columnstats.Column) (label *columnstats.Value, message string) {
	values, length := t.Values(), 0
	for i := range values {
		if n := utf8.RuneCountInString(values[i].Text); n > csvfile.MaxLabelLength && (label == nil || values[i].FirstLine() < label.FirstLine()) {
			label, length = &values[i], n
		}
	}
	if label == nil {
		return nil, ""
	}
	return label, fmt.Sprintf("the label %s has %s characters, but may have at most %d: shorten it, or is the label the last column?",
		csvfile.Excerpt(label.Text), humanize.Comma(length), csvfile.MaxLabelLength)
}

// areMeasurements reports whether the label's n distinct texts in the given number of rows are
// numbers that measure something. This requires that there are too many numbers, each in too few
// rows, for classes. It also requires that some of them have decimals or separators, because plain
// integers may be codes of classes, and that lookLikeCodes returns false.
func areMeasurements(t *columnstats.Column, n, rows int) bool {
	if n <= MaxUnconfirmedNumbers || minMeasurementRows*n <= rows || !t.KnowsAllTexts() || !inference.HasOnlyNumbers(t) {
		return false
	}
	return !lookLikeCodes(t.Values()) && slices.ContainsFunc(t.Values(), func(v columnstats.Value) bool { return strings.ContainsAny(v.Text, ".,") })
}

// lookLikeCodes reports whether values look like codes with a point, such as 226.50 and 401.91. All
// must have the same number of decimals, at least two. Some, but not all, must end in 0: programs
// omit such a 0 when they write numbers.
func lookLikeCodes(values []columnstats.Value) bool {
	length, zeros := -1, 0
	for i := range values {
		whole, decimals, _ := strings.Cut(values[i].Text, ".")
		if length < 0 {
			length = len(decimals)
		}
		if len(decimals) != length || strings.Trim(whole+decimals, "0123456789") != "" {
			return false
		}
		if strings.HasSuffix(decimals, "0") {
			zeros++
		}
	}
	return length >= 2 && zeros > 0 && zeros < len(values)
}

// tooManyClassesDefect returns the defect of a label with n distinct values in the given number
// of rows.
func tooManyClassesDefect(t *columnstats.Column, n, rows int) (code, message string) {
	count := humanize.Comma(n)
	if _, estimated := t.DistinctCount(); estimated {
		count = "about " + humanize.Comma(min(n, rows))
	}
	if inference.HasOnlyNumbers(t) {
		return csvfile.CodeNumericLabel, fmt.Sprintf("foretell predicts classes, not numbers; the label has %s different numbers in %s", count, humanize.Count(rows, "row"))
	}
	if 2*n <= rows {
		return csvfile.CodeTooManyClasses, fmt.Sprintf("the label has %s different values, but there may be at most %s classes: is the label the last column?", count, humanize.Comma(maxClasses))
	}
	return csvfile.CodeTooManyClasses, fmt.Sprintf("the label has %s different values in %s, but must be a class that many rows share: is the label the last column?", count, humanize.Count(rows, "row"))
}

// NumericClasses returns a warning if the label has many different numbers, because they may be
// quantities.
func NumericClasses(t *columnstats.Column) []csvfile.Warning {
	n := len(t.Values())
	if n <= manyNumbers || !inference.HasOnlyNumbers(t) {
		return nil
	}
	return []csvfile.Warning{{
		Code:    csvfile.CodeManyClasses,
		Message: fmt.Sprintf("foretell predicts classes, not numbers; each of the label's %d different numbers becomes a class", n),
	}}
}

// Classes checks the names of the classes and their numbers of rows. The line of a warning is 0 if
// the warning is not about a row.
func Classes(classes []columnstats.Value) []csvfile.Warning {
	var c classChecker
	c.warnSmallClasses(classes)
	c.warnSingletons(classes)
	c.warnSimilarClasses(classes)
	c.warnClassNames(classes)
	return c.warnings
}

// classChecker is the state of a call of Classes.
type classChecker struct{ warnings []csvfile.Warning }

func (c *classChecker) warnAt(line int, code, format string, args ...any) {
	c.warnings = append(c.warnings, csvfile.Warning{Code: code, Line: line, Message: fmt.Sprintf(format, args...)})
}

// warnSmallClasses warns about classes with few rows. If there are many such classes, it adds one
// warning for all of them.
func (c *classChecker) warnSmallClasses(list []columnstats.Value) {
	const many = 3
	small := slices.DeleteFunc(slices.Clone(list), func(one columnstats.Value) bool { return one.Rows >= AdvisedClassRows })
	sort.SliceStable(small, func(i, j int) bool { return small[i].Rows < small[j].Rows })
	if len(small) > many {
		text := ""
		for _, one := range small[:many] {
			text += fmt.Sprintf("%s %s, ", csvfile.Excerpt(one.Text), humanize.Count(one.Rows, "row"))
		}
		c.warnAt(small[0].FirstLine(), csvfile.CodeSmallClass, "%d classes have fewer than the recommended %d rows: %s…", len(small), AdvisedClassRows, text)
		return
	}
	for _, one := range small {
		c.warnAt(one.FirstLine(), csvfile.CodeSmallClass, "the class %s has only %s; at least %d rows are recommended", csvfile.Excerpt(one.Text), humanize.Count(one.Rows, "row"), AdvisedClassRows)
	}
}

// warnSingletons warns if at least a fiftieth of the rows, but less than a half, are the only row of
// their class. The race reports how much higher its scores are because these rows are not scored. If
// half of the rows are, the label is probably no class; see LabelDefect.
func (c *classChecker) warnSingletons(list []columnstats.Value) {
	rows, singletons, line := 0, 0, 0
	for _, one := range list {
		rows += one.Rows
		if one.Rows == 1 {
			singletons++
			if line == 0 || one.FirstLine() < line {
				line = one.FirstLine()
			}
		}
	}
	if singletons > 1 && singletons < rows/2 && 50*singletons >= rows {
		c.warnAt(line, csvfile.CodeSmallClass, "%s of %s rows are the only row of their class, so they cannot be scored, and the scores will be too high", humanize.Comma(singletons), humanize.Comma(rows))
	}
}

// warnSimilarClasses warns about classes whose names differ only in spelling, once for all spellings of
// a name. If all classes are booleans, words and numbers with the same meaning, such as true and 1,
// count as spellings of one name.
func (c *classChecker) warnSimilarClasses(list []columnstats.Value) {
	areBooleans := haveOnlyBooleans(list)
	spellings := make(map[string][]string, len(list)) // the spellings of each folded name
	var names []string                                // the folded names, in the order of list
	for i := range list {
		folded := cells.FoldLabel(list[i].Text)
		if areBooleans {
			folded = cells.FoldBoolean(folded)
		}
		if spellings[folded] == nil {
			names = append(names, folded)
		}
		spellings[folded] = append(spellings[folded], cells.QuoteVisibly(csvfile.Shorten(list[i].Text)))
	}
	for _, name := range names {
		const most = 10
		switch same := spellings[name]; {
		case len(same) > most:
			c.warnAt(0, csvfile.CodeSimilarClasses, "the classes %s differ in spelling only", humanize.List(same, most))
		case len(same) > 1:
			c.warnAt(0, csvfile.CodeSimilarClasses, "the classes %s differ in spelling only", humanize.JoinAnd(same))
		}
	}
}

// unknownLabels are texts, in lower case, that in many files mean that the label is unknown.
var unknownLabels = []string{"unknown", "unbekannt", "k.a.", "missing", "not available", "-"}

// warnClassNames warns about classes whose names suggest that the label is missing, such as NA, and
// about spaces around names. A model would predict such a class like any other. A minus sign is not
// reported if there is a class such as + or ++. If there are only two classes, a word such as
// unknown is probably the opposite of the other class, so only texts that mean a missing value in
// most programs are reported.
func (c *classChecker) warnClassNames(list []columnstats.Value) {
	var spaced *columnstats.Value
	isSign := slices.ContainsFunc(list, func(one columnstats.Value) bool { return strings.HasPrefix(strings.TrimSpace(one.Text), "+") })
	for i, one := range list {
		name := strings.TrimSpace(one.Text)
		isUnknown := len(list) > 2 && (name != "-" || !isSign) && slices.Contains(unknownLabels, cells.FoldCase(name))
		if isUnknown || cells.LabelMeansMissing(one.Text) {
			c.warnAt(one.FirstLine(), csvfile.CodeMissingClass, "the label %s (%s) is not read as a missing label, but as a class of its own", csvfile.Excerpt(one.Text), humanize.Count(one.Rows, "row"))
		}
		if spaced == nil && one.Text != name && !slices.ContainsFunc(list, func(other columnstats.Value) bool { return other.Text == name }) {
			spaced = &list[i] // warnSimilarClasses has not warned about it
		}
	}
	if spaced != nil {
		c.warnAt(spaced.FirstLine(), csvfile.CodeSpacedClass, "the class %s has spaces around its name, which are part of the name", csvfile.Excerpt(spaced.Text))
	}
}
