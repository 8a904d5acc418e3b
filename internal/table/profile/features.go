package profile

import (
	"cmp"
	"slices"

	"foretell/internal/table/frame"
)

func (t *ColumnStats) features(name string, inf *inference) []frame.ColumnSchema {
	switch inf.form {
	case FormNumeric:
		return t.numericFeatures(name, inf)
	case FormDate, FormTime:
		return dateFeatures(name, inf)
	case FormText:
		return t.textFeatures(name, inf)
	}
	if inf.identifiesRows {
		return nil
	}
	return []frame.ColumnSchema{t.categoryFeature(name)}
}

// categoryFeature returns the feature whose levels are the texts of a column.
func (t *ColumnStats) categoryFeature(name string) frame.ColumnSchema {
	c := frame.ColumnSchema{Name: name, Kind: frame.Category}
	for _, one := range t.texts.levels() {
		c.Levels = append(c.Levels, one.text)
	}
	return c
}

func (t *ColumnStats) numericFeatures(name string, inf *inference) []frame.ColumnSchema {
	first := frame.ColumnSchema{Name: name, Kind: frame.Numeric}
	if inf.format != nil {
		first.Feature, first.Unit, first.DecimalComma = frame.ExtractAmount, inf.format.Unit, inf.format.DecimalComma
	}
	features := []frame.ColumnSchema{first}
	if inf.isCode && len(t.texts.values) > 0 {
		features = append(features, frame.DeriveFeature(t.categoryFeature(name+".code"), name, frame.ExtractText))
	}
	if len(inf.strays) > 0 {
		others := ColumnStats{texts: valueCounts{values: inf.strays}}
		features = append(features, frame.DeriveFeature(others.categoryFeature(name+".text"), name, frame.ExtractText))
	}
	return features
}

// dateFeatures returns the features of a column of dates or times. A column of times has the hour.
// A column of dates has the time, and also the month, day, weekday and hour if they vary in the
// column. If not all values are known, month, day and weekday are assumed to vary.
func dateFeatures(name string, inf *inference) []frame.ColumnSchema {
	list := []frame.Extraction{frame.ExtractTime, frame.ExtractMonth, frame.ExtractDay, frame.ExtractWeekday, frame.ExtractHour}
	if inf.form == FormTime {
		list = []frame.Extraction{frame.ExtractHour}
	}
	var features []frame.ColumnSchema
	for _, p := range list {
		if inf.form == FormDate && p != frame.ExtractTime && (!inf.isSampled || p == frame.ExtractHour) && !featureVaries(inf.values, p) {
			continue
		}
		c := frame.DeriveFeature(frame.ColumnSchema{Name: name + "." + string(p), Kind: frame.Numeric}, name, p)
		c.DayFirst = inf.dayFirst
		features = append(features, c)
	}
	return features
}

// maxDifferenceDates is the largest number of columns of dates between which differences are
// features.
const maxDifferenceDates = 4

// differenceFeatures returns, for each two of the file's columns of dates, the days between them.
// If there are more than maxDifferenceDates columns, it uses those with the fewest missing values.
func differenceFeatures(schema *frame.Schema, columns []ColumnProfile) []frame.ColumnSchema {
	missing := make(map[string]int)
	for i := range columns {
		missing[columns[i].Name] = columns[i].Missing
	}
	var dates []int
	for i := range schema.Columns {
		if schema.Columns[i].Feature == frame.ExtractTime {
			dates = append(dates, i)
		}
	}
	slices.SortStableFunc(dates, func(a, b int) int {
		return cmp.Compare(missing[schema.Columns[a].Source], missing[schema.Columns[b].Source])
	})
	dates = dates[:min(len(dates), maxDifferenceDates)]
	slices.Sort(dates)
	var features []frame.ColumnSchema
	for i, to := range dates {
		for _, from := range dates[:i] {
			first, second := schema.Columns[from].Source, schema.Columns[to].Source
			c := frame.DeriveFeature(frame.ColumnSchema{Name: second + ".since." + first, Kind: frame.Numeric}, second, frame.ExtractSince)
			c.Since = first
			features = append(features, c)
		}
	}
	return features
}

func featureVaries(days []distinctValue, p frame.Extraction) bool {
	for i := range days {
		if frame.DateFeature(days[i].value, p) != frame.DateFeature(days[0].value, p) {
			return true
		}
	}
	return false
}

// textFeatures returns the features of a column of texts: the texts themselves, from
// which scores of the classes are learned, and features of their words. If enough rows
// share their texts, the texts are also the levels of a category.
func (t *ColumnStats) textFeatures(name string, inf *inference) []frame.ColumnSchema {
	var features []frame.ColumnSchema
	if inf.hasSharedTexts {
		features = append(features, t.categoryFeature(name))
	}
	features = append(features, frame.DeriveFeature(frame.ColumnSchema{Name: name + ".text", Kind: frame.Text}, name, ""))
	for _, p := range []frame.Extraction{frame.ExtractLength, frame.ExtractWords} {
		features = append(features, frame.DeriveFeature(frame.ColumnSchema{Name: name + "." + string(p), Kind: frame.Numeric}, name, p))
	}
	for _, word := range slices.Sorted(slices.Values(inf.words)) {
		c := frame.DeriveFeature(frame.ColumnSchema{Name: name + ":" + word, Kind: frame.Numeric}, name, frame.ExtractWord)
		c.Word = word
		features = append(features, c)
	}
	return features
}
