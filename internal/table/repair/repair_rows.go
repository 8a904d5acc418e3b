package repair

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// repairWriter writes the copy in the second pass.
type repairWriter struct {
	repairer        *repairer
	out             *csvfile.Writer
	aligner         aligner
	columns         []profile.ColumnProfile // the profiles, by position
	identifiesRows  []bool                  // by position: whether nearly every row has its own text
	swaps           []bool                  // by position: whether points and commas are exchanged
	duplicates      map[int]bool            // the lines of rows with the ID of an earlier row
	suffixes        map[string]int          // by repeated ID, the last number appended to it
	firstRaggedLine int                     // line of the first row with a wrong number of fields
}

func newRepairWriter(r *repairer, dst io.Writer) (*repairWriter, error) {
	w := &repairWriter{repairer: r, out: csvfile.NewWriter(dst), duplicates: make(map[int]bool), suffixes: make(map[string]int)}
	w.columns, w.identifiesRows = make([]profile.ColumnProfile, len(r.names)), make([]bool, len(r.names))
	for i := range w.columns {
		w.columns[i], w.identifiesRows[i] = profile.Describe(r.stats.Column(i))
	}
	w.swaps = make([]bool, len(r.names))
	for _, name := range r.opts.SwapSeparators {
		at := r.findByNormalizedName(name)
		switch {
		case at < 0:
			return nil, r.missingColumnDefect(name, "to be corrected")
		case !slices.Contains(r.order, at):
			return nil, &csvfile.Defect{
				Code: csvfile.CodeMissingColumn, Line: r.dialect.line, Column: at + 1, Name: name,
				Message: "the copy does not have this column, so points and commas cannot be exchanged in it",
			}
		}
		w.swaps[at] = true
	}
	repeated, _, err := r.ids.Duplicates(r.ctx, math.MaxInt)
	if err != nil {
		return nil, err
	}
	for _, duplicate := range repeated {
		w.duplicates[duplicate.Line] = true
	}
	w.aligner = aligner{columns: len(r.names), delim: r.dialect.delim, id: r.id, label: r.label, accepts: w.acceptsCell}
	if r.blind {
		w.aligner.label = -1
	}
	w.writeHeader()
	return w, nil
}

// findByNormalizedName returns the position of the column with the given name. If no column has this
// name, it returns the position of the only column whose name differs just in case and punctuation, or -1 if
// there is no such column or more than one.
func (r *repairer) findByNormalizedName(name string) int {
	if at := slices.Index(r.names, name); at >= 0 {
		return at
	}
	found := -1
	for at, other := range r.names {
		if csvfile.NormalizeName(other) != csvfile.NormalizeName(name) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = at
	}
	return found
}

func (w *repairWriter) writeHeader() {
	r := w.repairer
	if r.id == generatedID {
		name := "id"
		if train := r.opts.Train; r.blind && train != nil {
			name = train.Schema.ID
		}
		name = csvfile.UniqueName(name, func(one string) bool {
			for _, at := range r.order {
				if r.names[at] == one {
					return true
				}
			}
			return false
		})
		r.report.ID, r.report.GeneratedID = name, true
		r.log.addMessage(changeIDColumnAdded, Change{}, "an ID column, %s, with the IDs r1, r2, … is added, because the first column, %s, is not an ID", csvfile.Excerpt(name), csvfile.Excerpt(r.names[0]))
		w.out.WriteField([]byte(name))
	} else {
		r.report.ID = r.names[r.id]
	}
	for _, at := range r.order {
		w.out.WriteField([]byte(r.names[at]))
	}
	w.out.EndRecord()
}

