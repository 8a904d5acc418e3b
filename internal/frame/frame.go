// Package frame reads a CSV file as typed columns: it finds what each column
// holds, checks the file against the rules of the service, and loads the
// cells into memory in the form the learning engine works on.
//
// Two passes, so that neither holds the file in memory:
//
//	Scan   one streaming pass: forms, levels, classes, defects → Profile, Schema
//	Load   one streaming pass with that Schema                 → Frame
//
// The columns of a Schema are features: a date becomes its weekday, hour and so
// on, a text its words, and a column that teaches nothing becomes none.
//
// A blind file is read in Blocks, which keep each row's bytes, so that a
// ResultFormat can put predictions behind them; Verify proves the result
// against the blind file. Check compares two profiles before anything is
// predicted. Decode and Reshape bring other files into the form that all of
// these read: UTF-8, commas, ID first, label last.
//
// What is wrong with a file is a *Defect, which has a code and knows line and
// column.
package frame

import (
	"cmp"
	"slices"
)

// Kind tells what the cells of a feature are.
type Kind uint8

// The kinds of a feature.
const (
	Numeric  Kind = iota // numbers
	Category             // texts from a set of levels
)

// Missing is the code of an empty cell in a Category column.
const Missing int32 = -1

// Frame is a table of labelled or blind rows as typed columns. It is read
// only once built and may be shared by any number of goroutines.
type Frame struct {
	// Schema is what the cells were read with.
	Schema *Schema
	// Rows is the number of data rows.
	Rows int
	// Columns holds the features in the order of Schema.Columns.
	Columns []Column
	// Labels holds one class index (into Schema.Classes) a row; nil for a
	// blind file.
	Labels []int32
}

// Schema is what a model has to know about its columns to read another file.
// It is stored with the dataset and inside the model file.
type Schema struct {
	// ID is the name of the first column, Label that of the last.
	ID    string `json:"id"`
	Label string `json:"label"`
	// Fields are the names of the columns between ID and Label in file order.
	// A file without one of them is refused, also where nothing is learnt from
	// it. They are nil where Columns has exactly one of each name.
	Fields []string `json:"fields,omitempty"`
	// Columns are the features that the engine learns from.
	Columns []ColumnSchema `json:"columns"`
	// Classes are the distinct labels: in numeric order if all are numbers,
	// else in byte order.
	Classes []string `json:"classes"`
}

// fieldNames returns the names of the columns that a file must have beside its ID.
func (s *Schema) fieldNames() []string {
	if s.Fields != nil {
		return s.Fields
	}
	names := make([]string, len(s.Columns))
	for i := range s.Columns {
		names[i] = s.Columns[i].Field()
	}
	return names
}

// simplify forgets the fields if the columns tell as much.
func (s *Schema) simplify() {
	same := func(name string, c ColumnSchema) bool { return name == c.Field() }
	if slices.EqualFunc(s.Fields, s.Columns, same) {
		s.Fields = nil
	}
}

// Valid reports whether the columns of a schema can be filled: each from one of
// the fields, and the parts of one cell such as go together.
func (s *Schema) Valid() bool {
	fields := indexOf(s.fieldNames())
	families := make(map[string]FeatureKind)
	for i := range s.Columns {
		c := &s.Columns[i]
		_, known := fields[c.Field()]
		if !known || c.Kind > Category || (c.Kind == Category && c.Feature != "" && c.Feature != FeatureText) {
			return false
		}
		if c.Kind == Category || c.Feature == "" {
			continue
		}
		family, known := c.Feature.group()
		if before, any := families[c.Field()]; !known || any && (before != family || family == FeatureAmount) {
			return false
		}
		families[c.Field()] = family
	}
	return true
}

// ColumnSchema describes one feature: a column of the file, or a part of one.
type ColumnSchema struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Source is the file's column that the feature is made of; empty if that
	// has the feature's name.
	Source string `json:"source,omitempty"`
	// Feature is the part of the cell; empty for all of it.
	Feature FeatureKind `json:"part,omitempty"`
	// DayFirst tells that 1/2/2006 is in February.
	DayFirst bool `json:"dayFirst,omitempty"`
	// Unit and Comma are how an amount is written: what stands beside it, and
	// whether the comma parts its decimals.
	Unit         string `json:"unit,omitempty"`
	DecimalComma bool   `json:"comma,omitempty"`
	// Word is the word that is looked for.
	Word string `json:"word,omitempty"`
	// Levels are the texts of a Category column that have a code of their
	// own, in byte order.
	Levels []string `json:"levels,omitempty"`
}

// Field returns the name of the file's column that the feature is made of.
func (c *ColumnSchema) Field() string { return cmp.Or(c.Source, c.Name) }

// OtherCode returns the code that stands for rare and never seen texts.
func (c *ColumnSchema) OtherCode() int32 { return int32(len(c.Levels)) }
