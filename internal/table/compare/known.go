package compare

import (
	"cmp"
	"math"
	"slices"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// TrainingColumns is like Profiles, but needs only some properties of the columns of the training
// file instead of a profile. It reports:
//
//   - columns with far more missing values
//   - columns of numbers, dates or times that have another form, or more texts than is likely
//   - dates in another order, and times in another time zone
//   - lists with another separator
//   - lists and texts of several words, if a model knows no item or no word of most of them
//   - items of lists, and first characters of codes, that are known only in another spelling
//   - numbers in another format, outside the range of the training file, or with another mean
//   - texts that the training file does not have; if not all of its texts are known, only
//     texts that are certainly or very likely new
func TrainingColumns(columns []profile.TrainingColumn, blind *profile.Profile) []Finding {
	c := &comparison{train: &profile.Profile{Schema: &frame.Schema{}}, blind: blind, compared: len(columns)}
	for i := range columns {
		known := &columns[i]
		at := blind.ColumnIndex(known.Name)
		if at < 0 {
			continue
		}
		column := &blind.Columns[at]
		c.checkKnownMissing(known, column)
		from := len(c.findings)
		if known.Form.IsOrdered() {
			c.checkKnownOrdered(known, column)
			c.rejectUnreadableKnown(known, column, from)
		} else {
			c.checkKnownCategories(known, column)
			texts := slices.Values(slices.Concat(known.Levels, known.Texts))
			c.explainSpelling(texts, len(known.Levels) > 0 || known.HasAllTexts(), column, from)
			c.explainEncoding(texts, column, from)
		}
	}
	c.setOtherSeparators()
	c.groupFindings()
	return c.findings
}

// checkKnownMissing is like checkMissing. If only a sample of the training rows is known, the
// difference must be twice as large to be reported, because a sample contains few rows.
func (c *comparison) checkKnownMissing(known *profile.TrainingColumn, blind *profile.ColumnProfile) {
	before, isKnown := known.MissingShare()
	now := ratio(MissingRows(known, blind), c.blind.Rows)
	switch {
	case known.Rows > 0:
		c.checkMissing(known.Name, known.Missing, known.Rows, now)
	case isKnown && now > before+2*maxMissingRise && c.isMissingUnusual(now, before+maxMissingRise):
		c.report(SeverityWarning, csvfile.CodeMoreMissing, known.Name, "%.0f %% of the rows have no value, compared with %.0f %% in a sample of %d training rows",
			100*now, 100*before, known.SampleRows+known.SampleMissing)
	}
}

// MissingRows returns the number of rows of a blind column that have no value for a model: rows
// with an empty cell, and rows with a text that means a missing value, such as n/a. If both columns
// have numbers, dates or times, rows with any other text also have no value.
//
// In a column of categories, a text such as n/a is a value if it is one of the known levels of the
// training column. If the levels are not known, it is a value in three cases: if the training
// column contains it, if some training texts are not known, or if every training row has a value.
func MissingRows(k *profile.TrainingColumn, blind *profile.ColumnProfile) int {
	texts := k.Texts
	switch {
	case k.Form.IsOrdered() && blind.Form.IsOrdered():
		return blind.Missing
	case k.Form.IsOrdered():
		texts = nil
	case len(k.Levels) > 0:
		texts = k.Levels
	case !k.HasAllTexts() || k.Missing == 0: // checkKnownCategories reports new texts
		return blind.EmptyRows()
	}
	return blind.EmptyRows() + nullRows(blind, func(text string) bool { return slices.Contains(texts, text) })
}

// nullRows returns the number of rows of a blind column with a text that means a missing value.
// Texts for which isKnown returns true do not count.
func nullRows(blind *profile.ColumnProfile, isKnown func(text string) bool) (rows int) {
	values := blind.Values()
	for i := range values {
		if one := &values[i]; one.Kind == cells.Null && !isKnown(one.Text) {
			rows += one.Rows
		}
	}
	return rows
}

// checkKnownOrdered compares a column of numbers, dates or times.
func (c *comparison) checkKnownOrdered(known *profile.TrainingColumn, blind *profile.ColumnProfile) {
	train := known.Profile()
	if !c.checkUnixTimes(train, blind) {
		return
	}
	c.checkTimeZones(train, blind)
	isMidnight := func(days float64) bool { return days == math.Trunc(days) }
	c.checkTimesOfDay(train, blind, known.HasRange && isMidnight(known.Min) && isMidnight(known.Max))
	hasNewTexts := c.checkNewTexts(known, train, blind)
	if !c.checkDateOrder(train, blind) || known.NumberFormat != nil && !c.checkNumberFormat(known, train, blind) {
		return
	}
	switch {
	case hasSameForm(train, blind):
		if known.DateOrder == inference.YearFirst {
			if other, _ := unparsableRows(train, blind, c.blind.Rows); ratio(other.rows, c.blind.Rows) > maxUnparsable {
				c.reportOtherFormat(train, blind, other) // such as 01/31/06
				return
			}
		}
		if known.HasRange && blind.Numbers != nil {
			// Without a standard deviation, means are not compared.
			numbers := columnstats.NumericStats{Min: known.Min, Max: known.Max, Mean: known.Mean, StdDev: cmp.Or(known.MaxStdDev, math.Inf(1))}
			c.checkNumbers(known.Form, &numbers, max(known.Rows-known.Missing, 0), blind)
		}
		if known.SampleRows > 0 && blind.Numbers != nil {
			c.checkTrainingSampleRange(known, blind)
		}
	case c.checkCompactDates(train, blind, known.Min, known.Max):
	case blind.Form.IsOrdered():
		other, texts := unparsableRows(train, blind, c.blind.Rows)
		switch rows := other.rows + texts.rows; {
		case haveTimesAndDurations(train, blind):
			c.reportDurations(known.Name, blind, other) // checkNewTexts reports the texts
		case ratio(rows, c.blind.Rows) > maxUnparsable:
			c.reportChangedForm(train, blind)
		}
	case hasNewTexts || usesWords(train, blind):
	case c.checkKnownDates(known, train, blind):
	case c.blind.Rows >= profile.MinComparedRows && ratio(textRows(blind), c.blind.Rows) > 1-maxUnparsable:
		c.reportChangedForm(train, blind)
	}
}

// checkKnownCategories reports texts that are not in the training file.
func (c *comparison) checkKnownCategories(known *profile.TrainingColumn, blind *profile.ColumnProfile) {
	switch {
	case c.checkListSeparator(known.Profile(), blind):
	case c.checkKnownParts(known, blind):
	case len(known.Levels) > 0:
		c.checkLevels(known, blind)
	case known.HasAllTexts():
		train := known.Profile()
		train.Missing = known.Missing
		c.checkCategories(train, blind)
	case len(known.Terms) > 0:
		c.checkTerms(known, blind)
	case known.ListSeparator != "": // new lists are usual
	case c.checkNumbersForTexts(known, blind):
	default:
		c.checkFrequentTexts(known, blind)
	}
}

// Limits of checkNumbersForTexts. If the training column also had numbers, one of its most frequent texts
// would probably be a number.
const (
	minTrainingTexts = 3  // smallest number of known texts of the training column; none of them may be a number
	minNumericRows   = 10 // smallest number of blind rows with a value
)

// checkNumbersForTexts reports a blind column of numbers, dates or times if the training column has
// texts of several words: for example, numbers such as 1234567 instead of texts such as 1 234 567.
// It returns true if it reports the column.
func (c *comparison) checkNumbersForTexts(known *profile.TrainingColumn, blind *profile.ColumnProfile) (found bool) {
	if known.Form != inference.FormText || !blind.Form.IsOrdered() || c.blind.Rows-blind.Missing < minNumericRows ||
		len(known.Texts) < minTrainingTexts || slices.ContainsFunc(known.Texts, blind.CanParse) {
		return false
	}
	c.report(SeverityWarning, csvfile.CodeChangedKind, blind.Name, "the column has texts in training, such as %s, but %s here; the model reads them as words",
		csvfile.Excerpt(known.Texts[0]), pluralNoun(blind))
	return true
}

// minExpectedRows is a limit of two checks. checkLevels reports unknown texts only if they are in
// at least this number of rows, unless the levels are all texts of the training file or the texts
// differ from a level only in spelling. checkFrequentTexts reports that no row has a frequent text
// only if at least this number of rows was expected to have one. The probability that none has one
// by chance is then at most exp(-7), less than 0.1 %.
const minExpectedRows = 7

// minFrequentShare is a limit of checkFrequentTexts. Normally, a blind file with few distinct texts
// is not reported, because it may be an extract, for example of one rare shop. It is reported,
// however, if it contains no frequent text and at least this fraction of the training rows has a
// frequent text.
const minFrequentShare = 0.5

// checkFrequentTexts compares a column of categories if only its most frequent texts in training
// are known. Any other text may also be in the training file, so only two cases are reported. If
// the blind file contains more distinct other texts than the training file, some of them are
// certainly new. If no row has a frequent text, the texts are probably new; this case also requires
// many distinct texts, or frequent texts in most training rows.
func (c *comparison) checkFrequentTexts(known *profile.TrainingColumn, blind *profile.ColumnProfile) {
	if known.Form != inference.FormCategory || known.Distinct == 0 || len(known.Texts) == 0 || blind.Estimate {
		return
	}
	frequent := make(map[string]bool, len(known.Texts))
	for _, text := range known.Texts {
		frequent[text] = true
	}
	frequentRows, others, otherRows, most, first := 0, 0, 0, columnstats.Value{}, math.MaxInt
	for _, one := range blind.Values() {
		switch {
		case frequent[one.Text]:
			frequentRows += one.Rows
		case one.Kind != cells.Null:
			others, otherRows, first = others+1, otherRows+one.Rows, min(first, one.FirstLine())
			if one.Rows > most.Rows {
				most = one
			}
		}
	}
	share := ratio(known.TextRows, known.Rows-known.Missing)
	switch unseen := others - (known.Distinct - len(known.Texts)); {
	case unseen > 0 && !known.DistinctEstimate:
		c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "the column has at least %s that the training file does not have; in %s (%s), the text is not one of the %d most frequent texts of the training file, most often the text %s",
			humanize.Count(unseen, "text"), humanize.Count(otherRows, "row"), humanize.Percent(ratio(otherRows, c.blind.Rows)), len(known.Texts), csvfile.Excerpt(most.Text))
	case known.Rows > 0 && frequentRows == 0 && others > 0 && (others > len(known.Texts) || share >= minFrequentShare) && share*float64(otherRows) >= minExpectedRows:
		c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "no row has one of the %d most frequent texts of the training file, such as %s; the texts of this file, most often %s, may be unknown to the model",
			len(known.Texts), csvfile.Excerpt(known.Texts[0]), csvfile.Excerpt(most.Text))
	}
}

