package frame

// FeatureKind is the kind of value that is extracted from a cell.
type FeatureKind string

// The kinds of features. The empty FeatureKind is the cell itself.
const (
	FeatureAmount  FeatureKind = "amount"  // a number with a unit or with commas
	FeatureText    FeatureKind = "text"    // the texts among numbers
	FeatureTime    FeatureKind = "time"    // a date as days since 1 January 1970
	FeatureMonth   FeatureKind = "month"   // 1 to 12
	FeatureDay     FeatureKind = "day"     // of the month, 1 to 31
	FeatureWeekday FeatureKind = "weekday" // 0 is Monday
	FeatureHour    FeatureKind = "hour"    // since midnight, with a fraction
	FeatureLength  FeatureKind = "length"  // length of a text in bytes
	FeatureWords   FeatureKind = "words"   // number of words of a text
	FeatureWord    FeatureKind = "word"    // 1 if a text has the word, else 0
)

// group returns the kind that represents all kinds with the same extractor. known is false
// if there is no extractor.
func (k FeatureKind) group() (family FeatureKind, known bool) {
	switch k {
	case FeatureAmount:
		return k, true
	case FeatureTime, FeatureMonth, FeatureDay, FeatureWeekday, FeatureHour:
		return FeatureTime, true
	case FeatureLength, FeatureWords, FeatureWord:
		return FeatureWord, true
	}
	return "", false
}

// DeriveFeature returns a copy of c for the given kind of feature of the column source.
func DeriveFeature(c ColumnSchema, source string, kind FeatureKind) ColumnSchema {
	c.Source, c.Feature = source, kind
	return c
}
