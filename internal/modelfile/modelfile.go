// Package modelfile reads the model files that `foretell models export` writes, and writes
// programs in Python that predict with them. The commands predict, explain and models
// export use it.
package modelfile

import (
	"errors"
	"math"
	"os"

	"foretell/internal/api"
	"foretell/internal/exit"
	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
)

// Read reads the model file at path. A folder is a usage error. The error for a file that is not a
// model has the status exit.Rejected.
func Read(path string) (*model.Model, error) { return ReadNamed(path, path) }

// ReadNamed is like Read, but its messages use the given name instead of path. It is for a file at
// path that is a temporary copy of the file that the user named, such as a pipe.
func ReadNamed(path, name string) (*model.Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, exit.Usagef("\"%s\" is a folder, not a file", name).WithHint("use a model file in it")
	}
	m, err := model.Read(file, info.Size())
	if err == nil {
		return m, nil
	}
	e := exit.Errorf(exit.Rejected, "%s: %w", name, err).At(name, 0, 0)
	if errors.Is(err, model.ErrNewer) {
		return nil, e.WithHint("use the version of foretell that wrote the file, or a newer one")
	}
	return nil, e.WithHint("export it again with `foretell models export REF`")
}

// Dataset describes a model's training data as the service describes a dataset.
func Dataset(m *model.Model) *api.Dataset {
	schema := m.Schema()
	dataset := &api.Dataset{IDName: schema.ID, LabelName: schema.Label}
	fields := schema.Fields
	if fields == nil {
		for i := range schema.Columns {
			fields = append(fields, schema.Columns[i].SourceName())
		}
	}
	for _, name := range fields {
		column := describeColumn(schema, name)
		column.Sample, column.Terms = sampleValues(m, name, column.Kind == string(inference.FormTime)), sampleTerms(m, name)
		dataset.Columns = append(dataset.Columns, column)
	}
	for _, class := range schema.Classes {
		dataset.Classes = append(dataset.Classes, api.Class{Label: class})
	}
	return dataset
}

// sampleValues describes the numbers or dates that a column has in the background rows of m. These
// are the training rows that the model keeps. For a column of categories, it only counts the rows
// with a value, the rows without a value, and the rows with a rare text. isTime is set if the
// column has times of day; its numbers are then hours. For numbers and dates, sampleValues returns
// nil if no value of the column is known.
func sampleValues(m *model.Model, name string, isTime bool) *api.NumberSample {
	schema := m.Schema()
	for i := range schema.Columns {
		c := &schema.Columns[i]
		if codes := m.BackgroundCodes(i); codes != nil && c.SourceName() == name && c.Feature == "" {
			sample := new(api.NumberSample)
			for _, code := range codes {
				switch code {
				case frame.Missing:
					sample.Missing++
				case int32(len(c.Levels)):
					sample.Unknown++
				}
			}
			sample.Rows = len(codes) - sample.Missing
			return sample
		}
		isNumber := c.Kind == frame.Numeric && (c.Feature == "" || c.Feature == frame.ExtractAmount || c.Feature == frame.ExtractTime || isTime && c.Feature == frame.ExtractHour)
		if c.SourceName() != name || !isNumber {
			continue
		}
		sample := &api.NumberSample{Min: math.Inf(1), Max: math.Inf(-1), Integers: c.Feature != frame.ExtractTime && !isTime}
		for _, value := range m.BackgroundValues(i) {
			if math.IsNaN(value) {
				sample.Missing++
				continue
			}
			sample.Rows, sample.Min, sample.Max = sample.Rows+1, min(sample.Min, value), max(sample.Max, value)
			sample.Integers = sample.Integers && value == math.Trunc(value)
			sample.Numbers = append(sample.Numbers, value)
		}
		if sample.Rows > 0 {
			return sample
		}
	}
	return nil
}