// checkNumberFormat reports numbers of the blind column that cannot be parsed in the format of the
// training column, or that may be parsed wrongly. It ignores texts, because they may also be in the
// training file. It returns true if it reports nothing, only a missing unit, or only a few numbers.
func (c *comparison) checkNumberFormat(known *profile.TrainingColumn, train, blind *profile.ColumnProfile) bool {
	if blind.Form != inference.FormNumeric {
		return true
	}
	isSameUnit := c.checkUnit(train, blind, newSampleReference(known.SampleNumbers))
	matches := c.checkSeparators(train, blind, known.SampleNumbers)
	unread := unparsedNumbers(train, blind, c.blind.Rows)
	c.reportOtherFormat(train, blind, unread)
	return matches && isSameUnit && ratio(unread.rows, c.blind.Rows) <= maxUnparsable
}

// unparsedNumbers counts the rows of a blind column of numbers or dates whose value cannot be parsed in the
// format of the training column. rows is the number of rows of the blind file.
func unparsedNumbers(train, blind *profile.ColumnProfile, rows int) (unread rowCounter) {
	values := estimatedValues(blind, rows)
	for i := range values {
		if one := &values[i]; !train.CanParse(one.Text) && blind.CanParse(one.Text) {
			unread.addRows(one)
		}
	}
	return unread
}

