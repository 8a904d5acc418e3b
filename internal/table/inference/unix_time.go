package inference

import (
	"math"
	"slices"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
)

// The years of the numbers that are taken for Unix times, from the first to before the last. In each unit,
// such numbers have a certain number of digits: 10 for most seconds.
var unixTimeBegin, unixTimeEnd = cells.DaysFromCivil(2000, 1, 1), cells.DaysFromCivil(2040, 1, 1)

// minRoundShare is the smallest fraction of the numbers of a column that must be whole minutes, or whole
// seconds in a smaller unit, if the name of the column does not say that they are times. Whole minutes are
// multiples of 60, but only a third of the multiples of 10 are. IDs are rarely multiples of either.
const minRoundShare = 0.95

// Parts and words of the names of columns of times, and words of the names of columns of other numbers.
var (
	timeNameParts = []string{"time", "date", "stamp", "epoch", "unix", "zeit", "datum", "fecha", "hora", "heure"}
	timeNameWords = []string{
		"begin", "born", "clock", "closed", "created", "day", "dob", "dt", "end", "ended", "expires", "finished", "login", "modified", "moment",
		"opened", "posted", "published", "registered", "seen", "sent", "start", "started", "ts", "updated", "utc", "when",
	}
	timeNameLastWords = []string{"at", "on"} // created_at
	otherNameWords    = []string{
		"account", "amount", "balance", "barcode", "code", "cost", "count", "ean", "fax", "guid", "hash", "id", "identifier", "ids", "index", "isbn", "key",
		"mobile", "no", "nr", "num", "number", "phone", "population", "price", "ref", "reference", "revenue", "sales", "serial", "ssn", "sum", "tel",
		"telephone", "total", "upc", "user", "uuid", "value", "zip",
	}
)

// unixTimeUnit returns the unit of the Unix times in a column of plain numbers. It returns "" if the numbers
// are probably no times: IDs, phone numbers and amounts may have as many digits.
func unixTimeUnit(t *columnstats.Column, name string) frame.EpochUnit {
	words := NameWords(name)
	isNamed := namesTime(name, words)
	for i, word := range words {
		if isLast := i == len(words)-1; (isLast || !isNamed) && slices.Contains(otherNameWords, word) {
			return "" // account_created_at may be a time, but not time_id
		}
	}
	for _, unit := range frame.EpochUnits {
		if areUnixTimes(t, unit, isNamed) {
			return unit
		}
	}
	return ""
}

// namesTime reports whether the name of a column, with the given words, says that its numbers are times.
func namesTime(name string, words []string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(timeNameParts, func(part string) bool { return strings.Contains(lower, part) }) ||
		slices.ContainsFunc(words, func(word string) bool { return slices.Contains(timeNameWords, word) }) ||
		len(words) > 0 && slices.Contains(timeNameLastWords, words[len(words)-1])
}

// yearDigits is the smallest Unix time in seconds with the first digits of a year, 1900 to 2099. It is in the
// year 2030. If all numbers are as large, they are probably dates such as 2024013123, with the hour.
const yearDigits = 1_900_000_000

// areUnixTimes reports whether the numbers of a column are probably Unix times in a unit. All of them must
// be from 2000 to 2039, except 0 and -1, which stand for a missing time. isNamed is set if the name of the
// column says that they are times.
func areUnixTimes(t *columnstats.Column, unit frame.EpochUnit, isNamed bool) bool {
	format := cells.DateFormat{PerDay: unit.PerDay()}
	step := max(format.PerDay/86_400, 60) // a second, or a minute if the unit is a second
	times, early, round, others := 0, 0, 0, 0
	texts := t.AllOrSample()
	for i := range texts {
		one := &texts[i]
		switch {
		case one.Kind == cells.Text:
			others++
		case one.Kind != cells.Number || isMissingUnixTime(one.Number):
		default:
			m, ok := format.ParseNumber(one.Number)
			if !ok || m.Day < unixTimeBegin || m.Day >= unixTimeEnd || !isPlainDecimal(one.Text) {
				return false
			}
			times++
			if one.Number < yearDigits*format.PerDay/86_400 {
				early++
			}
			if math.Mod(one.Number, step) == 0 {
				round++
			}
		}
	}
	return times >= minDistinctNumbers && early > 0 && others*distinctPerStray <= times && (isNamed || float64(round) >= minRoundShare*float64(times)) &&
		(!t.IsSampled() || areAllUnixTimes(t, format))
}

