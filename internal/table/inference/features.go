package inference

import (
	"cmp"
	"fmt"
	"slices"

	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
)

// Features returns the features that are extracted from a column with the given name. inf is the
// inferred form of the column.
func Features(t *columnstats.Column, name string, inf *Result) []frame.ColumnSchema {
	switch inf.Form {
	case FormNumeric:
		return numericFeatures(t, name, inf)
	case FormDate, FormTime:
		return dateFeatures(name, inf)
	case FormText:
		return slices.Concat(textFeatures(t, name, inf), listFeatures(name, inf), prefixFeatures(t, name, inf))
	}
	var features []frame.ColumnSchema
	if !inf.IdentifiesRows {
		features = append(features, categoryFeature(name, t.Levels()))
	}
	return slices.Concat(features, listFeatures(name, inf), prefixFeatures(t, name, inf))
}

// prefixFeatures returns a categorical feature for each of inf.PrefixLengths. The levels of the
// feature are the prefixes of this length: for length 3, E11 is the level of the code E11.9.
func prefixFeatures(t *columnstats.Column, name string, inf *Result) (features []frame.ColumnSchema) {
	for _, length := range inf.PrefixLengths {
		prefixes := columnstats.Levels(countPrefixes(t.AllOrSample(), length))
		c := frame.DeriveFeature(categoryFeature(fmt.Sprintf("%s.prefix%d", name, length), prefixes), name, frame.ExtractPrefix)
		c.Length = length
		features = append(features, c)
	}
	return features
}

// listFeatures returns the features of a column of lists: the number of items and, for each item in
// inf.Items, whether the list contains it. It returns nil for any other column.
func listFeatures(name string, inf *Result) []frame.ColumnSchema {
	if inf.Separator == "" {
		return nil
	}
	count := frame.DeriveFeature(frame.ColumnSchema{Name: name + ".items", Kind: frame.Numeric}, name, frame.ExtractItems)
	count.Separator = inf.Separator
	features := []frame.ColumnSchema{count}
	for _, item := range slices.Sorted(slices.Values(inf.Items)) {
		c := frame.DeriveFeature(frame.ColumnSchema{Name: name + ":" + item, Kind: frame.Numeric}, name, frame.ExtractItem)
		c.Separator, c.Word = inf.Separator, item
		features = append(features, c)
	}
	return features
}

// categoryFeature returns the feature with the given levels.
func categoryFeature(name string, levels []columnstats.Value) frame.ColumnSchema {
	c := frame.ColumnSchema{Name: name, Kind: frame.Category}
	for _, one := range levels {
		c.Levels = append(c.Levels, one.Text)
	}
	return c
}

func numericFeatures(t *columnstats.Column, name string, inf *Result) []frame.ColumnSchema {
	first := frame.ColumnSchema{Name: name, Kind: frame.Numeric}
	if inf.Format != nil {
		first.Feature, first.Unit, first.DecimalComma = frame.ExtractAmount, inf.Format.Unit, inf.Format.DecimalComma
	}
	features := []frame.ColumnSchema{first}
	if inf.hasCodes && len(t.Values()) > 0 {
		features = append(features, frame.DeriveFeature(categoryFeature(name+".code", t.Levels()), name, frame.ExtractText))
	}
	if len(inf.Strays) > 0 {
		features = append(features, frame.DeriveFeature(categoryFeature(name+".text", columnstats.Levels(inf.Strays)), name, frame.ExtractText))
	}
	return features
}

// dateFeatures returns the features of a column of dates or times. A column of times has one
// feature, the hour. For a column of dates, these are the date as a number of days (ExtractTime)
// and those of month, day, weekday and hour that vary. If some values are unknown, month, day and
// weekday count as varying.
func dateFeatures(name string, inf *Result) []frame.ColumnSchema {
	list := []frame.Extraction{frame.ExtractTime, frame.ExtractMonth, frame.ExtractDay, frame.ExtractWeekday, frame.ExtractHour}
	if inf.Form == FormTime {
		list = []frame.Extraction{frame.ExtractHour}
	}
	var features []frame.ColumnSchema
	for _, p := range list {
		if inf.Form == FormDate && p != frame.ExtractTime && (!inf.IsSampled || p == frame.ExtractHour) && !featureVaries(inf.Values, p) {
			continue
		}
		c := frame.DeriveFeature(frame.ColumnSchema{Name: name + "." + string(p), Kind: frame.Numeric}, name, p)
		c.DayFirst, c.YearFirst, c.Epoch = inf.DayFirst, inf.YearFirst, inf.Epoch
		c.NeedsTime = p == frame.ExtractHour && inf.Epoch == "" // without NeedsTime, the hour would be 0 if the time is missing
		features = append(features, c)
	}
	return features
}

// maxDifferenceDates is the largest number of columns of dates between which differences are
// features.
const maxDifferenceDates = 4

// Differences returns a feature for each pair of the file's columns of dates: the number of days
// between the two dates. If there are more than four columns of dates, it uses the four with the
// fewest missing values. missing maps the name of each column to its number of missing values.
func Differences(schema *frame.Schema, missing map[string]int) []frame.ColumnSchema {
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

func featureVaries(days []columnstats.Value, p frame.Extraction) bool {
	for i := range days {
		if frame.DateFeature(days[i].Number, p) != frame.DateFeature(days[0].Number, p) {
			return true
		}
	}
	return false
}

// textFeatures returns the features of a text column: the texts themselves, for a text model, and
// features of their words. If enough rows share their texts with other rows, the texts are also the
// levels of a category.
func textFeatures(t *columnstats.Column, name string, inf *Result) []frame.ColumnSchema {
	var features []frame.ColumnSchema
	if inf.hasSharedTexts {
		features = append(features, categoryFeature(name, t.Levels()))
	}
	features = append(features, frame.DeriveFeature(frame.ColumnSchema{Name: name + ".text", Kind: frame.Text}, name, ""))
	for _, p := range []frame.Extraction{frame.ExtractLength, frame.ExtractWords} {
		features = append(features, frame.DeriveFeature(frame.ColumnSchema{Name: name + "." + string(p), Kind: frame.Numeric}, name, p))
	}
	for _, word := range slices.Sorted(slices.Values(inf.Words)) {
		c := frame.DeriveFeature(frame.ColumnSchema{Name: name + ":" + word, Kind: frame.Numeric}, name, frame.ExtractWord)
		c.Word = word
		features = append(features, c)
	}
	return features
}
