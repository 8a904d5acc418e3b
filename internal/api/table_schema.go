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
	// Used are the names in Columns except those of columns that no model uses, such as a constant
	// column.
	Used []string
	// Classes are sorted; nil if they are unknown.
	Classes []string
}

// TableSchema returns the schema of a dataset.
func (d *Dataset) TableSchema() TableSchema {
	t := TableSchema{Label: d.LabelName}
	for i := range d.Columns {
		t.Columns = append(t.Columns, d.Columns[i].Name)
		if !d.Columns[i].Unused {
			t.Used = append(t.Used, d.Columns[i].Name)
		}
	}
	for _, class := range d.Classes {
		t.Classes = append(t.Classes, class.Label)
	}
	slices.Sort(t.Columns)
	slices.Sort(t.Used)
	slices.Sort(t.Classes)
	return t
}
