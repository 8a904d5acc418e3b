package api

import "slices"

// TableSchema is the label, the columns and the classes of a dataset. Scores of two models can be
// compared only if the schemas are equal.
type TableSchema struct {
	// Label is the name of the label column; "" if it is unknown.
	Label string
	// Columns are the sorted names of the features; nil if they are unknown.
	Columns []string
	// Classes are sorted; nil if they are unknown.
	Classes []string
}

// NewTableSchema returns the schema of a dataset with a label, columns and classes.
func NewTableSchema(label string, columns []Column, classes []Class) TableSchema {
	t := TableSchema{Label: label}
	for _, column := range columns {
		t.Columns = append(t.Columns, column.Name)
	}
	for _, class := range classes {
		t.Classes = append(t.Classes, class.Label)
	}
	slices.Sort(t.Columns)
	slices.Sort(t.Classes)
	return t
}

// TableSchema returns the schema of a dataset.
func (d *Dataset) TableSchema() TableSchema { return NewTableSchema(d.LabelName, d.Columns, d.Classes) }

// Matches reports whether two tables have the same label, columns and classes. Something that is
// unknown in either table counts as equal.
func (t TableSchema) Matches(other TableSchema) bool {
	sameNames := func(a, b []string) bool { return len(a) == 0 || len(b) == 0 || slices.Equal(a, b) }
	return (t.Label == "" || other.Label == "" || t.Label == other.Label) &&
		sameNames(t.Columns, other.Columns) && sameNames(t.Classes, other.Classes)
}
