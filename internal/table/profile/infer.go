package profile

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// inference is the inferred form of a column and what is known about its values.
type inference struct {
	form Form
	// format is the format of the numbers; nil if they are plain numbers.
	format *cells.NumberFormat
	// strays are the texts in a column of numbers that become levels of another feature.
	strays []distinctValue
	// isCode is set if the numbers are probably codes, see areCodes.
	isCode bool
	// dayFirst is set if 1/2/2006 is the first of February.
	dayFirst bool
	// dates counts the dates of a FormDate column whose meaning depends on dayFirst.
	// hasUnknownOrder is set if no date shows the order, so that dayFirst is only assumed.
	dates           dateCounts
	hasUnknownOrder bool
	// separators counts the numbers of a FormNumeric column by what they say about the decimal
	// separator. hasUnknownSeparator is set if the separator of the column is only assumed.
	separators          separatorCounts
	hasUnknownSeparator bool
	// values are the numbers that the texts of an ordered form represent, such as days
	// for dates. It is nil if all numbers are plain.
	values []distinctValue
	// isSampled is set if not all texts and values are known.
	isSampled bool
	// words are the words of the texts that become features, the most informative first.
	words []string
	// identifiesRows is set if nearly every row has its own text, which makes texts
	// useless as levels.
	identifiesRows bool
	// hasSharedTexts is set if enough rows share their texts to make the levels of a category
	// useful.
	hasSharedTexts bool
	// firstOther is the first text that is not a number, if most cells of a column of texts are
	// numbers. Otherwise, its rows are 0.
	firstOther distinctValue
}

// Limits for inferring the form of a column.
const (
	minTextRows           = 50   // with fewer rows, texts are not split into words
	minDistinctShare      = 0.2  // with a smaller fraction of distinct texts, texts are not split into words
	distinctPerStray      = 20   // at most one distinct other text is allowed for this number of distinct numbers or dates
	maxDateAttempts       = 100  // if none of the first texts is a date, inference stops after this number
	maxStrays             = 1000 // with more distinct texts among the numbers, the texts are not levels
	minDistinctNumbers    = 20   // with fewer distinct numbers or dates, no other texts are allowed
	minIdentifyingShare   = 0.95 // from this fraction of distinct texts on, texts identify rows
	minSharedWordsPerText = 0.2  // a column is FormText if its texts have at least this number of words from selectWords on average
	minSharedRows         = 0.3  // if at least this fraction of rows has the text of another row, texts are levels of a category
)

func (t *ColumnStats) infer() inference {
	texts := t.texts.allOrFirstTexts()
	if t.rowsByKind[cells.Text] == 0 {
		if t.rowsByKind[cells.Number] == 0 && t.rowsByKind[cells.Null] > 0 {
			return inference{form: FormCategory}
		}
		if inf, ok := t.inferDates(texts); ok {
			return inf
		}
		return inference{form: FormNumeric, isCode: areCodes(t.texts.values)}
	}
	if inf, ok := t.inferDates(texts); ok {
		return inf
	}
	best := bestAmounts(texts)
	if inf, ok := t.decideAmounts(&best); ok {
		return inf
	}
	if t.Kind() == frame.Numeric {
		return inference{form: FormNumeric, isCode: areCodes(t.texts.values)}
	}
	if cells.AreBooleans(textsOf(texts)) {
		return inference{form: FormBoolean}
	}
	inf := t.inferText(texts)
	if best.areMostCells() {
		inf.firstOther = best.firstOther
	}
	return inf
}

// inferDates infers whether texts are dates or times. It also infers whether the day
// comes first, which it assumes only if more texts can be parsed in this way. It returns
// false if the column has another form.
func (t *ColumnStats) inferDates(texts []distinctValue) (inf inference, areDates bool) {
	best, most, times := inference{form: FormDate}, 0, 0
	for _, dayFirst := range []bool{false, true} {
		values, read, clocks := t.parseDates(texts, dayFirst)
		if read > most {
			best.dayFirst, best.values, most, times = dayFirst, values, read, clocks
		}
	}
	others := 0
	for i := range texts {
		if kind := texts[i].kind; kind == cells.Text || kind == cells.Number {
			others++
		}
	}
	others -= most
	numbers := t.rowsByKind[cells.Text] == 0 // all texts are numbers, such as 2006 or 20060102, which are rarely dates
	if most < 1 || others*distinctPerStray > most || ((others > 0 || numbers) && most < minDistinctNumbers) || (others > 0 && numbers) {
		return inference{}, false
	}
	if times == most {
		best.form = FormTime
	} else {
		best.dates = countDates(texts)
	}
	best.isSampled = t.texts.firstTexts != nil
	return best, true
}

