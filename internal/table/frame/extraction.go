package frame

// Extraction says which feature is computed from the cells of a column of the file.
type Extraction string

// The extractions. The empty Extraction means the number or text of the cell itself.
const (
	ExtractAmount  Extraction = "amount"  // a number with a unit or with separators
	ExtractText    Extraction = "text"    // the texts of a column of numbers
	ExtractTime    Extraction = "time"    // a date as days since 1 January 1970
	ExtractMonth   Extraction = "month"   // 1 to 12
	ExtractDay     Extraction = "day"     // day of the month, 1 to 31
	ExtractWeekday Extraction = "weekday" // 0 is Monday
	ExtractHour    Extraction = "hour"    // hours since midnight, with a fraction
	ExtractSince   Extraction = "since"   // days since the date in another column
	ExtractLength  Extraction = "length"  // length of a text in bytes
	ExtractWords   Extraction = "words"   // number of words of a text
	ExtractWord    Extraction = "word"    // 1 if a text has the word, otherwise 0
	ExtractItem    Extraction = "item"    // 1 if a list such as "C++;SQL" has the item, otherwise 0
	ExtractItems   Extraction = "items"   // number of items of a list
	ExtractPrefix  Extraction = "prefix"  // first characters of a code such as E11.9, a category
)

// EpochUnit is the unit of numbers that are points in time. Such a number counts the time since 1
// January 1970 UTC in this unit.
type EpochUnit string

// The units of EpochUnit.
const (
	EpochSeconds      EpochUnit = "s"
	EpochMilliseconds EpochUnit = "ms"
	EpochMicroseconds EpochUnit = "us"
	EpochNanoseconds  EpochUnit = "ns"
)

// group returns the Extraction that stands for all extractions of the same extractor: ExtractTime
// for dates and times, ExtractWord for texts, ExtractItem for lists. known is false if no extractor
// computes k.
func (k Extraction) group() (group Extraction, known bool) {
	switch k {
	case ExtractAmount:
		return k, true
	case ExtractTime, ExtractMonth, ExtractDay, ExtractWeekday, ExtractHour, ExtractSince:
		return ExtractTime, true
	case ExtractLength, ExtractWords, ExtractWord:
		return ExtractWord, true
	case ExtractItem, ExtractItems:
		return ExtractItem, true
	}
	return "", false
}

// DeriveFeature returns a copy of c with the given source and extraction: its values are extracted
// from the column source of the file.
func DeriveFeature(c ColumnSchema, source string, extraction Extraction) ColumnSchema {
	c.Source, c.Feature = source, extraction
	return c
}
