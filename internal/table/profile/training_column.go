package profile

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
)

// TrainingColumn holds what is known about a column of a training file whose profile is not
// available.
type TrainingColumn struct {
	Name      string
	Form      inference.Form      // "" if it is not known
	DateOrder inference.DateOrder // "" if it is not known
	Epoch     frame.EpochUnit     // the unit of Unix times; "" for other dates
	// NumberFormat is the format of the numbers of a FormNumeric column; nil if it is not known.
	NumberFormat *cells.NumberFormat
	TimeZones    []string // as in ColumnProfile; nil if they are not known
	// Min and Max are the smallest and the largest number, as in NumericStats. HasRange reports
	// whether they are known.
	HasRange bool
	Min, Max float64
	// Mean is the mean of the numbers, and MaxStdDev is an upper bound of their standard deviation. MaxStdDev
	// is 0 if both are not known.
	Mean, MaxStdDev float64
	// Integers reports whether all numbers are integers, or all numbers of the sample if SampleRows is
	// not 0. It is false if this is not known.
	Integers bool
	// SampleRows and SampleMissing are set if the column is known only for a sample of the training
	// rows. They are the numbers of rows of the sample with and without a value, HasRange is false,
	// and Min and Max are the range of the sample. If the column is not known from a sample,
	// SampleRows is 0.
	SampleRows, SampleMissing int
	// SampleUnknown is the number of rows of the sample with a text that is not one of Levels.
	SampleUnknown int
	// SampleNumbers are the numbers of the sample, in the order of its rows.
	SampleNumbers []float64
	// Rows is the number of rows of the training file, or 0 if it is not known. Missing is the
	// number of its rows without a value.
	Rows, Missing int
	// Distinct is the number of distinct values that are not missing. DistinctEstimate is set if
	// Distinct is an estimate. Texts are the most frequent texts, unless the column contains
	// numbers, dates or times. TextRows is the number of rows with one of Texts.
	Distinct         int
	DistinctEstimate bool
	Texts            []string
	TextRows         int
	// Levels are the texts that a model distinguishes: all texts of the training file, or all except
	// rare ones. It is nil if they are not known or if Texts contains all of them. In a column of
	// numbers, they are the words among the numbers.
	Levels []string
	// ListSeparator is the separator of a column of lists; "" for any other column, or if it is not known.
	ListSeparator string
	// Terms are the items of lists, or the words of texts, that a model distinguishes; nil if they
	// are not known. TermSampleRows is the number of rows in a sample of the training file, and
	// TermSampleWithout is how many of these rows contain none of Terms.
	Terms                             []string
	TermSampleRows, TermSampleWithout int
	// Parts are the items of lists, or the first characters of codes, that are features of a model; nil
	// if they are not known. PrefixLengths are the lengths of these first characters.
	Parts         []string
	PrefixLengths []int
}

// HasAllTexts reports whether Texts are all texts of a column of categories.
func (k *TrainingColumn) HasAllTexts() bool {
	return (k.Form == inference.FormCategory || k.Form == inference.FormBoolean) && k.Distinct > 0 && len(k.Texts) == k.Distinct
}

// MissingShare returns the fraction of rows without a value in the training file. If only a sample
// of its rows is known, it is the fraction in the sample. If neither fraction is known, isKnown is
// false and share is 0.
func (k *TrainingColumn) MissingShare() (share float64, isKnown bool) {
	missing, rows := k.Missing, k.Rows
	if rows == 0 {
		missing, rows = k.SampleMissing, k.SampleRows+k.SampleMissing
	}
	if rows == 0 {
		return 0, false
	}
	return float64(missing) / float64(rows), true
}

// Profile returns a profile of the column with all that is known of it.
func (k *TrainingColumn) Profile() *ColumnProfile {
	c := &ColumnProfile{Name: k.Name, Form: k.Form, DateOrder: k.DateOrder, Epoch: k.Epoch, TimeZones: k.TimeZones, separator: k.ListSeparator, prefixes: k.PrefixLengths}
	c.dateFormat = cells.DateFormat{DayFirst: k.DateOrder == inference.DayFirst, YearFirst: k.DateOrder == inference.YearFirst, PerDay: k.Epoch.PerDay()}
	if k.NumberFormat != nil && *k.NumberFormat != (cells.NumberFormat{}) {
		c.format = k.NumberFormat
	}
	if k.Integers {
		c.Numbers = &columnstats.NumericStats{Min: k.Min, Max: k.Max}
	}
	var texts []string
	switch {
	case k.HasAllTexts():
		texts = k.Texts
	case k.Form == inference.FormNumeric && len(k.Levels) > 0:
		texts, c.Features = k.Levels, 2 // the numbers and the words
	}
	for _, text := range texts {
		c.values = append(c.values, columnstats.Value{Text: text})
	}
	return c
}
