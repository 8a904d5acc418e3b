package inference

import (
	"math"
	"slices"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
)

// Numbers are taken for Unix times only if the times are between 2000 and 2039. Such times have,
// for example, 9 or 10 digits in seconds; other numbers rarely have this number of digits.
var unixTimeBegin, unixTimeEnd = cells.DaysFromCivil(2000, 1, 1), cells.DaysFromCivil(2040, 1, 1)

// minRoundShare is the smallest fraction of whole minutes among the numbers of a column whose name
// does not say that they are times. Whole minutes are multiples of 60, which IDs and rounded
// amounts rarely are.
const minRoundShare = 0.95

// Words that occur in the names of columns of times, and words in the names of columns of other
// numbers.
var (
	timeNameWords = []string{
		"time", "times", "timestamp", "timestamps", "date", "dates", "datetime", "epoch", "unix", "unixtime", "utc", "ts", "dt", "dob", "birthdate", "birthday",
		"starttime", "endtime", "startdate", "enddate", "createdat", "updatedat", "deletedat", "zeit", "zeitstempel", "datum", "fecha", "hora", "heure", "horodatage",
	}
	timeNameLastWords = []string{ // created, last_updated
		"closed", "created", "ended", "expires", "finished", "modified", "posted", "published", "started", "updated",
	}
	timeNameSuffixes  = []string{"at", "on"}                         // sent_at
	timeNameAfterLast = []string{"access", "login", "seen", "visit"} // last_login, first_seen; login may be an ID
	nonTimeNameWords  = []string{
		"account", "amount", "assets", "balance", "barcode", "budget", "by", "byte", "bytes", "cap", "capital", "code", "cost", "count", "ean", "fax", "from", "gross", "guid",
		"hash", "id", "identifier", "ids", "income", "index", "ip", "isbn", "key", "mobile", "net", "no", "nr", "num", "number", "offset", "phone", "population", "position",
		"price", "profit", "ref", "reference", "revenue", "salary", "sales", "serial", "size", "ssn", "step", "sum", "tel", "telephone", "to", "total", "turnover", "upc", "user",
		"uuid", "value", "volume", "zip",
	}
	durationNameWords = []string{"age", "cpu", "delay", "duration", "elapsed", "interval", "latency", "lifetime", "runtime", "spent", "uptime"}
	unitNameWords     = map[string]frame.EpochUnit{
		"ms": frame.EpochMilliseconds, "millis": frame.EpochMilliseconds, "us": frame.EpochMicroseconds, "micros": frame.EpochMicroseconds,
		"ns": frame.EpochNanoseconds, "nanos": frame.EpochNanoseconds,
	}
)

// unixTimeUnit returns the unit of the Unix times in a column of plain numbers. It returns "" if
// the numbers are probably not times, because IDs, phone numbers and amounts may have as many
// digits. If the name ends with a unit, only this unit is considered: run_time_us does not contain
// times in seconds.
func unixTimeUnit(t *columnstats.Column, name string) frame.EpochUnit {
	words := NameWords(name)
	var named frame.EpochUnit
	if last := len(words) - 1; last > 0 {
		if named = unitNameWords[words[last]]; named != "" {
			words = words[:last]
		}
	}
	isNamed := nameSuggestsTime(words)
	for i, word := range words {
		isOther := slices.Contains(nonTimeNameWords, word)
		if isLast := i == len(words)-1; isOther && (isLast || !isNamed) || slices.Contains(durationNameWords, word) {
			return "" // account_created_at may be a time, but not time_id
		}
	}
	for _, unit := range frame.EpochUnits {
		if (named == "" || unit == named) && areUnixTimes(t, unit, isNamed) {
			return unit
		}
	}
	return ""
}

// nameSuggestsTime reports whether the words of the name of a column say that its numbers are
// times. Parts of words do not count, such as time in sentiment and date in candidate.
func nameSuggestsTime(words []string) bool {
	if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(timeNameWords, word) }) {
		return true
	}
	last := len(words) - 1
	return last >= 0 && slices.Contains(timeNameLastWords, words[last]) || last > 0 && slices.Contains(timeNameSuffixes, words[last]) ||
		last > 0 && (words[last-1] == "last" || words[last-1] == "first") && slices.Contains(timeNameAfterLast, words[last])
}

// yearDigits is the smallest number that has as many digits as a Unix time in seconds and begins
// with a year between 1900 and 2099. Read as a time, it is in the year 2030. If all numbers are at
// least yearDigits, they are probably dates with an hour, such as 2024013123.
const yearDigits = 1_900_000_000

