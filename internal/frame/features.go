package frame

import (
	"slices"
)

// features returns the features of a column.
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

// dateFeatures returns the time and the calendar features that vary, or may vary beyond
// the sample.
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

// textFeatures returns the word features of texts, and the texts as categories if enough
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
