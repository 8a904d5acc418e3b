// Package frame reads a CSV file as typed columns: it finds what each column
// holds, checks the file against the rules of the service, and loads the
// cells into memory in the form the learning engine works on.
//
// Two passes, so that neither holds the file in memory:
//
//	Scan   one streaming pass: kinds, levels, classes, defects → Profile, Schema
//	Load   one streaming pass with that Schema                 → Frame
//
// A blind file is read in Blocks, which keep each row's bytes, so that a
// ResultWriter can put predictions behind them; Verify proves the result
// against the blind file. Check compares two profiles before anything is
// predicted. Decode and Reshape bring other files into the form that all of
// these read: UTF-8, commas, ID first, label last.
//
// What is wrong with a file is a *Defect, which has a code and knows line and
// column.
package frame

import "math"

// Kind tells what the cells of a column are.
type Kind uint8

// The kinds of a feature column.
const (
	Numeric  Kind = iota // every cell that is not missing parses as a finite number
	Category             // anything else: text from a set of levels
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

// Column is one feature. Exactly one of Floats and Codes is set.
type Column struct {
	// Floats is set for Numeric: one value a row, NaN where missing.
	Floats []float64
	// Codes is set for Category: one code a row: Missing for an empty cell,
	// 0…len(Levels)-1 for a level, and len(Levels) for a text that is too
	// rare to be a level or was never seen in training.
	Codes []int32
}

// Schema is what a model has to know about its columns to read another file.
// It is stored with the dataset and inside the model file.
type Schema struct {
	// ID is the name of the first column, Label that of the last.
	ID    string `json:"id"`
	Label string `json:"label"`
	// Columns are the features in file order.
	Columns []ColumnSchema `json:"columns"`
	// Classes are the distinct labels: in numeric order if all are numbers,
	// else in byte order.
	Classes []string `json:"classes"`
}

// ColumnSchema describes one feature column.
type ColumnSchema struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Levels are the texts of a Category column that have a code of their
	// own, in byte order.
	Levels []string `json:"levels,omitempty"`
}

// Other returns the code that stands for rare and never seen texts.
func (c *ColumnSchema) Other() int32 { return int32(len(c.Levels)) }

// NaN is the value of an empty cell in a Numeric column.
var NaN = math.NaN()