// areUnixTimes reports whether the numbers of a column are probably Unix times in a unit. All times
// must be between 2000 and 2039, except 0 and -1, which stand for a missing time. isNamed is set if
// the name of the column says that they are times.
func areUnixTimes(t *columnstats.Column, unit frame.EpochUnit, isNamed bool) bool {
	format := cells.DateFormat{PerDay: unit.PerDay()}
	minute := format.PerDay / (24 * 60)
	times, early, round, others := 0, 0, 0, 0
	texts := t.AllOrSample()
	for i := range texts {
		one := &texts[i]
		switch {
		case one.Kind == cells.Text:
			others++
		case one.Kind != cells.Number || IsMissingUnixTime(one.Number):
		default:
			m, ok := format.ParseNumber(one.Number)
			if !ok || m.Day < unixTimeBegin || m.Day >= unixTimeEnd || !IsPlainDecimal(one.Text) {
				return false
			}
			times++
			if one.Number < yearDigits*format.PerDay/86_400 {
				early++
			}
			if math.Mod(one.Number, minute) == 0 {
				round++
			}
		}
	}
	return times >= minDistinctNumbers && early > 0 && others*distinctPerStray <= times && (isNamed || float64(round) >= minRoundShare*float64(times)) &&
		(!t.IsSampled() || areAllUnixTimes(t, format))
}

// areAllUnixTimes is areUnixTimes for numbers that are not counted as texts, so that only their
// statistics are known.
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

// IsMissingUnixTime reports whether a number in a column of Unix times stands for a missing time:
// whether it is 0 or -1.
func IsMissingUnixTime(number float64) bool { return number == 0 || number == -1 }

// IsPlainDecimal reports whether a number is written with digits only, and with an optional point.
// A number such as 1.7e9 may have lost its last digits.
func IsPlainDecimal(text string) bool { return strings.Trim(text, "0123456789.") == "" }

// readUnixTimes returns the inference for a column of Unix times.
func readUnixTimes(t *columnstats.Column, unit frame.EpochUnit) Result {
	inf := Result{Form: FormDate, Epoch: unit, IsSampled: t.IsSampled()}
	inf.Values, _, _ = parseDates(t.AllOrSample(), inf.DateFormat())
	if inf.Values == nil {
		inf.Values = []columnstats.Value{} // nil would mean that all numbers are plain
	}
	return inf
}

// resolveDateFormats finds Unix times and decides whether dates begin with the year. A column that
// is also in the training file is read in the format that it has there. Other columns of numbers
// are searched for Unix times, unless they also contain texts that become levels, because a column
// of dates would lose these levels. Long integers are read as texts only if they are not Unix times
// and the column does not contain numbers in the training file.
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
		isNumeric := inf.Form == FormNumeric && inf.Format == nil || inf.HasLongIntegers
		switch {
		case inf.Form == "": // the ID or the label
		case trained == nil:
			if isNumeric {
				if unit := unixTimeUnit(t, names[i]); unit != "" && len(inf.Strays) == 0 {
					*inf = readUnixTimes(t, unit)
				}
			}
		case trained.Epoch != "":
			if isNumeric && areMostlyUnixTimes(t, trained.Epoch) {
				*inf = readUnixTimes(t, trained.Epoch)
			}
		case inf.HasLongIntegers && trained.Kind == frame.Numeric && trained.Feature == "":
			*inf = Result{Form: FormNumeric}
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

// areMostlyUnixTimes reports whether most numbers of a column are likely Unix times in the given
// unit, or all stand for a missing time; see IsLikelyUnixTime.
func areMostlyUnixTimes(t *columnstats.Column, unit frame.EpochUnit) bool {
	times, others := 0, 0
	texts := t.AllOrSample()
	for i := range texts {
		if one := &texts[i]; one.Kind == cells.Number && !IsMissingUnixTime(one.Number) {
			if IsLikelyUnixTime(one.Number, unit) {
				times++
			} else {
				others++
			}
		}
	}
	return times > others || others == 0 && t.Rows(cells.Number) > 0
}

// IsLikelyUnixTime reports whether a number, read as a Unix time in the given unit, is after
// January 1970 and before the year 3000. A present-day time in another unit is not in this range.
func IsLikelyUnixTime(number float64, unit frame.EpochUnit) bool {
	m, ok := cells.DateFormat{PerDay: unit.PerDay()}.ParseNumber(number)
	return ok && m.Day >= 31
}

// OtherUnixTimeUnit returns the unit in which a number is a time between 2000 and 2039. It returns
// "" if there is no such unit, or if the number is a likely Unix time in the given unit.
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
