package repair

import (
	"bytes"
	"io"
	"math"
	"strconv"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// repairWriter writes the rows of the second pass.
type repairWriter struct {
	repairer   *repairer
	out        *csvfile.Writer
	aligner    aligner
	columns    []profile.ColumnProfile // the profiles, by field
	namesRows  []bool                  // columns whose texts identify rows
	duplicates map[int]bool            // lines of rows with the ID of an earlier row
	suffixes   map[string]int          // by repeated ID: the last number appended
	firstOut   int                     // line of the first row with a wrong number of fields
}

func newRepairWriter(m *repairer, dst io.Writer) (*repairWriter, error) {
	w := &repairWriter{repairer: m, out: csvfile.NewWriter(dst), duplicates: make(map[int]bool), suffixes: make(map[string]int)}
	w.columns, w.namesRows = make([]profile.ColumnProfile, len(m.names)), make([]bool, len(m.names))
	for i := range w.columns {
		w.columns[i], w.namesRows[i] = m.stats.Column(i).Profile()
	}
	repeated, _, err := m.ids.Duplicates(m.ctx, math.MaxInt)
	if err != nil {
		return nil, err
	}
	for _, r := range repeated {
		w.duplicates[r.Line] = true
	}
	w.aligner = aligner{width: len(m.names), delim: m.dialect.delim, id: m.id, label: m.label, accepts: w.accepts}
	if m.blind {
		w.aligner.label = -1
	}
	w.header()
	return w, nil
}

func (w *repairWriter) header() {
	m := w.repairer
	if m.id == madeID {
		name := "id"
		if train := m.opts.Train; m.blind && train != nil {
			name = train.Schema.ID
		}
		name = uniqueName(name, func(one string) bool {
			for _, at := range m.order {
				if m.names[at] == one {
					return true
				}
			}
			return false
		})
		m.report.Numbered = true
		m.log.addMessage(changeMadeID, Change{}, "an ID column is added, %s: the rows are r1, r2, …; the first column, %s, is not one", csvfile.Excerpt(name), csvfile.Excerpt(m.names[0]))
		w.out.WriteField([]byte(name))
	}
	for _, at := range m.order {
		w.out.WriteField([]byte(m.names[at]))
	}
	w.out.EndRecord()
}

// row writes a row, or logs why it is omitted.
func (w *repairWriter) row(fields [][]byte, line int) error {
	m := w.repairer
	switch {
	case allBlank(fields):
		m.log.addLeftOut(changeBlankRow, line)
		return nil
	case m.repeatsHeader(fields):
		m.log.addLeftOut(changeHeaderRow, line)
		return nil
	}
	// Rows equal to the first are counted only if it was known to be data from the start.
	surveyed := len(fields) == len(m.names) && (m.dialect.header || m.countedFirst || !m.equalsFirstRow(fields))
	if len(fields) != len(m.names) {
		cells := w.aligner.align(fields)
		if cells == nil {
			return w.ragged(fields, line)
		}
		m.log.add(changeRagged, line, 0)
		fields = cells
	}
	if m.label >= 0 && !m.blind {
		label := cells.Trim(fields[m.label])
		if len(label) == 0 {
			m.log.addLeftOut(changeEmptyLabel, line)
			return nil
		}
		if len(label) < len(fields[m.label]) {
			m.log.add(changeLabelSpace, line, m.label+1)
		}
		fields[m.label] = label
	}
	m.report.Written++
	if m.id >= 0 {
		id, err := w.uniqueID(fields[m.id], line, surveyed)
		if err != nil {
			return err
		}
		fields[m.id] = id
	} else {
		w.out.WriteField(strconv.AppendInt([]byte{'r'}, int64(m.report.Written), 10))
	}
	for _, at := range m.order {
		w.out.WriteField(fields[at])
	}
	w.out.EndRecord()
	return nil
}

// ragged omits a row of a training file. For a blind file it returns a defect, because the
// row would have no prediction.
func (w *repairWriter) ragged(fields [][]byte, line int) error {
	if w.firstOut == 0 {
		w.firstOut = line
	}
	if !w.repairer.blind {
		w.repairer.log.addLeftOut(changeRaggedOut, line)
		return nil
	}
	record := &csvfile.Record{Line: line, Fields: fields}
	d := (&csvfile.Table{Names: w.repairer.names}).RaggedRowDefect(record)
	d.Message += ", which cannot be aligned: correct this row by hand"
	return d
}

// uniqueID returns an ID that no other row has.
func (w *repairWriter) uniqueID(id []byte, line int, surveyed bool) ([]byte, error) {
	ids := w.repairer.ids
	if cells.IsBlank(id) {
		w.repairer.log.add(changeEmptyID, line, w.repairer.id+1)
		return w.freeID([]byte{'r'}, w.repairer.report.Written, line)
	}
	if surveyed && !w.duplicates[line] {
		return id, nil
	}
	if !surveyed {
		if taken, err := ids.Has(id); err != nil {
			return nil, err
		} else if !taken {
			ids.Add(id, line)
			return id, nil
		}
	}
	w.repairer.log.add(changeDuplicateID, line, w.repairer.id+1)
	last := max(w.suffixes[string(id)], 1)
	fresh, err := w.freeID(append(bytes.Clone(id), '-'), last+1, line)
	if err != nil {
		return nil, err
	}
	w.suffixes[string(id)], err = strconv.Atoi(string(fresh[len(id)+1:]))
	return fresh, err
}

// freeID returns the first ID of stem and a number from n on that no row has.
func (w *repairWriter) freeID(stem []byte, n, line int) ([]byte, error) {
	ids := w.repairer.ids
	for ; ; n++ {
		fresh := strconv.AppendInt(bytes.Clone(stem), int64(n), 10)
		taken, err := ids.Has(fresh)
		if err != nil {
			return nil, err
		}
		if !taken {
			ids.Add(fresh, line)
			return fresh, nil
		}
	}
}

// accepts reports whether a non-blank cell looks like those of a column.
func (w *repairWriter) accepts(column int, cell []byte, strictly bool) bool {
	t, c := w.repairer.stats.Column(column), &w.columns[column]
	known := t.HasText(string(cells.Trim(cell)))
	kind, _ := cells.Classify(cell)
	rows := w.repairer.stats.Rows()
	switch {
	case column == w.repairer.label && !w.repairer.blind:
		return known
	case column == w.repairer.id:
		return t.Kind() != frame.Numeric || kind == cells.Number
	case c.Form.IsOrdered():
		return kind == cells.Null || known || c.CanParse(string(cell))
	case strictly && c.Form != profile.FormText && !w.namesRows[column] && t.KnowsTexts() && 2*c.Distinct <= rows:
		return known
	}
	return kind != cells.Number || t.HasNumbers() || rows < profile.MinComparedRows
}