// writeRow writes a row to the copy, or logs why the row is omitted.
func (w *repairWriter) writeRow(fields [][]byte, line int) error {
	r := w.repairer
	switch {
	case isBlankRow(fields) && len(r.names) > 1:
		r.log.addLeftOut(changeBlankRowLeftOut, line)
		return nil
	case r.repeatsHeader(fields):
		r.log.addLeftOut(changeHeaderRowLeftOut, line)
		return nil
	case slices.Contains(r.moreHeaders, line) && !r.mayNeedPrediction(fields):
		r.log.addLeftOut(changeSecondHeaderLeft, line)
		return nil
	}
	// If the first pass took the first row for a header, it ignored all rows equal to this row.
	wasCounted := len(fields) == len(r.names) && (r.dialect.hasHeader || r.countedFirstRow || !r.equalsFirstRow(fields))
	if len(fields) != len(r.names) {
		cells := w.aligner.align(fields)
		if cells == nil {
			return w.omitRagged(fields, line)
		}
		r.log.add(changeRealigned, line, 0)
		fields = cells
	}
	if r.label >= 0 && !r.blind {
		label := cells.Trim(fields[r.label])
		if len(label) == 0 {
			r.log.addLeftOut(changeUnlabelledLeftOut, line)
			return nil
		}
		if len(label) < len(fields[r.label]) {
			r.log.add(changeLabelTrimmed, line, r.label+1)
		}
		fields[r.label] = label
	}
	r.report.RowsWritten++
	if r.id >= 0 {
		id, err := w.uniqueID(fields[r.id], line, wasCounted)
		if err != nil {
			return err
		}
		fields[r.id] = id
	} else {
		w.out.WriteField(strconv.AppendInt([]byte{'r'}, int64(r.report.RowsWritten), 10))
	}
	for _, at := range r.order {
		if w.swaps[at] && swapPointsAndCommas(fields[at]) {
			r.log.add(changeSeparatorsSwapped, line, at+1)
		}
		w.out.WriteField(fields[at])
	}
	w.out.EndRecord()
	return nil
}

// mayNeedPrediction is called for a row that looks like a second header. It reports whether the row
// may nevertheless be a row to predict. This is possible in a blind file if the row has an ID or
// the file has no ID column.
func (r *repairer) mayNeedPrediction(fields [][]byte) bool {
	return r.blind && (r.id < 0 || r.id < len(fields) && !cells.IsBlank(fields[r.id]))
}

// swapPointsAndCommas exchanges the points and commas of a number in place. It returns false if the
// cell is not a number or contains no points or commas.
func swapPointsAndCommas(cell []byte) bool {
	_, _, isPoint := cells.ParseAmount(cell, false)
	_, _, isComma := cells.ParseAmount(cell, true)
	if !isPoint && !isComma || !bytes.ContainsAny(cell, ".,") {
		return false
	}
	for i, char := range cell {
		switch char {
		case '.':
			cell[i] = ','
		case ',':
			cell[i] = '.'
		}
	}
	return true
}

// omitRagged leaves a row with a wrong number of fields out of the copy of a training file. For a
// blind file, it returns a defect instead, because the row would have no prediction.
func (w *repairWriter) omitRagged(fields [][]byte, line int) error {
	if w.firstRaggedLine == 0 {
		w.firstRaggedLine = line
	}
	if !w.repairer.blind {
		w.repairer.log.addLeftOut(changeRaggedLeftOut, line)
		return nil
	}
	d := csvfile.RaggedRowDefect(w.repairer.names, &csvfile.Record{Line: line, Fields: fields})
	d.Message += "; the row cannot be aligned: correct it by hand"
	return d
}

// uniqueID returns the ID of a row, or a new ID if an earlier row has the same ID. wasCounted is
// set if the first pass added the ID to the repairer's IDs.
func (w *repairWriter) uniqueID(id []byte, line int, wasCounted bool) ([]byte, error) {
	ids := w.repairer.ids
	if cells.IsBlank(id) {
		w.repairer.log.add(changeIDFilled, line, w.repairer.id+1)
		return w.nextFreeID([]byte{'r'}, w.repairer.report.RowsWritten, line)
	}
	if wasCounted && !w.duplicates[line] {
		return id, nil
	}
	if !wasCounted {
		if taken, err := ids.Has(id); err != nil {
			return nil, err
		} else if !taken {
			ids.Add(id, line)
			return id, nil
		}
	}
	w.repairer.log.add(changeIDMadeUnique, line, w.repairer.id+1)
	last := max(w.suffixes[string(id)], 1)
	fresh, err := w.nextFreeID(append(bytes.Clone(id), '-'), last+1, line)
	if err != nil {
		return nil, err
	}
	w.suffixes[string(id)], err = strconv.Atoi(string(fresh[len(id)+1:]))
	return fresh, err
}

// nextFreeID returns a new ID: stem followed by the first number from n on that makes an unused ID.
func (w *repairWriter) nextFreeID(stem []byte, n, line int) ([]byte, error) {
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

// acceptsCell reports whether a non-blank cell looks like the values of a column. If
// strictly is set, a column with few distinct texts accepts no other text.
func (w *repairWriter) acceptsCell(column int, cell []byte, strictly bool) bool {
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
	case strictly && c.Form != inference.FormText && !w.identifiesRows[column] && t.KnowsAllTexts() && 2*c.Distinct <= rows:
		return known
	}
	return kind != cells.Number || t.HasNumbers() || rows < profile.MinComparedRows
}
