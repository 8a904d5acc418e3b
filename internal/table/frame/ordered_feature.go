package frame

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// OrderedFeature returns the index of the feature whose values are the numbers in the cells of the
// given column. It returns an error if there is no such feature, or if the column has a further
// feature, such as the month of a date. The only further feature that is allowed is a category of
// the same numbers; see [Frame.WithoutCodes].
func (s *Schema) OrderedFeature(column string) (featureIndex int, err error) {
	numbers, others := []int{}, 0
	for i := range s.Columns {
		switch c := &s.Columns[i]; {
		case c.Since == column && c.Feature == ExtractSince:
			numbers = append(numbers, i)
		case c.SourceName() != column:
		case c.Kind == Numeric:
			numbers = append(numbers, i)
		default:
			others++
		}
	}
	if reason := s.notOrderedReason(column, numbers, others); reason != "" {
		return 0, fmt.Errorf("%q %s", column, reason)
	}
	return numbers[0], nil
}

// notOrderedReason returns the reason why a column has no ordered feature, or "" if it has one.
// numeric are the numeric features of the column, and others is the number of its other features.
func (s *Schema) notOrderedReason(column string, numeric []int, others int) string {
	const want = "; name a column of numbers"
	names := s.FieldNames()
	switch {
	case column == s.ID:
		return "is the ID" + want
	case column == s.Label:
		return "is the label" + want
	case !slices.Contains(names, column):
		return "is not a column of the training file" + csvfile.DidYouMean(column, names)
	case len(numeric)+others == 0:
		return "is ignored in training" + want + " that is not ignored"
	case len(numeric) == 0:
		return "is a category" + want
	}
	first := &s.Columns[numeric[0]]
	switch family, _ := first.Feature.group(); {
	case family == ExtractWord:
		return "is a text" + want
	case family == ExtractItem:
		return "is a list" + want
	case len(numeric) > 1 && s.isUnixTime(column):
		return "has Unix times, and their month, day, weekday or hour, or their difference from another date, is also a feature" + want
	case len(numeric) > 1:
		if s.Columns[numeric[len(numeric)-1]].Feature == ExtractSince {
			return "is a date whose difference from another date is also a feature" + want
		}
		return "is a date whose month, day, weekday or hour is also a feature" + want
	}
	return ""
}

// isUnixTime reports whether the dates of a column are Unix times.
func (s *Schema) isUnixTime(column string) bool {
	return slices.ContainsFunc(s.Columns, func(c ColumnSchema) bool { return c.SourceName() == column && c.Epoch != "" })
}

// WithoutCodes returns f without the category whose levels are the numbers of the given column. If
// the column has no such feature, it returns f.
func (f *Frame) WithoutCodes(column string) *Frame {
	at := slices.IndexFunc(f.Schema.Columns, func(c ColumnSchema) bool {
		return c.SourceName() == column && c.Feature == ExtractText && f.Schema.hasNumberLevel(&c)
	})
	if at < 0 {
		return f
	}
	schema, out := *f.Schema, *f
	schema.Columns = slices.Delete(slices.Clone(schema.Columns), at, at+1)
	out.Schema, out.Columns = &schema, slices.Delete(slices.Clone(f.Columns), at, at+1)
	return &out
}

// hasNumberLevel reports whether a level of c is a number of the numeric feature of the same column.
func (s *Schema) hasNumberLevel(c *ColumnSchema) bool {
	at, err := s.OrderedFeature(c.SourceName())
	return err == nil && slices.ContainsFunc(c.Levels, s.Columns[at].isNumber)
}

// isNumber reports whether a numeric feature reads a text as a number. If not, the text is a
// missing value for the feature.
func (c *ColumnSchema) isNumber(text string) bool {
	if c.Feature != ExtractAmount {
		return !math.IsNaN(cells.NumberOrNaN([]byte(text)))
	}
	format := cells.NumberFormat{Unit: c.Unit, DecimalComma: c.DecimalComma}
	_, ok := format.Parse([]byte(text))
	return ok
}
