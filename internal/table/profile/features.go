package profile

import (
	"slices"

	"foretell/internal/table/frame"
)

// features returns the features of a column.
func (t *ColumnStats) features(name string, j *inference) []frame.ColumnSchema {
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
	return []frame.ColumnSchema{t.categoryFeature(name)}
}

// categoryFeature returns the feature whose levels are the texts of a column.
func (t *ColumnStats) categoryFeature(name string) frame.ColumnSchema {
	c := frame.ColumnSchema{Name: name, Kind: frame.Category}
	for _, one := range t.texts.retained() {
		c.Levels = append(c.Levels, one.text)
	}
	return c
}

func (t *ColumnStats) numericFeatures(name string, j *inference) []frame.ColumnSchema {
	first := frame.ColumnSchema{Name: name, Kind: frame.Numeric}
	if j.format != nil {
		first.Feature, first.Unit, first.DecimalComma = frame.FeatureAmount, j.format.Unit, j.format.DecimalComma
	}
	features := []frame.ColumnSchema{first}
	if j.isCode && len(t.texts.list) > 0 {
		features = append(features, frame.DeriveFeature(t.categoryFeature(name+".code"), name, frame.FeatureText))
	}
	if len(j.strays) > 0 {
		others := ColumnStats{texts: valueCounts{list: j.strays}}
		features = append(features, frame.DeriveFeature(others.categoryFeature(name+".text"), name, frame.FeatureText))
	}
	return features
}

// dateFeatures returns the time and the calendar features that vary, or may vary beyond
// the sample.
func dateFeatures(name string, j *inference) []frame.ColumnSchema {
	list := []frame.FeatureKind{frame.FeatureTime, frame.FeatureMonth, frame.FeatureDay, frame.FeatureWeekday, frame.FeatureHour}
	if j.form == FormTime {
		list = []frame.FeatureKind{frame.FeatureHour}
	}
	var features []frame.ColumnSchema
	for _, p := range list {
		if j.form == FormDate && p != frame.FeatureTime && (!j.sampled || p == frame.FeatureHour) && !varies(j.values, p) {
			continue
		}
		c := frame.DeriveFeature(frame.ColumnSchema{Name: name + "." + string(p), Kind: frame.Numeric}, name, p)
		c.DayFirst = j.dayFirst
		features = append(features, c)
	}
	return features
}

func varies(days []distinctValue, p frame.FeatureKind) bool {
	for i := range days {
		if frame.DateFeature(days[i].value, p) != frame.DateFeature(days[0].value, p) {
			return true
		}
	}
	return false
}

// textFeatures returns the word features of texts, and the texts as categories if enough
// rows share them.
func (t *ColumnStats) textFeatures(name string, j *inference) []frame.ColumnSchema {
	var features []frame.ColumnSchema
	if j.shared {
		features = append(features, t.categoryFeature(name))
	}
	for _, p := range []frame.FeatureKind{frame.FeatureLength, frame.FeatureWords} {
		features = append(features, frame.DeriveFeature(frame.ColumnSchema{Name: name + "." + string(p), Kind: frame.Numeric}, name, p))
	}
	for _, word := range slices.Sorted(slices.Values(j.words)) {
		c := frame.DeriveFeature(frame.ColumnSchema{Name: name + ":" + word, Kind: frame.Numeric}, name, frame.FeatureWord)
		c.Word = word
		features = append(features, c)
	}
	return features
}
