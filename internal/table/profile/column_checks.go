package profile

import (
	"context"
	"math"
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// Limits for the checks of columns.
const (
	minIDRows          = 50   // smallest number of rows of an ID-like column
	minIDDistinctShare = 0.95 // smallest fraction of distinct values in an ID-like column
	maxTopValues       = 10
)

// checkColumns fills in the profiles of the columns and the schema's features.
func (s *scanner) checkColumns(ctx context.Context) error {
	inferences, profiles := make([]inference, len(s.columns)), make([]ColumnProfile, len(s.columns))
	err := parallelFor(ctx, len(s.columns), func(i int) {
		if i != s.id && i != s.label {
			inferences[i] = s.columns[i].inferWithSeparators()
		}
	})
	if err != nil {
		return err
	}
	s.resolveDateOrder(inferences)
	s.resolveSeparators(inferences)
	err = parallelFor(ctx, len(s.columns), func(i int) {
		if i != s.id && i != s.label {
			profiles[i] = s.columns[i].profile(&inferences[i])
		}
	})
	if err != nil {
		return err
	}
	stats, err := s.sample.fieldStats(ctx, func(i int) bool {
		return profiles[i].Numbers != nil && !s.opts.Brief || profiles[i].Estimate && s.sample.hasAllRows()
	})
	if err != nil {
		return err
	}
	texts := 0
	for i := range inferences {
		if inferences[i].form == FormText {
			texts++
		}
	}
	words := wordsPerColumn(texts, s.profile.Rows)
	schema := s.profile.Schema
	schema.Fields = make([]string, 0, len(inferences))
	schema.Columns = make([]frame.ColumnSchema, 0, len(inferences))
	s.profile.Columns = make([]ColumnProfile, 0, len(inferences))
	for i := range inferences {
		if i == s.id || i == s.label {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		inferences[i].words = inferences[i].words[:min(len(inferences[i].words), words)]
		c := &profiles[i]
		c.Name, c.Column, c.Words = s.table.Names[i], i+1, len(inferences[i].words)
		s.setMedianAndExactCount(c, &inferences[i], stats[i])
		s.checkColumn(i, c, &inferences[i])
	}
	schema.Columns = append(schema.Columns, differenceFeatures(schema, s.profile.Columns)...)
	schema.OmitImpliedFields()
	return nil
}

// setMedianAndExactCount sets the median of c. If the sample has all rows, it also replaces an
// estimated number of distinct values by the exact number.
func (s *scanner) setMedianAndExactCount(c *ColumnProfile, inf *inference, f sampleStats) {
	switch {
	case c.Numbers == nil:
	case inf.values != nil:
		c.Numbers.Median = weightedMedian(inf.values)
	case !s.opts.Brief:
		c.Numbers.Median, c.Numbers.MedianEstimate = f.median, !s.sample.hasAllRows()
	}
	if !c.Estimate || !s.sample.hasAllRows() {
		return
	}
	switch {
	case inf.form == FormNumeric && inf.values == nil:
		c.Distinct, c.Estimate = f.numbers, false
	case !inf.form.IsOrdered() && s.columns[c.Column-1].rowsByKind[cells.Number] == 0:
		c.Distinct, c.Estimate = f.texts, false
	}
}

func (s *scanner) checkColumn(i int, c *ColumnProfile, inf *inference) {
	features := s.columns[i].features(c.Name, inf)
	if s.warnIfUninformative(i, c, inf) {
		features = nil
	}
	c.Features = len(features)
	if s.label < 0 {
		c.uncounted = s.columns[i].sampleUncounted()
	}
	schema := s.profile.Schema
	schema.Fields = append(schema.Fields, c.Name)
	schema.Columns = append(schema.Columns, features...)
	s.profile.Columns = append(s.profile.Columns, *c)
	s.warnStrayTexts(i, inf)
	s.warnFootnotes(i, inf)
	s.warnPartialUnit(i, inf)
	s.warnMostlyNumbers(i, inf)
	s.warnMixedDates(i, inf)
	if c.Features > 0 {
		s.warnSameLooking(i, c)
		s.warnDateOrder(i, inf)
		s.warnSeparators(i, inf)
	}
}

// checkFeatures adds a defect if no column of a training file has a feature. A model would then
// predict the same for every row. If the file has another defect, such as unreadable rows or a
// missing header, that may be the reason, so nothing is added.
func (s *scanner) checkFeatures() {
	if s.label >= 0 && len(s.profile.Schema.Columns) == 0 && s.profile.log.IsEmpty() {
		s.addDefects(s.table.HeaderDefect(csvfile.CodeNoFeatures, -1, "no column can be used as a feature"))
	}
}

// warnIfUninformative reports whether a column is useless for learning, and warns if it is.
// It returns false for every column of a blind file.
func (s *scanner) warnIfUninformative(i int, c *ColumnProfile, inf *inference) (uninformative bool) {
	if s.label < 0 {
		return false
	}
	filled := s.profile.Rows - c.Missing
	allDifferent := filled >= minIDRows && float64(c.Distinct) >= minIDDistinctShare*float64(filled)
	switch earlier, known := s.findOrRecordColumn(&s.columns[i], c); {
	case filled <= 0 && len(inf.strays) == 0:
		s.warn(csvfile.CodeEmptyColumn, i, "no row has a value")
	case c.Distinct == 1 && !c.Estimate && c.Missing == 0:
		s.warn(csvfile.CodeConstantColumn, i, "every row has the same value, so the column is not used")
	case known:
		relation := "has the same content as"
		if !s.columns[i].hasTextsOf(&s.columns[earlier], inf) {
			relation = "has exactly one text for each value of"
		}
		s.warn(csvfile.CodeEqualColumn, i, "the column %s the column %s, so it is not used", relation, csvfile.Excerpt(s.table.Names[earlier]))
	case inf.identifiesRows && inf.form == FormCategory:
		s.warn(csvfile.CodeIDLikeColumn, i, "nearly every text is unique, so the column identifies rows and is not used")
	case inf.form == FormNumeric && allDifferent && c.isRowNumber(filled):
		s.warn(csvfile.CodeIDLikeColumn, i, "the integers are row numbers, so the column is not used")
	default:
		if inf.form == FormNumeric && allDifferent && c.IsInteger() && c.Numbers.Max-c.Numbers.Min < 1.5*float64(filled) {
			s.warn(csvfile.CodeIDLikeColumn, i, "the integers look like row numbers: are they informative?")
		}
		return false
	}
	return true
}

// isRowNumber reports whether a column has no missing values and contains each integer of a
// range exactly once. The parameter rows is the number of rows of the file.
func (c *ColumnProfile) isRowNumber(rows int) bool {
	return c.IsInteger() && c.Missing == 0 && c.Numbers.Max-c.Numbers.Min == float64(rows-1) &&
		(c.Estimate || c.Distinct == rows)
}

// IsInteger reports whether the column has numbers and all of them are integers.
func (c *ColumnProfile) IsInteger() bool { return c.Numbers != nil && !c.hasFractions }

// findOrRecordColumn returns the position of an earlier column with the same content. It returns
// false if there is none.
func (s *scanner) findOrRecordColumn(t *ColumnStats, c *ColumnProfile) (earlier int, found bool) {
	print, ok := t.fingerprint(c)
	if !ok || s.profile.Rows < minIDRows {
		return 0, false
	}
	if s.fingerprints == nil {
		s.fingerprints = make(map[fingerprint]int)
	}
	earlier, known := s.fingerprints[print]
	if !known {
		s.fingerprints[print] = c.Column - 1
	}
	return earlier, known
}

// hasTextsOf reports whether a column with the fingerprint of an earlier column also has its texts. If
// it does not, the two columns have different texts for the same groups of rows. inf is the inference
// of both columns.
func (t *ColumnStats) hasTextsOf(earlier *ColumnStats, inf *inference) bool {
	isEqual := func(a, b distinctValue) bool { return a.text == b.text }
	return inf.form.IsOrdered() || slices.EqualFunc(t.texts.values, earlier.texts.values, isEqual)
}

// fingerprint identifies the content of a column. Columns of numbers have the same content
// if the numbers are equal. Categories have the same content if they divide the rows in the
// same way, even with other texts.
type fingerprint struct {
	form      Form
	partition uint64 // valueCounts.partitionHash of the counted texts
	content   uint64
	distinct  int
	missing   int
}

// fingerprint returns the fingerprint of a column. ok is false if texts were evicted,
// because the counted texts then do not determine the content.
func (t *ColumnStats) fingerprint(c *ColumnProfile) (print fingerprint, ok bool) {
	print = fingerprint{form: c.Form, partition: t.texts.partitionHash, distinct: c.Distinct, missing: t.rowsByKind[cells.Blank]}
	if m := t.numericStats; m != nil {
		for _, x := range []float64{m.mean, m.squaredDevs, m.min, m.max} {
			print.content = mix64(print.content ^ math.Float64bits(x))
		}
	}
	if c.Form != FormCategory && c.Form != FormBoolean {
		for _, one := range t.texts.allOrFirstTexts() {
			hash := hashText([]byte(one.text))
			if one.kind == cells.Number {
				hash = hashNumber(one.value)
			}
			print.content = mix64(print.content ^ hash)
		}
	}
	return print, t.texts.distinctHashes == nil
}
