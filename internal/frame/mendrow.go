package frame

import (
	"bytes"
	"io"
	"math"
	"strconv"
)

// mendWriter writes the rows of the second pass.
type mendWriter struct {
	m        *mender
	out      *Writer
	aligner  aligner
	columns  []ColumnProfile // what each holds, by its field
	names    []bool          // columns of texts of their own
	twins    map[int]bool    // lines of rows whose ID an earlier row has
	suffixes map[string]int  // the number behind the last one of an ID that repeats
	firstOut int             // line of the first row that is left out for its fields
}

func newMendWriter(m *mender, dst io.Writer) (*mendWriter, error) {
	w := &mendWriter{m: m, out: NewWriter(dst), twins: make(map[int]bool), suffixes: make(map[string]int)}
	s := m.scan
	w.columns, w.names = make([]ColumnProfile, len(m.names)), make([]bool, len(m.names))
	for i := range s.tallies {
		judged := s.tallies[i].judge()
		w.columns[i], w.names[i] = s.tallies[i].profile(&judged), judged.names
	}
	repeated, _, err := s.ids.repeated(m.ctx, math.MaxInt)
	if err != nil {
		return nil, err
	}
	for _, r := range repeated {
		w.twins[r.line] = true
	}
	w.aligner = aligner{names: len(m.names), delim: m.layout.delim, id: m.id, label: m.label, suits: w.suits}
	if m.blind {
		w.aligner.label = -1
	}
	w.header()
	return w, nil
}

func (w *mendWriter) header() {
	m := w.m
	if m.id == made {
		name := "id"
		if train := m.opts.Train; m.blind && train != nil {
			name = train.Schema.ID
		}
		name = freeName(name, func(one string) bool {
			for _, at := range m.order {
				if m.names[at] == one {
					return true
				}
			}
			return false
		})
		m.done.Numbered = true
		m.ledger.say(changeMadeID, Change{}, "an ID column is made, %s: the rows are r1, r2, …; the first column, %s, is not one", excerpt(name), excerpt(m.names[0]))
		w.out.Field([]byte(name))
	}
	for _, at := range m.order {
		w.out.Field([]byte(m.names[at]))
	}
	w.out.EndRecord()
}

// row writes a row, or notes why it is left out.
func (w *mendWriter) row(fields [][]byte, line int) error {
	m := w.m
	switch {
	case allBlank(fields):
		m.ledger.leave(changeBlankRow, line)
		return nil
	case m.repeatsHeader(fields):
		m.ledger.leave(changeHeaderRow, line)
		return nil
	}
	// Rows like the first are counted only if it was known to be data from the start.
	surveyed := len(fields) == len(m.names) && (m.layout.header || m.first || !m.likeFirstRow(fields))
	if len(fields) != len(m.names) {
		cells := w.aligner.align(fields)
		if cells == nil {
			return w.ragged(fields, line)
		}
		m.ledger.note(changeRagged, line, 0)
		fields = cells
	}
	if m.label >= 0 && !m.blind {
		label := trim(fields[m.label])
		if len(label) == 0 {
			m.ledger.leave(changeEmptyLabel, line)
			return nil
		}
		if len(label) < len(fields[m.label]) {
			m.ledger.note(changeLabelSpace, line, m.label+1)
		}
		fields[m.label] = label
	}
	m.done.Written++
	if m.id >= 0 {
		id, err := w.identify(fields[m.id], line, surveyed)
		if err != nil {
			return err
		}
		fields[m.id] = id
	} else {
		w.out.Field(strconv.AppendInt([]byte{'r'}, int64(m.done.Written), 10))
	}
	for _, at := range m.order {
		w.out.Field(fields[at])
	}
	w.out.EndRecord()
	return nil
}

// ragged leaves a row of a training file out. A row of a blind file would lack
// its prediction.
func (w *mendWriter) ragged(fields [][]byte, line int) error {
	if w.firstOut == 0 {
		w.firstOut = line
	}
	if !w.m.blind {
		w.m.ledger.leave(changeRaggedOut, line)
		return nil
	}
	record := &Record{line: line, fields: fields}
	d := (&table{names: w.m.names}).ragged(record)
	d.Message += ", and which of them is meant for which column cannot be told: mend this row by hand"
	return d
}

// identify returns an ID that no other row has.
func (w *mendWriter) identify(id []byte, line int, surveyed bool) ([]byte, error) {
	ids := w.m.scan.ids
	if isBlank(id) {
		w.m.ledger.note(changeEmptyID, line, w.m.id+1)
		return w.free([]byte{'r'}, w.m.done.Written, line)
	}
	if surveyed && !w.twins[line] {
		return id, nil
	}
	if !surveyed {
		if taken, err := ids.has(id); err != nil {
			return nil, err
		} else if !taken {
			ids.add(id, line)
			return id, nil
		}
	}
	w.m.ledger.note(changeTwinID, line, w.m.id+1)
	last := max(w.suffixes[string(id)], 1)
	fresh, err := w.free(append(bytes.Clone(id), '-'), last+1, line)
	if err != nil {
		return nil, err
	}
	w.suffixes[string(id)], err = strconv.Atoi(string(fresh[len(id)+1:]))
	return fresh, err
}

// free returns the first ID with a number behind it that no row has.
func (w *mendWriter) free(stem []byte, n, line int) ([]byte, error) {
	ids := w.m.scan.ids
	for ; ; n++ {
		fresh := strconv.AppendInt(bytes.Clone(stem), int64(n), 10)
		taken, err := ids.has(fresh)
		if err != nil {
			return nil, err
		}
		if !taken {
			ids.add(fresh, line)
			return fresh, nil
		}
	}
}

// suits reports whether a cell that is not blank looks like those of a column.
func (w *mendWriter) suits(column int, cell []byte, strictly bool) bool {
	t, c := &w.m.scan.tallies[column], &w.columns[column]
	known := t.texts.find(string(trim(cell))) != nil
	kind, _ := classify(cell)
	rows := w.m.scan.profile.Rows
	switch {
	case column == w.m.label && !w.m.blind:
		return known
	case column == w.m.id:
		return t.kind() != Numeric || kind == number
	case c.Form.ofNumbers():
		return kind == marker || known || c.reads(&level{text: string(cell)})
	case strictly && c.Form != FormText && !w.names[column] && t.texts.all == nil && 2*c.Distinct <= rows:
		return known
	}
	return kind != number || t.cells[number] > 0 || rows < enoughRows
}