// UnparsedRows returns the number of rows of a blind column whose number or date is not in the
// format of the training column. A model treats these values as missing. rows is the number of rows
// of the blind file. It returns 0 if the format is not known, if the columns have different forms,
// or if they have neither numbers nor dates.
func UnparsedRows(known *profile.TrainingColumn, blind *profile.ColumnProfile, rows int) int {
	isFormatKnown := known.Form == inference.FormNumeric && known.NumberFormat != nil || known.Form == inference.FormDate && known.DateOrder != ""
	if known.Form != blind.Form || !isFormatKnown {
		return 0
	}
	return unparsedNumbers(known.Profile(), blind, rows).rows
}

// checkNewTexts reports texts in a column of numbers, dates or times. It returns true if it reports
// texts. The texts of the training file are not known, because training rows with a text count as
// rows without a value. Texts are therefore reported only if the fraction of blind rows with a text
// is far larger than the fraction of training rows without a value. If most filled blind rows have
// a text, the training rows without a value were probably empty, so the blind rows without a value
// are added to those with a text.
func (c *comparison) checkNewTexts(known *profile.TrainingColumn, train, blind *profile.ColumnProfile) (found bool) {
	isFormatKnown := known.NumberFormat != nil || known.DateOrder != "" || known.Epoch != "" || known.Form == inference.FormTime
	missing, isMissingKnown := known.MissingShare()
	if !isFormatKnown || !isMissingKnown || known.DistinctEstimate {
		return false
	}
	if known.Rows == 0 {
		missing += maxMissingRise // the sample has few rows
	}
	var texts rowCounter
	words, values, empty := textSet(train), estimatedValues(blind, c.blind.Rows), blind.EmptyRows()
	for i := range values {
		one := &values[i]
		isRead := train.CanParse(one.Text) || words[one.Text] || blind.Form.IsOrdered() && blind.CanParse(one.Text)
		switch {
		case isRead:
		case one.Kind == cells.Null:
			empty += one.Rows
		case one.Kind == cells.Text:
			texts.addRows(one)
		}
	}
	share := ratio(texts.rows, c.blind.Rows)
	unread := share
	if 2*texts.rows > c.blind.Rows-empty {
		unread = ratio(texts.rows+empty, c.blind.Rows)
	}
	if share <= maxUnparsable || binomialTailBound(unread, missing, c.blind.Rows) > c.falseAlarmsPerColumn() {
		return false
	}
	switch {
	case known.Form == inference.FormNumeric && known.Missing > 0 && len(known.Levels) == 0: // some words may be a feature
		c.reportTexts(train, blind, texts, ", unless the training file has it in several rows")
	case share > 1-maxUnparsable:
		c.reportChangedForm(train, blind)
	default:
		c.reportTexts(train, blind, texts, "")
	}
	return true
}

// binomialTailBound returns an upper bound (Chernoff) of the probability that at least the fraction
// share of the rows has a property that each row has with probability p.
func binomialTailBound(share, p float64, rows int) float64 {
	if share <= p {
		return 1
	}
	divergence := share * math.Log(share/p) // +Inf if p is 0
	if share < 1 {
		divergence += (1 - share) * math.Log((1-share)/(1-p))
	}
	return math.Exp(-float64(rows) * divergence)
}
