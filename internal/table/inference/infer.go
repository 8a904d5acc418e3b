package inference

import (
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
)

// Result is the inferred form of a column and what is known about its values.
type Result struct {
	Form Form
	// Format is the format of the numbers; nil if they are plain numbers.
	Format *cells.NumberFormat
	// Strays are the texts in a column of numbers that become levels of a separate categorical
	// feature.
	Strays []columnstats.Value
	// hasCodes is set if the numbers are probably codes, such as ZIP codes.
	hasCodes bool
	// HasLongIntegers is set if a column of numbers is read as texts because some of its integers
	// are different but equal as float64.
	HasLongIntegers bool
	// DayFirst is set if 1/2/2006 is the first of February.
	DayFirst bool
	// YearFirst is set if 06-01-02 is the second of January 2006.
	YearFirst bool
	// Epoch is the unit of Unix times; empty for other dates.
	Epoch frame.EpochUnit
	// In a FormDate column, Dates counts the dates to which DayFirst applies. HasUnknownOrder is
	// set if no date reveals the order, so that DayFirst is only assumed.
	Dates           DateCounts
	HasUnknownOrder bool
	// separators counts the numbers of a FormNumeric column that are evidence for the decimal
	// separator. HasUnknownSeparator is set if the separator of the column is only assumed.
	separators          decimalSeparatorCounts
	HasUnknownSeparator bool
	// Values are the numbers that the texts of an ordered form represent, such as days for dates.
	// It is nil if all cells are plain numbers.
	Values []columnstats.Value
	// IsSampled is set if Values lacks some values, because not all texts are known.
	IsSampled bool
	// Words are the words of the texts that become features, the most informative first.
	Words []string
	// Separator is the character between the items of a column of lists, one of cells.ItemSeparators.
	// It is "" for any other column. Items are the items that become features, the most informative
	// first.
	Separator string
	Items     []string
	// PrefixLengths are the lengths of the prefixes of codes that become categories, in characters,
	// ascending.
	PrefixLengths []int
	// IdentifiesRows is set if nearly every row has its own text, which makes texts
	// useless as levels.
	IdentifiesRows bool
	// hasSharedTexts is set if enough rows share their texts with other rows to make the levels of
	// a category useful.
	hasSharedTexts bool
	// If most cells of a text column are numbers, FirstOther is the first text that is not a
	// number. In all other columns, its Rows are 0.
	FirstOther columnstats.Value
}

// Limits for inferring the form of a column.
const (
	minUniqueTexts        = 10   // with fewer rows, texts that are all different do not identify rows
	minTextRows           = 50   // with fewer rows, texts are not split into words
	minDistinctShare      = 0.2  // with a smaller fraction of distinct texts, texts are not split into words
	distinctPerStray      = 20   // at most one distinct other text is allowed for each distinctPerStray distinct numbers or dates
	maxDateAttempts       = 100  // if none of the first 100 texts is a date, the other texts are not examined
	maxStrays             = 1000 // with more distinct texts among the numbers, the texts are not levels
	minDistinctNumbers    = 20   // with fewer distinct numbers or dates, no other texts are allowed
	minIdentifyingShare   = 0.95 // with at least this fraction of distinct texts, texts identify rows
	minSharedWordsPerText = 0.2  // a column is FormText if its texts contain on average at least this many of the words that selectWords returns
	minSharedRows         = 0.3  // if at least this fraction of rows has a text that another row also has, texts are levels of a category
)

// Infer returns the inferred form of a column. It does not find decimal separators (see
// InferWithDecimalSeparators) or Unix times. Resolve finds Unix times, because it knows the name of
// the column.
func Infer(t *columnstats.Column) Result {
	if inf, ok := inferYearFirst(t); ok {
		return inf
	}
	return inferOtherForm(t)
}

// inferOtherForm returns the inferred form of a column that is known not to have dates that begin
// with a two-digit year.
func inferOtherForm(t *columnstats.Column) Result {
	texts := t.AllOrSample()
	if t.Rows(cells.Text) == 0 {
		if t.Rows(cells.Number) == 0 && t.Rows(cells.Null) > 0 {
			return Result{Form: FormCategory}
		}
		if inf, ok := inferDates(t, texts); ok {
			return inf
		}
		if t.HasEqualFloats() {
			return inferLongIntegers(t, texts)
		}
		return Result{Form: FormNumeric, hasCodes: t.HasCodes()}
	}
	if inf, ok := inferDates(t, texts); ok {
		return inf
	}
	if t.Kind() == frame.Numeric && t.HasEqualFloats() {
		return inferLongIntegers(t, texts)
	}
	best := bestAmounts(t, texts)
	if inf, ok := decideAmounts(t, &best); ok {
		return inf
	}
	if t.Kind() == frame.Numeric {
		return Result{Form: FormNumeric, hasCodes: t.HasCodes()}
	}
	if cells.AreBooleans(columnstats.Texts(texts)) {
		return Result{Form: FormBoolean}
	}
	inf := inferText(t, texts)
	if best.areMostCells() {
		inf.FirstOther = best.firstOther
	} else if inf.inferList(t, texts); inf.Separator != "" {
		inf.Words = nil // the items contain the same information as the words
	} else {
		inf.inferPrefixes(t, texts)
	}
	return inf
}