// parseDates parses texts as dates or times of day. It returns the values of the texts
// that can be parsed, the number of these texts, and how many of them are times of day.
func (t *ColumnStats) parseDates(texts []distinctValue, dayFirst bool) (values []distinctValue, parsed, times int) {
	for i := range texts {
		m, ok := cells.ParseDateTime([]byte(texts[i].text), dayFirst)
		if texts[i].kind == cells.Number {
			// Only numbers that are dates from 1900 to 2099 are taken for dates.
			ok = ok && m.Day >= cells.DaysFromCivil(1900, 1, 1) && m.Day < cells.DaysFromCivil(2100, 1, 1)
		}
		if !ok {
			if parsed == 0 && i >= maxDateAttempts {
				return nil, 0, 0
			}
			continue
		}
		parsed++
		value := m.EpochDays()
		if !m.HasDate {
			times++
			value = m.Hour
		}
		values = append(values, distinctValue{kind: cells.Number, value: value, rows: texts[i].rows})
	}
	if times > 0 && times < parsed {
		return nil, 0, 0 // a mixture of dates and times of day
	}
	return values, parsed, times
}

// inferText infers whether the texts of a column identify rows, and which words they
// share.
func (t *ColumnStats) inferText(texts []distinctValue) inference {
	inf := inference{form: FormCategory}
	filled := t.rowsByKind[cells.Text] + t.rowsByKind[cells.Number] + t.rowsByKind[cells.Null]
	different, _ := t.distinctCount()
	if filled < minTextRows || float64(different) < minDistinctShare*float64(filled) {
		return inf
	}
	inf.identifiesRows = float64(different) >= minIdentifyingShare*float64(filled)
	words, held := selectWords(texts)
	if float64(held) < minSharedWordsPerText*float64(len(texts)) {
		return inf
	}
	inf.form, inf.words = FormText, words
	shared := 0
	for i := range t.texts.values {
		if rows := t.texts.values[i].rows; rows > 1 {
			shared += rows
		}
	}
	inf.hasSharedTexts = float64(shared) >= minSharedRows*float64(filled)
	return inf
}

// Profile returns the profile of the column, without its name and position.
// identifiesRows is set if nearly every row has its own text, as in a column of names of
// people.
func (t *ColumnStats) Profile() (c ColumnProfile, identifiesRows bool) {
	inf := t.infer()
	return t.profile(&inf), inf.identifiesRows
}

// profile returns the profile of the column with the given inference, without its name
// and position.
func (t *ColumnStats) profile(inf *inference) ColumnProfile {
	c := ColumnProfile{
		Form: inf.form, Words: len(inf.words),
		values: t.texts.values, emptyRows: t.rowsByKind[cells.Blank], dayFirst: inf.dayFirst, DateOrder: inf.dateOrder(), dates: inf.dates, format: inf.format,
	}
	switch {
	case inf.form == FormCategory, inf.form == FormBoolean, inf.form == FormText:
		c.Missing = t.rowsByKind[cells.Blank]
		c.Distinct, c.Estimate = t.distinctCount()
		c.Top = t.texts.top(maxTopValues)
	case inf.values != nil:
		c.Missing = t.rowsByKind[cells.Blank] + t.rowsByKind[cells.Null]
		if inf.isSampled {
			c.Distinct, _ = t.distinctCount()
			c.Estimate = true
			break
		}
		m := newRunningStats(inf.values, t.limits.maxHashes)
		c.parsed = inf.values
		c.Distinct, c.Estimate, c.Numbers, c.hasFractions = m.distinct.estimate(), !m.distinct.isExact(), m.toNumericStats(), m.hasFractions
		c.Missing = t.rowsByKind[cells.Blank] + t.rowsByKind[cells.Null] + t.rowsByKind[cells.Text] + t.rowsByKind[cells.Number] - m.rows
	default:
		numbers := t.numberStats()
		c.Missing = t.rowsByKind[cells.Blank] + t.rowsByKind[cells.Null] + t.rowsByKind[cells.Text]
		c.Distinct, c.Estimate = numbers.distinct.estimate(), !numbers.distinct.isExact()
		c.Numbers, c.hasFractions = numbers.toNumericStats(), numbers.hasFractions
	}
	rows := t.rowsByKind[cells.Blank] + t.rowsByKind[cells.Number] + t.rowsByKind[cells.Null] + t.rowsByKind[cells.Text]
	c.Distinct = min(c.Distinct, rows-c.Missing) // an estimate may be larger
	if c.Estimate {
		c.Distinct = max(c.Distinct, min(1, rows-c.Missing)) // an estimate may be 0
	}
	if inf.form == FormDate || inf.form == FormTime {
		c.TimeZones, c.firstTime = collectTimeZones(t.texts.allOrFirstTexts(), inf.dayFirst)
	}
	return c
}
