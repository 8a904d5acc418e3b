package api

import "slices"

// TableSchema is the label, the columns and the classes of a dataset. They decide whether scores of
// two models can be compared.
type TableSchema struct {
	// Label is the name of the label column; "" if it is unknown.
	Label string
	// Columns are the sorted names of the columns between the ID and the label; nil if they are
	// unknown.
	Columns []string
	// Used are the names in Columns without those that no model uses, such as a constant column.
	Used []string
	// Classes are sorted; nil if they are unknown.
	Classes []string
}

// NewTableSchema returns the schema of a dataset with a label, columns and classes.
func NewTableSchema(label string, columns []Column, classes []Class) TableSchema {
	t := TableSchema{Label: label}
	for i := range columns {
		t.AddColumn(columns[i].Name, !columns[i].Unused)
	}
	for _, class := range classes {
		t.Classes = append(t.Classes, class.Label)
	}
	t.Sort()
	return t
}

// AddColumn adds a column. isUsed reports whether models may use it. Sort must be called after the
// last column and class.
func (t *TableSchema) AddColumn(name string, isUsed bool) {
	t.Columns = append(t.Columns, name)
	if isUsed {
		t.Used = append(t.Used, name)
	}
}

// Sort sorts the columns and the classes.
func (t *TableSchema) Sort() {
	slices.Sort(t.Columns)
	slices.Sort(t.Used)
	slices.Sort(t.Classes)
}

// TableSchema returns the schema of a dataset.
func (d *Dataset) TableSchema() TableSchema { return NewTableSchema(d.LabelName, d.Columns, d.Classes) }
