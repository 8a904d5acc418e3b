package profile

import (
	"context"
	"slices"

	"foretell/internal/humanize"
	"foretell/internal/rescue"
	"foretell/internal/table/cells"
	"foretell/internal/table/check"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/rowsample"
)

// Limits for the checks of columns.
const (
	minIDRows          = 50   // smallest number of rows of an ID-like column
	minIDDistinctShare = 0.95 // smallest fraction of distinct values in an ID-like column
	maxBlankIDShare    = 0.01 // largest fraction of rows without a value in a column of IDs; see isIDWithBlanks
	maxRowNumberRatio  = 1.25 // largest number in a column of row numbers with gaps, divided by the number of rows
	maxTopValues       = 10   // largest number of texts in ColumnProfile.Top
)

// checkColumns fills in the profiles of the columns and the schema's features.
func (s *scanner) checkColumns(ctx context.Context) error {
	inferences, profiles := make([]inference.Result, len(s.columns)), make([]ColumnProfile, len(s.columns))
	err := rescue.ParallelFor(ctx, len(s.columns), func(i int) {
		if i != s.id && i != s.label {
			inferences[i] = inference.InferWithDecimalSeparators(&s.columns[i])
		}
	})
	if err != nil {
		return err
	}
	inference.Resolve(inferences, s.table.Names, s.columns, s.opts.Training)
	err = rescue.ParallelFor(ctx, len(s.columns), func(i int) {
		if i != s.id && i != s.label {
			profiles[i] = describe(&s.columns[i], &inferences[i])
		}
	})
	if err != nil {
		return err
	}
	stats, err := s.sample.FieldStats(ctx, func(i int) bool {
		return profiles[i].Numbers != nil && (!s.opts.Brief || s.columns[i].IsSampled()) || profiles[i].Estimate && s.sample.HasAllRows()
	})
	if err != nil {
		return err
	}
	inference.LimitFeatures(inferences, s.profile.Rows)
	schema := s.profile.Schema
	schema.Fields = make([]string, 0, len(inferences))
	schema.Columns = make([]frame.ColumnSchema, 0, len(inferences))
	s.profile.Columns = profiles[:0] // an element is overwritten only after it has been read
	for i := range inferences {
		if i == s.id || i == s.label {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c := &profiles[i]
		c.Name, c.Column, c.Words = s.table.Names[i], i+1, len(inferences[i].Words)
		s.setMedianAndExactCount(c, &inferences[i], stats[i])
		s.checkColumn(i, c, &inferences[i])
	}
	missing := make(map[string]int)
	for i := range s.profile.Columns {
		missing[s.profile.Columns[i].Name] = s.profile.Columns[i].Missing
	}
	schema.Columns = append(schema.Columns, inference.Differences(schema, missing)...)
	schema.OmitImpliedFields()
	return nil
}

// setMedianAndExactCount sets the median and the percentiles of c. f are the statistics of a sample
// of the rows. If the sample contains all rows, an estimated number of distinct values is replaced
// by the exact number.
func (s *scanner) setMedianAndExactCount(c *ColumnProfile, inf *inference.Result, f rowsample.FieldStats) {
	if c.Numbers != nil && inf.Values == nil {
		c.percentiles = f.Percentiles
	}
	switch {
	case c.Numbers == nil:
	case inf.Values != nil && inf.IsSampled: // describeSampled has set it
	case inf.Values != nil:
		c.Numbers.Median = columnstats.WeightedMedian(inf.Values)
	case !s.opts.Brief:
		c.Numbers.Median, c.Numbers.MedianEstimate = f.Median, !s.sample.HasAllRows()
	}
	if !c.Estimate || !s.sample.HasAllRows() {
		return
	}
	switch {
	case inf.Form == inference.FormNumeric && inf.Values == nil:
		c.Distinct, c.Estimate = f.Numbers, false
	case !inf.Form.IsOrdered() && !s.columns[c.Column-1].HasNumbers():
		c.Distinct, c.Estimate = f.Texts, false
	}
}

func (s *scanner) checkColumn(i int, c *ColumnProfile, inf *inference.Result) {
	features := inference.Features(&s.columns[i], c.Name, inf)
	c.Features = len(features)
	if s.warnIfUninformative(i, c, inf) {
		features, c.Features = nil, 0
	}
	if s.label < 0 {
		c.uncounted = s.columns[i].UncountedSample()
	}
	schema := s.profile.Schema
	schema.Fields = append(schema.Fields, c.Name)
	schema.Columns = append(schema.Columns, features...)
	s.profile.Columns = append(s.profile.Columns, *c)
	s.addWarnings(i, check.Column(&s.columns[i], inf, check.Options{Blind: s.label < 0, Unused: c.Features == 0, FormatLine: s.formatLine}))
}

// checkFeatures adds a defect if no column of a training file has a feature, because a model would
// then predict the same for every row. It adds nothing if another defect of the file, such as
// unreadable rows, may be the reason.
func (s *scanner) checkFeatures() {
	if s.label >= 0 && len(s.profile.Schema.Columns) == 0 && s.profile.log.IsEmpty() {
		s.addDefects(s.table.HeaderDefect(csvfile.CodeNoFeatures, -1, "no column can be used as a feature"))
	}
}

// warnIfUninformative reports whether a column is useless for learning, and warns if it is or may be.
// It returns false for every column of a blind file.
func (s *scanner) warnIfUninformative(i int, c *ColumnProfile, inf *inference.Result) (uninformative bool) {
	if s.label < 0 {
		return false
	}
	filled := s.profile.Rows - c.Missing
	allDifferent := filled >= minIDRows && float64(c.Distinct) >= minIDDistinctShare*float64(filled)
	switch earlier, known := s.findOrRecordColumn(&s.columns[i], c); {
	case filled <= 0 && len(inf.Strays) == 0:
		s.warn(csvfile.CodeEmptyColumn, i, "no row has a value")
	case c.Distinct == 1 && !c.Estimate && c.Missing == 0:
		s.warn(csvfile.CodeConstantColumn, i, "every row has the same value, so the column is not used")
	case known:
		relation := "has the same content as"
		if !inf.Form.IsOrdered() && !haveEqualTexts(&s.columns[i], &s.columns[earlier]) {
			relation = "has exactly one text for each value of"
		}
		s.warn(csvfile.CodeEqualColumn, i, "the column is not used, because it %s the column %s", relation, csvfile.Excerpt(s.table.Names[earlier]))
	case inf.IdentifiesRows && inf.Form == inference.FormCategory && c.Features == 0:
		s.warn(csvfile.CodeIDLikeColumn, i, "nearly every text is unique, so the column identifies rows and is not used")
	case inf.Form == inference.FormNumeric && allDifferent && c.isRowNumber(filled):
		s.warn(csvfile.CodeIDLikeColumn, i, "the integers are row numbers, so the column is not used")
	case inf.Form == inference.FormNumeric && allDifferent && c.isRowNumberWithGaps(filled, &s.columns[i]):
		s.warn(csvfile.CodeIDLikeColumn, i, "the integers are row numbers with gaps, so the column is not used")
	default:
		switch {
		case inf.Form != inference.FormNumeric || !allDifferent || !c.IsInteger():
		case c.Numbers.Max-c.Numbers.Min < 1.5*float64(filled):
			s.warn(csvfile.CodeIDLikeColumn, i, "the integers look like row numbers: are they informative?")
		case c.isIDWithBlanks(filled):
			are := "are"
			if c.Estimate {
				are = "seem to be"
			}
			s.warn(csvfile.CodeIncompleteID, i, "the column has the name of an ID, and its integers %s all different, but it is used as a feature, because %s %s no value",
				are, humanize.Count(c.Missing, "row"), humanize.HasOrHave(c.Missing))
		}
		return false
	}
	return true
}

// isIDWithBlanks reports whether a column of integers is an ID that a few rows lack: whether it is
// named like an ID and all its values, as far as they are known, are different. filled is the
// number of rows with a value.
func (c *ColumnProfile) isIDWithBlanks(filled int) bool {
	return c.isNamedLikeID() && (c.Estimate || c.Distinct == filled) &&
		c.Missing > 0 && float64(c.Missing) <= maxBlankIDShare*float64(filled)
}

// isRowNumber reports whether a column has no missing values and contains each integer of a range
// exactly once. The range must begin near 0, unlike a range of years, unless the column has the
// name of an ID or no name. The name must not mean that the integers count time. rows is the number
// of rows of the file.
func (c *ColumnProfile) isRowNumber(rows int) bool {
	if !c.IsInteger() || c.Missing > 0 || c.Numbers.Max-c.Numbers.Min != float64(rows-1) || !c.Estimate && c.Distinct < rows {
		return false
	}
	beginsNear0 := c.Numbers.Min >= 0 && c.Numbers.Max <= maxRowNumberRatio*float64(rows)
	return (beginsNear0 || c.isNamedLikeID() || c.isUnnamed()) && !inference.CountsTime(c.Name)
}

// isUnnamed reports whether the column has no name of its own: a column without a name is called
// column_1, and pandas writes an index as "Unnamed: 0".
func (c *ColumnProfile) isUnnamed() bool {
	words := inference.NameWords(c.Name)
	return len(words) == 0 || words[0] == "unnamed" || words[0] == "column" && len(words) == 1
}

// isNamedLikeID reports whether the last word of the column's name means an ID.
func (c *ColumnProfile) isNamedLikeID() bool {
	words := inference.NameWords(c.Name)
	return len(words) > 0 && slices.Contains(identifierWords, words[len(words)-1])
}

// isRowNumberWithGaps reports whether a column numbers the rows of a table from which at most a
// fifth of the rows were later removed: whether its integers increase from row to row, mostly by 1.
// The integers must begin near 0, and the name must not mean that they count time. A column with
// more gaps may be a measurement in order of time, such as days without the weekends. If the
// numbers take too much memory to keep all of them, only the order of those that t.AllOrSample
// returns is checked. rows is the number of rows of the file.
func (c *ColumnProfile) isRowNumberWithGaps(rows int, t *columnstats.Column) bool {
	if !c.IsInteger() || inference.CountsTime(c.Name) || c.Missing > 0 || c.Numbers.Min < 0 || c.Numbers.Max > maxRowNumberRatio*float64(rows) || !c.Estimate && c.Distinct < rows {
		return false
	}
	last := -1.0
	for _, v := range t.AllOrSample() { // in the order of the rows
		if v.Kind != cells.Number || v.Number <= last {
			return false
		}
		last = v.Number
	}
	return true
}

// IsInteger reports whether the column has numbers and all of them are integers.
func (c *ColumnProfile) IsInteger() bool { return c.Numbers != nil && !c.hasFractions }

// findOrRecordColumn returns the position of an earlier column with the same content. If there is
// none, it records the column and returns false. It also returns false if the file has fewer than
// minIDRows rows or some values of the column are unknown.
func (s *scanner) findOrRecordColumn(t *columnstats.Column, c *ColumnProfile) (earlier int, found bool) {
	// Categories are equal if they divide the rows in the same way, even if their texts differ. If
	// parts of the texts are features, however, the texts must also be equal.
	content, ok := t.Fingerprint(!c.HasItemsOrPrefixes() && (c.Form == inference.FormCategory || c.Form == inference.FormBoolean))
	if !ok || s.profile.Rows < minIDRows {
		return 0, false
	}
	if s.fingerprints == nil {
		s.fingerprints = make(map[fingerprint]int)
	}
	print := fingerprint{content: content, form: c.Form, distinct: c.Distinct, blank: t.Rows(cells.Blank)}
	earlier, known := s.fingerprints[print]
	if !known {
		s.fingerprints[print] = c.Column - 1
	}
	return earlier, known
}

// haveEqualTexts reports whether two columns with the same fingerprint also have the same texts. If
// not, they have different texts for the same groups of rows.
func haveEqualTexts(a, b *columnstats.Column) bool {
	isEqual := func(a, b columnstats.Value) bool { return a.Text == b.Text }
	return slices.EqualFunc(a.Values(), b.Values(), isEqual)
}

// fingerprint identifies the content of a column. Columns of numbers have the same content
// if the numbers are equal. Categories have the same content if they divide the rows in the same
// way, even if their texts differ.
type fingerprint struct {
	content  columnstats.Fingerprint
	form     inference.Form
	distinct int
	blank    int // number of rows with a blank cell
}