// areAllUnixTimes is like areUnixTimes for numbers that are not counted as texts. It only knows their
// statistics.
func areAllUnixTimes(t *columnstats.Column, format cells.DateFormat) bool {
	n := t.SummarizeNumbers().Stats
	if n == nil || n.Min < -1 || n.Max >= format.PerDay*float64(unixTimeEnd) {
		return false
	}
	begin := format.PerDay * float64(unixTimeBegin)
	if n.Min >= begin {
		return true
	}
	for i, rows := range n.Histogram.Rows {
		low, high := n.Histogram.Edge(i), n.Histogram.Edge(i+1)
		hasMissing := low <= 0 && high > -1 // perhaps it has only 0 and -1
		if rows > 0 && high <= begin && !hasMissing {
			return false
		}
	}
	return true
}

// isMissingUnixTime reports whether a number stands for a missing time.
func isMissingUnixTime(number float64) bool { return number == 0 || number == -1 }

// isPlainDecimal reports whether a number is written with digits only, and with an optional point. A number
// such as 1.7e9 has lost its last digits.
func isPlainDecimal(text string) bool { return strings.Trim(text, "0123456789.") == "" }

// readUnixTimes returns the inference for a column of Unix times.
func readUnixTimes(t *columnstats.Column, unit frame.EpochUnit) Result {
	inf := Result{Form: FormDate, Epoch: unit, IsSampled: t.IsSampled()}
	inf.Values, _, _ = parseDates(t.AllOrSample(), inf.DateFormat())
	return inf
}

// resolveDateFormats sets the formats of the dates that depend on the name of a column or on the training
// file. In columns that the training file does not have, it finds Unix times. In other columns of a blind
// file, Unix times and dates with the year first are those that the training file has.
func resolveDateFormats(inferences []Result, names []string, columns []columnstats.Column, training *frame.Schema) {
	known := make(map[string]*frame.ColumnSchema)
	if training != nil {
		for i := range training.Columns {
			if c := &training.Columns[i]; known[c.SourceName()] == nil || c.Feature == frame.ExtractTime {
				known[c.SourceName()] = c
			}
		}
	}
	for i := range inferences {
		inf, t := &inferences[i], &columns[i]
		trained := known[names[i]]
		switch {
		case inf.Form == "": // the ID or the label
		case trained == nil:
			if inf.Form == FormNumeric && inf.Format == nil {
				if unit := unixTimeUnit(t, names[i]); unit != "" {
					*inf = readUnixTimes(t, unit)
				}
			}
		case trained.Epoch != "":
			if isInRange := inf.Form == FormNumeric && inf.Format == nil && areMostlyAfterJanuary1970(t, trained.Epoch); isInRange {
				*inf = readUnixTimes(t, trained.Epoch)
			}
		case trained.YearFirst && !inf.YearFirst:
			values, read, times := parseDates(t.AllOrSample(), trained.DateFormat())
			if read > len(inf.Values) && times == 0 || inf.Form == FormDate && read == len(inf.Values) {
				*inf = Result{Form: FormDate, YearFirst: true, Values: values, IsSampled: t.IsSampled()}
			}
		case inf.YearFirst && !trained.YearFirst:
			*inf = inferOtherForm(t)
		}
	}
}

// areMostlyAfterJanuary1970 reports whether most numbers of a column are Unix times in the given unit. A Unix
// time in a larger unit would be in January 1970.
func areMostlyAfterJanuary1970(t *columnstats.Column, unit frame.EpochUnit) bool {
	times, others := 0, 0
	texts := t.AllOrSample()
	for i := range texts {
		if one := &texts[i]; one.Kind == cells.Number && !isMissingUnixTime(one.Number) {
			if IsLikelyUnixTime(one.Number, unit) {
				times++
			} else {
				others++
			}
		}
	}
	return times > others
}

// IsLikelyUnixTime reports whether a number is a Unix time in the given unit after January 1970. In a larger
// unit, a Unix time of our days would be in January 1970, and in a smaller one after the year 2999.
func IsLikelyUnixTime(number float64, unit frame.EpochUnit) bool {
	m, ok := cells.DateFormat{PerDay: unit.PerDay()}.ParseNumber(number)
	return ok && m.Day >= 31
}

// OtherUnixTimeUnit returns the unit in which a number is a time from 2000 to 2039, if it is no likely Unix time
// in the given unit. Otherwise it returns "".
func OtherUnixTimeUnit(number float64, unit frame.EpochUnit) frame.EpochUnit {
	if IsLikelyUnixTime(number, unit) {
		return ""
	}
	for _, other := range frame.EpochUnits {
		if m, ok := (cells.DateFormat{PerDay: other.PerDay()}).ParseNumber(number); ok && m.Day >= unixTimeBegin && m.Day < unixTimeEnd {
			return other
		}
	}
	return ""
}
