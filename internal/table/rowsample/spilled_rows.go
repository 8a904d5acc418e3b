package rowsample

import (
	"encoding/binary"
	"slices"

	"foretell/internal/spill"
)

// spilledRows keeps the sampled values of a wide table on disk, in groups of fields. The
// values of one group fit in memory.
//
//	fields     0 … 1023     1024 … 2047   …
//	row 0      stream 0     stream 1
//	row 1      stream 0     stream 1
//
// Medians and distinct counts, which need all rows, are computed from these values.
type spilledRows struct {
	fields int
	rows   int
	groups []*spill.Stream
	bytes  []byte // buffer of add
}

const groupFields = 1024

func newSpilledRows(disk *spill.File, fields int) *spilledRows {
	s := &spilledRows{fields: fields}
	for range (fields + groupFields - 1) / groupFields {
		s.groups = append(s.groups, disk.NewStream())
	}
	return s
}

// add adds the values of the next row, one per field.
func (s *spilledRows) add(cells []uint64) {
	s.rows++
	for i, stream := range s.groups {
		s.bytes = s.bytes[:0]
		for _, cell := range cells[i*groupFields : min((i+1)*groupFields, s.fields)] {
			s.bytes = binary.LittleEndian.AppendUint64(s.bytes, cell)
		}
		_, _ = stream.Write(s.bytes) // never fails
	}
}

// forEachField calls visit with each wanted field of a group and its values by row. The
// function visit may change the values.
func (s *spilledRows) forEachField(group int, wanted func(field int) bool, visit func(field int, cells []uint64)) error {
	stream, first := s.groups[group], group*groupFields
	text, err := stream.AppendTo(nil, stream.Len())
	if err != nil {
		return err
	}
	n := min(groupFields, s.fields-first)
	var cells []uint64
	for i := range n {
		if !wanted(first + i) {
			continue
		}
		cells = slices.Grow(cells[:0], s.rows)
		for row := range s.rows {
			cells = append(cells, binary.LittleEndian.Uint64(text[8*(row*n+i):]))
		}
		visit(first+i, cells)
	}
	return nil
}
