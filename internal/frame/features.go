package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

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

// features returns what the engine learns from a column.
func (t *columnStats) features(name string, j *inference) []ColumnSchema {
	switch j.form {
	case FormNumeric:
		return t.numericFeatures(name, j)
	case FormDate, FormTime:
		return dateFeatures(name, j)
	case FormText:
		return t.textFeatures(name, j)
	}
	if j.namesRows {
		return nil
	}
	return []ColumnSchema{t.categoryFeature(name)}
}

// categoryFeature returns the feature whose levels are the texts of a column.
func (t *columnStats) categoryFeature(name string) ColumnSchema {
	c := ColumnSchema{Name: name, Kind: Category}
	for _, one := range t.texts.retained() {
		c.Levels = append(c.Levels, one.text)
	}
	return c
}

func (t *columnStats) numericFeatures(name string, j *inference) []ColumnSchema {
	first := ColumnSchema{Name: name, Kind: Numeric}
	if j.format != nil {
		first.Feature, first.Unit, first.DecimalComma = FeatureAmount, j.format.unit, j.format.decimalComma
	}
	features := []ColumnSchema{first}
	if j.isCode && len(t.texts.list) > 0 {
		features = append(features, derived(t.categoryFeature(name+".code"), name, FeatureText))
	}
	if len(j.strays) > 0 {
		others := columnStats{texts: valueCounts{list: j.strays}}
		features = append(features, derived(others.categoryFeature(name+".text"), name, FeatureText))
	}
	return features
}

func derived(c ColumnSchema, source string, p FeatureKind) ColumnSchema {
	c.Source, c.Feature = source, p
	return c
}

// dateFeatures returns the time and those parts of the calendar that vary; they
// may do so beyond what is known.
func dateFeatures(name string, j *inference) []ColumnSchema {
	list := []FeatureKind{FeatureTime, FeatureMonth, FeatureDay, FeatureWeekday, FeatureHour}
	if j.form == FormTime {
		list = []FeatureKind{FeatureHour}
	}
	var features []ColumnSchema
	for _, p := range list {
		if j.form == FormDate && p != FeatureTime && (!j.sampled || p == FeatureHour) && !varies(j.values, p) {
			continue
		}
		c := derived(ColumnSchema{Name: name + "." + string(p), Kind: Numeric}, name, p)
		c.DayFirst = j.dayFirst
		features = append(features, c)
	}
	return features
}

func varies(days []distinctValue, p FeatureKind) bool {
	for i := range days {
		if dateFeature(days[i].value, p) != dateFeature(days[0].value, p) {
			return true
		}
	}
	return false
}

// textFeatures returns the words of texts, and the texts themselves if enough
// rows share them.
func (t *columnStats) textFeatures(name string, j *inference) []ColumnSchema {
	var features []ColumnSchema
	if j.shared {
		features = append(features, t.categoryFeature(name))
	}
	for _, p := range []FeatureKind{FeatureLength, FeatureWords} {
		features = append(features, derived(ColumnSchema{Name: name + "." + string(p), Kind: Numeric}, name, p))
	}
	for _, word := range slices.Sorted(slices.Values(j.words)) {
		c := derived(ColumnSchema{Name: name + ":" + word, Kind: Numeric}, name, FeatureWord)
		c.Word = word
		features = append(features, c)
	}
	return features
}

// ordered tells whether the cells of a form have an order.
func (f Form) ordered() bool { return f == FormNumeric || f == FormDate || f == FormTime }

// noun returns what the cells of a form are.
func (f Form) noun() string {
	switch f {
	case FormNumeric:
		return "numbers"
	case FormDate:
		return "dates"
	case FormTime:
		return "times"
	}
	return "texts"
}

// Format writes a value of Numbers as the form has it.
func (f Form) Format(value float64) string {
	switch f {
	case FormDate:
		year, month, day := civilFromDays(int(math.Floor(value)))
		return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	case FormTime:
		minutes := min(int(math.Round(value*60)), 24*60-1)
		return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}
