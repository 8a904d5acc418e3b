package frame

// Take returns a frame of the given rows with their labels, in the order of rows.
func (f *Frame) Take(rows []int32) *Frame {
	taken := &Frame{Schema: f.Schema, Rows: len(rows), Columns: make([]Column, len(f.Columns))}
	for i := range f.Columns {
		taken.Columns[i] = f.Columns[i].Take(rows)
	}
	if f.Labels != nil {
		taken.Labels = make([]int32, len(rows))
		for i, row := range rows {
			taken.Labels[i] = f.Labels[row]
		}
	}
	return taken
}

// Append returns a frame with the rows of f, followed by rows lo…hi-1 of other. The result has no
// labels. A Column that is the zero Column in f is also the zero Column in the result.
func (f *Frame) Append(other *Frame, lo, hi int) *Frame {
	joined := &Frame{Schema: f.Schema, Rows: f.Rows + hi - lo, Columns: make([]Column, len(f.Columns))}
	for i := range f.Columns {
		a, b, dst := &f.Columns[i], &other.Columns[i], &joined.Columns[i]
		switch {
		case a.Codes != nil:
			dst.Codes = append(append(make([]int32, 0, joined.Rows), a.Codes...), b.Codes[lo:hi]...)
		case a.Texts != nil:
			dst.Texts = append(append(make([]string, 0, joined.Rows), a.Texts...), b.Texts[lo:hi]...)
		case a.IsNumeric():
			dst.Floats = make([]float64, joined.Rows)
			copy(dst.Floats, a.Values(dst.Floats, 0, f.Rows))
			rest := dst.Floats[f.Rows:]
			copy(rest, b.Values(rest, lo, hi))
		}
	}
	return joined
}

// SourceColumn is a column of a file with the features that are extracted from it.
type SourceColumn struct {
	Name string
	// Features are the positions of the features in Schema.Columns, ascending.
	Features []int
}

// SourceColumns groups the features of the schema by the column of the file that they are extracted
// from, in the order of their first features. It omits the features with ExtractSince, which belong
// to two columns.
func (s *Schema) SourceColumns() []SourceColumn {
	var list []SourceColumn
	positions := make(map[string]int)
	for i := range s.Columns {
		if s.Columns[i].Feature == ExtractSince {
			continue
		}
		name := s.Columns[i].SourceName()
		at, known := positions[name]
		if !known {
			at = len(list)
			positions[name] = at
			list = append(list, SourceColumn{Name: name})
		}
		list[at].Features = append(list[at].Features, i)
	}
	return list
}

// TextColumns returns the positions of the features of kind Text in Schema.Columns, ascending.
func (s *Schema) TextColumns() []int32 { return s.textOrNonTextColumns(true) }

// NonTextColumns returns the positions of the numeric and category features in Schema.Columns,
// ascending.
func (s *Schema) NonTextColumns() []int32 { return s.textOrNonTextColumns(false) }

func (s *Schema) textOrNonTextColumns(texts bool) []int32 {
	var list []int32
	for i := range s.Columns {
		if (s.Columns[i].Kind == Text) == texts {
			list = append(list, int32(i))
		}
	}
	return list
}