// inferLongIntegers returns the inferred form of a column of integers whose HasEqualFloats is true.
// These integers are read as texts, because a model could not distinguish them as numbers.
func inferLongIntegers(t *columnstats.Column, texts []columnstats.Value) Result {
	inf := inferText(t, texts)
	inf.inferPrefixes(t, texts)
	inf.HasLongIntegers = true
	return inf
}

// Resolve decides how ambiguous dates and numbers are read, and which numbers are Unix times. For a
// blind file, training is the schema of the training file; for a training file, it is nil. A column
// that is in training is read as in the training file. All other ambiguous columns are read like
// the unambiguous columns of the same table. results, names and columns have the same order.
func Resolve(results []Result, names []string, columns []columnstats.Column, training *frame.Schema) {
	resolveDateFormats(results, names, columns, training)
	resolveDateOrder(results, names, columns, training)
	resolveDecimalSeparators(results, names, columns, training)
}

// HasOnlyNumbers reports whether all values are numbers. They may have a currency, a unit or
// thousands separators, as in $1,200.
func HasOnlyNumbers(t *columnstats.Column) bool {
	if t.Rows(cells.Number) == t.NonBlank() {
		return true
	}
	texts := t.AllOrSample()
	best := bestAmounts(t, texts)
	inf, areAmounts := decideAmounts(t, &best)
	return areAmounts && !slices.ContainsFunc(texts, func(one columnstats.Value) bool { return inf.IsStray(&one) })
}

// inferDates infers whether texts are dates or times. It assumes day-first order if this order
// parses more texts than month-first order, and month-first order otherwise. areDates is false if
// the column has another form.
func inferDates(t *columnstats.Column, texts []columnstats.Value) (inf Result, areDates bool) {
	best, most, times := Result{Form: FormDate}, 0, 0
	for _, dayFirst := range []bool{false, true} {
		values, read, clocks := parseDates(texts, cells.DateFormat{DayFirst: dayFirst})
		if read > most {
			best.DayFirst, best.Values, most, times = dayFirst, values, read, clocks
		}
	}
	others := 0
	for i := range texts {
		if kind := texts[i].Kind; kind == cells.Text || kind == cells.Number {
			others++
		}
	}
	others -= most
	numbers := t.Rows(cells.Text) == 0 // all texts are numbers, such as 2006 or 20060102, which are rarely dates
	if most < 1 || t.HasDroppedNumbers() || others*distinctPerStray > most || ((others > 0 || numbers) && most < minDistinctNumbers) || (others > 0 && numbers) {
		return Result{}, false
	}
	if others > 0 && countDurations(texts) > most { // 10:20:30 may be a time of day, but 26:30:00 is not
		return Result{}, false
	}
	if times == most {
		best.Form = FormTime
	} else {
		best.Dates = CountDates(t.ValuesByInterpretation())
	}
	best.IsSampled = t.IsSampled()
	return best, true
}

// parseDates parses texts as dates or times of day. It returns the values of the texts
// that can be parsed, the number of these texts, and how many of them are times of day.
func parseDates(texts []columnstats.Value, format cells.DateFormat) (values []columnstats.Value, parsed, times int) {
	for i := range texts {
		m, ok := format.Parse([]byte(texts[i].Text))
		if texts[i].Kind == cells.Number && format.PerDay == 0 {
			// Numbers count as dates only if they are dates from 1900 to 2099.
			ok = ok && m.Day >= cells.DaysFromCivil(1900, 1, 1) && m.Day < cells.DaysFromCivil(2100, 1, 1)
		}
		if !ok {
			if parsed == 0 && i >= maxDateAttempts && format.PerDay == 0 {
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
		values = append(values, columnstats.Value{Kind: cells.Number, Number: value, Rows: texts[i].Rows})
	}
	if times > 0 && times < parsed {
		return nil, 0, 0 // a mixture of dates and times of day
	}
	return values, parsed, times
}

// inferText infers whether the texts of a column identify rows, and which words they
// share.
func inferText(t *columnstats.Column, texts []columnstats.Value) Result {
	inf := Result{Form: FormCategory}
	filled := t.Rows(cells.Text) + t.Rows(cells.Number) + t.Rows(cells.Null)
	different, _ := t.DistinctCount()
	if filled < minTextRows || float64(different) < minDistinctShare*float64(filled) {
		inf.IdentifiesRows = filled >= minUniqueTexts && different == filled
		return inf
	}
	inf.IdentifiesRows = float64(different) >= minIdentifyingShare*float64(filled)
	words, held := selectWords(texts)
	if float64(held) < minSharedWordsPerText*float64(len(texts)) {
		return inf
	}
	inf.Form, inf.Words = FormText, words
	shared := 0
	values := t.Values()
	for i := range values {
		if rows := values[i].Rows; rows > 1 {
			shared += rows
		}
	}
	inf.hasSharedTexts = float64(shared) >= minSharedRows*float64(filled)
	return inf
}
