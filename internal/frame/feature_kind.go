package frame

// FeatureKind tells which part of a file's cell a feature is.
type FeatureKind string

// The parts of cells. A feature without a Part is the cell as it is.
const (
	FeatureAmount  FeatureKind = "amount"  // a number that is written with a unit or with commas
	FeatureText    FeatureKind = "text"    // the texts among numbers
	FeatureTime    FeatureKind = "time"    // of a date: days since the beginning of 1970
	FeatureMonth   FeatureKind = "month"   // 1 to 12
	FeatureDay     FeatureKind = "day"     // of the month, 1 to 31
	FeatureWeekday FeatureKind = "weekday" // 0 is Monday
	FeatureHour    FeatureKind = "hour"    // since midnight, with a fraction
	FeatureLength  FeatureKind = "length"  // of a text in bytes
	FeatureWords   FeatureKind = "words"   // how many words a text has
	FeatureWord    FeatureKind = "word"    // 1 if a text has the word, else 0
)

// group returns the part that stands for all numeric parts that are filled
// together.
func (p FeatureKind) group() (family FeatureKind, known bool) {
	switch p {
	case FeatureAmount:
		return p, true
	case FeatureTime, FeatureMonth, FeatureDay, FeatureWeekday, FeatureHour:
		return FeatureTime, true
	case FeatureLength, FeatureWords, FeatureWord:
		return FeatureWord, true
	}
	return "", false
}

func derived(c ColumnSchema, source string, p FeatureKind) ColumnSchema {
	c.Source, c.Feature = source, p
	return c
}