// sampleTerms describes the words or items that a column has in the background rows of m; see
// sampleValues. It returns nil if no words or items of the column are known.
func sampleTerms(m *model.Model, name string) *api.TermSample {
	schema, sample, hasTerm := m.Schema(), new(api.TermSample), []bool(nil)
	for i := range schema.Columns {
		c := &schema.Columns[i]
		if c.SourceName() != name || c.Feature != frame.ExtractWord && c.Feature != frame.ExtractItem {
			continue
		}
		values := m.BackgroundValues(i)
		if values == nil { // no member uses the feature
			continue
		}
		sample.Terms = append(sample.Terms, c.Word)
		if hasTerm == nil {
			hasTerm = make([]bool, len(values))
		}
		for row, value := range values {
			hasTerm[row] = hasTerm[row] || value == 1
		}
	}
	if sample.Terms == nil {
		return nil
	}
	for _, has := range hasTerm {
		if sample.Rows++; !has {
			sample.Without++
		}
	}
	return sample
}

// describeColumn describes a column of the training file, as far as a model stores it:
//
//	dates         the order of day, month and year, or the unit of Unix times
//	times of day  that there are times of day
//	numbers       the unit and the separators; the words among the numbers
//	categories    the levels
//	lists         the separator and the items
//	codes         the first characters
//	texts         that there are texts of several words
//
// For other columns, the result has only the name, and whether a feature is extracted from the
// column.
//
// A model stores less than a dataset. The time zones of dates with times are therefore unknown,
// amounts are assumed to have thousands separators, and the order of day and month counts as known,
// even if it was only assumed in training.
func describeColumn(schema *frame.Schema, name string) api.Column {
	column, features := api.Column{Name: name, Unused: true}, 0
	for i := range schema.Columns {
		c := &schema.Columns[i]
		if c.SourceName() != name {
			continue
		}
		column.Unused, features = false, features+1
		switch {
		case c.Feature == frame.ExtractPrefix:
			features-- // the feature does not change the levels of the column
			column.Parts, column.PrefixLengths = append(column.Parts, c.Levels...), append(column.PrefixLengths, c.Length)
		case c.Kind == frame.Category && (c.Feature == "" || c.Feature == frame.ExtractText && c.Name == name+".text"):
			column.Levels = c.Levels
		case c.Kind == frame.Text:
			column.Kind = string(inference.FormText)
		case c.Kind != frame.Numeric:
		case c.Separator != "":
			column.ListSeparator = c.Separator
			if c.Feature == frame.ExtractItem {
				column.Parts = append(column.Parts, c.Word)
			}
		case c.Feature == "" || c.Feature == frame.ExtractAmount:
			column.Kind, column.NumberFormat = string(inference.FormNumeric), &api.NumberFormat{Unit: c.Unit, DecimalComma: c.DecimalComma, Grouped: c.Feature != ""}
		case c.Feature == frame.ExtractTime:
			column.Kind, column.DateOrder, column.Epoch = string(inference.FormDate), dateOrder(c), string(c.Epoch)
		case c.Feature == frame.ExtractHour && c.Epoch == "":
			column.TimeZones = []string{inference.UnknownTimeZone}
			if column.Kind == "" { // otherwise the column has dates: their feature ExtractTime is before ExtractHour
				column.Kind = string(inference.FormTime)
			}
		}
	}
	if features > 1 && column.NumberFormat == nil {
		column.Levels = nil // the column has lists or texts of several words, and new texts are usual in it
	}
	return column
}

// dateOrder returns the order of day, month and year in the dates of a feature, such as
// inference.DayFirst. It returns "" for Unix times.
func dateOrder(c *frame.ColumnSchema) string {
	switch {
	case c.Epoch != "":
		return ""
	case c.YearFirst:
		return string(inference.YearFirst)
	case c.DayFirst:
		return string(inference.DayFirst)
	}
	return string(inference.MonthFirst)
}

// AddOldModelHint adds a hint to err if the model is too old to be explained. Other errors
// are returned unchanged.
func AddOldModelHint(err error) error {
	if errors.Is(err, model.ErrNoBackground) {
		return exit.Errorf(exit.Rejected, "%w", err).WithHint("train a new model with `foretell run`; this model can still predict")
	}
	return err
}
