package frame

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// Kind is the type of a feature.
type Kind uint8

// The kinds of a feature.
const (
	Numeric  Kind = iota // numbers
	Category             // texts from a fixed set of levels
	Text                 // arbitrary texts
)

// Missing is the code of an empty cell in a Category column.
const Missing int32 = -1

// Frame is a table as typed columns. It is immutable and safe for concurrent use.
type Frame struct {
	// Schema is the schema according to which the file was read.
	Schema *Schema
	// Rows is the number of data rows.
	Rows int
	// Columns holds the features in the order of Schema.Columns.
	Columns []Column
	// Labels holds the index of each row's label in Schema.Classes. It is nil for a blind
	// file.
	Labels []int32
}

// Schema describes the columns of a training file, so that blind files can be read for a model that
// was trained on this file. It is stored with the dataset and in the model file.
type Schema struct {
	// ID is the name of the first column, and Label is the name of the last column.
	ID    string `json:"id"`
	Label string `json:"label"`
	// Fields are the names of the columns between ID and Label in file order, including those
	// without features. A blind file must contain all of them. Fields is nil if it would be equal
	// to the source names of Columns.
	Fields []string `json:"fields,omitempty"`
	// Columns are the features.
	Columns []ColumnSchema `json:"columns"`
	// Classes are the distinct labels, in numeric order if all of them are numbers,
	// otherwise in byte order.
	Classes []string `json:"classes"`
}

// FieldNames returns the names of the columns between the ID and the label. A blind file must
// contain all of them.
func (s *Schema) FieldNames() []string {
	if s.Fields != nil {
		return s.Fields
	}
	names := make([]string, len(s.Columns))
	for i := range s.Columns {
		names[i] = s.Columns[i].SourceName()
	}
	return names
}

// MaxNameLength returns the maximum length of the name of a column in a file that belongs to s, in
// characters: [csvfile.MaxNameLength], or the length of the longest name in s. Earlier versions
// accepted longer names, and a blind file must have the same names. s may be nil.
func (s *Schema) MaxNameLength() int {
	longest := csvfile.MaxNameLength
	if s == nil {
		return longest
	}
	for _, name := range s.FieldNames() {
		longest = max(longest, utf8.RuneCountInString(name))
	}
	return max(longest, utf8.RuneCountInString(s.ID))
}

// OmitImpliedFields sets Fields to nil if FieldNames returns the same names without it.
func (s *Schema) OmitImpliedFields() {
	same := func(name string, c ColumnSchema) bool { return name == c.SourceName() }
	if slices.EqualFunc(s.Fields, s.Columns, same) {
		s.Fields = nil
	}
}

// Valid reports whether the features of every column can be extracted. These conditions must hold:
//
//   - The source of a feature is one of the fields.
//   - One extractor computes all features of a field; see Extraction.group. Only a field of texts may
//     also have the features of a list. A field has at most one amount.
//   - All lists of a field have the same separator, and all its dates the same format.
//   - Both columns of a feature with ExtractSince also have a feature with ExtractTime.
func (s *Schema) Valid() bool {
	fields := BuildIndex(s.FieldNames())
	groups, separators := make(map[string]Extraction), make(map[string]string)
	formats := make(map[string]cells.DateFormat)
	differences := 0
	for i := range s.Columns {
		c := &s.Columns[i]
		name := c.SourceName()
		_, known := fields[name]
		if !known || c.Kind > Text || c.Kind != Numeric && !c.hasValidTexts() {
			return false
		}
		if !c.hasValidDates() {
			return false
		}
		if c.Kind != Numeric || c.Feature == "" {
			continue
		}
		if c.isDatePart() {
			format := c.DateFormat()
			if before, any := formats[name]; any && before != format {
				return false
			}
			formats[name] = format
		}
		group, known := c.Feature.group()
		if group == ExtractItem {
			if before, any := separators[name]; !c.hasSeparator() || any && before != c.Separator {
				return false
			}
			separators[name] = c.Separator
			continue
		}
		if before, any := groups[name]; !known || any && (before != group || group == ExtractAmount) {
			return false
		}
		groups[name] = group
		if c.Feature == ExtractSince {
			differences++
		}
	}
	for name := range separators {
		if group, any := groups[name]; any && group != ExtractWord {
			return false
		}
	}
	return differences == len(s.Differences())
}

// ColumnSchema describes one feature.
type ColumnSchema struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Source is the name of the file's column that the feature is extracted from. Defaults
	// to Name.
	Source string `json:"source,omitempty"`
	// Feature is what is extracted from a cell. Defaults to the number or text of the
	// cell itself.
	Feature Extraction `json:"part,omitempty"`
	// DayFirst is set if 1/2/2006 is the first of February.
	DayFirst bool `json:"dayFirst,omitempty"`
	// YearFirst is set if dates with a two-digit year begin with the year: 06-01-31 is in 2006.
	YearFirst bool `json:"yearFirst,omitempty"`
	// Epoch is the unit of dates that are numbers and count the time since 1 January 1970. It is
	// empty for other dates.
	Epoch EpochUnit `json:"epoch,omitempty"`
	// NeedsTime is set if the hour of a date without a time of day is a missing value. It is not
	// set in models of earlier versions of the program, where this hour is 0.
	NeedsTime bool `json:"needsTime,omitempty"`
	// Unit and DecimalComma are the format of an amount: the text before or after the numbers, in
	// lower case, and whether a comma separates the decimals.
	Unit         string `json:"unit,omitempty"`
	DecimalComma bool   `json:"comma,omitempty"`
	// Since is the name of another column of dates, if Feature is ExtractSince. The feature is the
	// number of days, with a fraction, from the date in Since to the date in Source; it is negative
	// if the date in Source is earlier.
	Since string `json:"since,omitempty"`
	// Word is the word that is searched for, if Feature is ExtractWord, or the item, if Feature is
	// ExtractItem.
	Word string `json:"word,omitempty"`
	// Separator is the character between the items of a list, if Feature is ExtractItem or ExtractItems.
	Separator string `json:"separator,omitempty"`
	// Length is the number of characters of a prefix, if Feature is ExtractPrefix.
	Length int `json:"length,omitempty"`
	// Levels are the texts of a Category column, in byte order. The code of a text is its
	// index in Levels, or len(Levels) for other texts.
	Levels []string `json:"levels,omitempty"`
}

// MaxPrefixLength is the largest number of characters of a prefix.
const MaxPrefixLength = 10

// hasValidTexts reports whether the feature of a category or a text can be extracted.
func (c *ColumnSchema) hasValidTexts() bool {
	if c.Feature == ExtractPrefix {
		return c.Kind == Category && c.Length > 0 && c.Length <= MaxPrefixLength
	}
	return c.Feature == "" || c.Feature == ExtractText
}

// SourceName returns Source or its default.
func (c *ColumnSchema) SourceName() string { return cmp.Or(c.Source, c.Name) }
