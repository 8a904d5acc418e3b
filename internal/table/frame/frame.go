package frame

import (
	"cmp"
	"slices"
)

// Kind is the type of a feature.
type Kind uint8

// The kinds of a feature.
const (
	Numeric  Kind = iota // numbers
	Category             // texts from a fixed set of levels
)

// Missing is the code of an empty cell in a Category column.
const Missing int32 = -1

// Frame is a table of labelled or blind rows as typed columns. It is immutable and safe
// for concurrent use.
type Frame struct {
	// Schema is the schema that the cells were read with.
	Schema *Schema
	// Rows is the number of data rows.
	Rows int
	// Columns holds the features in the order of Schema.Columns.
	Columns []Column
	// Labels holds one class index (into Schema.Classes) per row; nil for a blind file.
	Labels []int32
}

// Schema is what a model needs to know about its columns to read another file. It is
// stored with the dataset and in the model file.
type Schema struct {
	// ID is the name of the first column, Label that of the last.
	ID    string `json:"id"`
	Label string `json:"label"`
	// Fields are the names of the columns between ID and Label in file order. It is an
	// error if a file lacks one of them, even if it has no feature. Nil if Columns has
	// exactly one feature of each name.
	Fields []string `json:"fields,omitempty"`
	// Columns are the features.
	Columns []ColumnSchema `json:"columns"`
	// Classes are the distinct labels: in numeric order if all are numbers, otherwise in
	// byte order.
	Classes []string `json:"classes"`
}

// FieldNames returns the names of the columns that a file must have besides its ID.
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

// OmitImpliedFields removes Fields if Columns imply them.
func (s *Schema) OmitImpliedFields() {
	same := func(name string, c ColumnSchema) bool { return name == c.SourceName() }
	if slices.EqualFunc(s.Fields, s.Columns, same) {
		s.Fields = nil
	}
}

// Valid reports whether all columns of a schema can be extracted: each from one of the
// fields, and the features of one field of the same group.
func (s *Schema) Valid() bool {
	fields := BuildIndex(s.FieldNames())
	groups := make(map[string]FeatureKind)
	for i := range s.Columns {
		c := &s.Columns[i]
		_, known := fields[c.SourceName()]
		if !known || c.Kind > Category || (c.Kind == Category && c.Feature != "" && c.Feature != FeatureText) {
			return false
		}
		if c.Kind == Category || c.Feature == "" {
			continue
		}
		group, known := c.Feature.group()
		if before, any := groups[c.SourceName()]; !known || any && (before != group || group == FeatureAmount) {
			return false
		}
		groups[c.SourceName()] = group
	}
	return true
}

// ColumnSchema describes one feature: a column of the file, or something extracted from
// one.
type ColumnSchema struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Source is the column of the file that the feature is extracted from; defaults to
	// Name.
	Source string `json:"source,omitempty"`
	// Feature is what is extracted from the cell; empty for the cell itself.
	Feature FeatureKind `json:"part,omitempty"`
	// DayFirst is set if 1/2/2006 is in February.
	DayFirst bool `json:"dayFirst,omitempty"`
	// Unit and DecimalComma are the format of an amount: its unit, and whether a comma
	// separates the decimals.
	Unit         string `json:"unit,omitempty"`
	DecimalComma bool   `json:"comma,omitempty"`
	// Word is the word to look for.
	Word string `json:"word,omitempty"`
	// Levels are the texts of a Category column with a code, in byte order. Other texts
	// have the code len(Levels).
	Levels []string `json:"levels,omitempty"`
}

// SourceName returns the name of the file's column that the feature is extracted from.
func (c *ColumnSchema) SourceName() string { return cmp.Or(c.Source, c.Name) }
