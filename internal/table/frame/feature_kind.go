package frame

// FeatureKind is the kind of value that is extracted from a cell.
type FeatureKind string

// The kinds of features. The empty FeatureKind means the number or text of the cell
// itself.
const (
	FeatureAmount  FeatureKind = "amount"  // a number with a unit or with separators
	FeatureText    FeatureKind = "text"    // the texts of a column of numbers
	FeatureTime    FeatureKind = "time"    // a date as days since 1 January 1970
	FeatureMonth   FeatureKind = "month"   // 1 to 12
	FeatureDay     FeatureKind = "day"     // day of the month, 1 to 31
	FeatureWeekday FeatureKind = "weekday" // 0 is Monday
	FeatureHour    FeatureKind = "hour"    // hours since midnight, with a fraction
	FeatureSince   FeatureKind = "since"   // days since the date in another column
	FeatureLength  FeatureKind = "length"  // length of a text in bytes
	FeatureWords   FeatureKind = "words"   // number of words of a text
	FeatureWord    FeatureKind = "word"    // 1 if a text has the word, otherwise 0
)

// group returns the same kind for all kinds that one extractor computes: FeatureTime for
// dates and times, FeatureWord for words. known is false if k has no extractor.
func (k FeatureKind) group() (group FeatureKind, known bool) {
	switch k {
	case FeatureAmount:
		return k, true
	case FeatureTime, FeatureMonth, FeatureDay, FeatureWeekday, FeatureHour, FeatureSince:
		return FeatureTime, true
	case FeatureLength, FeatureWords, FeatureWord:
		return FeatureWord, true
	}
	return "", false
}

// DeriveFeature returns a copy of c whose values are extracted, as the given kind, from
// the cells of the file's column source.
func DeriveFeature(c ColumnSchema, source string, kind FeatureKind) ColumnSchema {
	c.Source, c.Feature = source, kind
	return c
}
