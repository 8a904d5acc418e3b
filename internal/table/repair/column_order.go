package repair

import (
	"slices"
	"strconv"
	"strings"

	"foretell/internal/table/check"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
)

// generatedID is the value of repairer.id if the IDs are generated, because no column is
// the ID.
const generatedID = -1

// chooseIDAndSuggestLabel chooses the ID and, for a training file, suggests the label.
func (r *repairer) chooseIDAndSuggestLabel() (err error) {
	layout := &r.opts.Layout
	decides := r.blind && r.opts.Train != nil && r.opts.ChooseRoles != nil
	r.suggested = ColumnRoles{Label: -1}
	if r.opts.ChooseRoles != nil && (decides || layout.Label == "" || layout.ID == "" && !layout.GenerateID) {
		if r.suggested, err = r.opts.ChooseRoles(r.names, r.sampleRows()); err != nil {
			return err
		}
	}
	if r.suggested.Names != nil {
		r.names, r.dialect.hasHeader = r.suggested.Names, !r.suggested.NoHeader
	}
	switch {
	case decides:
		r.id = r.suggested.ID
	case layout.GenerateID:
		r.id = generatedID
	case layout.ID != "":
		if r.id = slices.Index(r.names, layout.ID); r.id < 0 {
			return r.missingColumnDefect(layout.ID, "for the ID")
		}
	default:
		r.id = r.suggested.ID
	}
	return nil
}

// sampleRows returns the rows of the sample, except those that repeat the header or look like a
// second header.
func (r *repairer) sampleRows() [][][]byte {
	rows := slices.DeleteFunc(slices.Clone(r.dialect.sample), r.repeatsHeader)
	stats := columnstats.NewCollector(len(r.names))
	for i, row := range rows {
		if len(row) == len(r.names) && !isBlankRow(row) {
			stats.AddRow(row, i)
		}
	}
	headers := check.SecondHeaderLines(stats.Columns(), generatedID, r.expectedLabel())
	if len(headers) == 0 || r.blind {
		return rows
	}
	return slices.Concat(rows[:headers[0]], rows[headers[len(headers)-1]+1:])
}

// expectedLabel returns the position of the label of a training file before chooseLabel is called, or -1
// if it is not known.
func (r *repairer) expectedLabel() int {
	switch {
	case r.blind:
		return -1
	case r.opts.Layout.Label != "":
		return slices.Index(r.names, r.opts.Layout.Label)
	}
	return r.suggested.Label
}

// maxBlankIDs is the largest number of elements of repairer.blankIDs. It is more than the number of
// lines that check.SecondHeaderLines returns.
const maxBlankIDs = 3

// rejectInvalidIDs makes the copy have generated IDs if ColumnRoles.GenerateInvalid is set and the
// ID column contains missing or repeated IDs. IDs of rows that are left out are ignored.
func (r *repairer) rejectInvalidIDs() error {
	if r.id < 0 || !r.suggested.GenerateInvalid {
		return nil
	}
	headers := check.SecondHeaderLines(r.stats.Columns(), r.id, r.expectedLabel())
	hasBlankID := slices.ContainsFunc(r.blankIDs, func(line int) bool { return !slices.Contains(headers, line) })
	repeated, _, err := r.ids.Duplicates(r.ctx, 1)
	if err != nil || !hasBlankID && len(repeated) == 0 {
		return err
	}
	if train := r.opts.Train; train != nil && r.names[r.id] == train.Schema.ID { // the generated column has this name
		r.names[r.id] = csvfile.UniqueName(train.Schema.ID, func(one string) bool { return slices.Contains(r.names, one) })
	}
	r.id = generatedID
	return nil
}

func (r *repairer) missingColumnDefect(name, role string) error {
	return missingColumnDefect(r.dialect.line, name, role, r.names)
}

func (r *repairer) makeNamesUnique() {
	switch {
	case !r.dialect.hasHeader:
		r.generateColumnNames()
		return
	case r.suggested.Names != nil:
		r.logNewNames()
		return
	}
	taken := make(map[string]bool)
	for i, name := range r.names {
		fresh := name
		switch {
		case name == "" && i == r.id:
			fresh = "id"
		case name == "":
			fresh = "column_" + strconv.Itoa(i+1)
		}
		fresh = csvfile.UniqueName(fresh, func(one string) bool {
			return taken[one] || one != name && slices.Contains(r.names[i:], one)
		})
		taken[fresh] = true
		if fresh != name && !r.isDropped(i) && (!r.dialect.hasRowNames || i > 0) {
			r.log.add(changeColumnNamed, r.dialect.line, i+1)
		}
		r.names[i] = fresh
	}
}

// logNewNames logs the names of ColumnRoles.Names that differ from the header.
func (r *repairer) logNewNames() {
	for i, name := range r.names {
		old := r.dialect.names[i]
		switch {
		case name == old || r.isDropped(i) || r.dialect.hasRowNames && i == 0:
		case old != "" && csvfile.NormalizeName(name) == csvfile.NormalizeName(old):
			r.log.add(changeRenamed, r.dialect.line, i+1)
		default:
			r.log.add(changeColumnNamed, r.dialect.line, i+1)
		}
	}
}

// generateColumnNames sets the names of the columns of a file without a header to
// ColumnRoles.Names, or to names such as id, column_2 and label. If Layout.NoHeader is set, the
// names of the layout are kept.
func (r *repairer) generateColumnNames() {
	first := csvfile.Excerpt(strings.Join(r.dialect.names, string(r.dialect.delim)))
	switch {
	case r.opts.Layout.NoHeader:
		r.log.addMessage(changeHeaderAdded, Change{Line: r.dialect.line}, "a header is added above the first row, %s", first)
		return
	case r.suggested.Names != nil:
		r.log.addMessage(changeHeaderAdded, Change{Line: r.dialect.line}, "the first row, %s, is data, so the header of the training file is added", first)
		return
	}
	r.names = NumberedNames(len(r.names))
	if r.id == 0 {
		r.names[0] = "id"
	}
	if !r.blind {
		r.names[len(r.names)-1] = "label"
	}
	r.log.addMessage(changeHeaderAdded, Change{Line: r.dialect.line}, "the first row, %s, is data, so a header is added", first)
}

// isDropped reports whether the column at the given position is omitted, because it is in
// Layout.Drop or has neither a name nor values.
func (r *repairer) isDropped(at int) bool {
	if r.dialect.hasHeader && r.dialect.names[at] == "" && at != r.id {
		if r.stats.Column(at).IsEmpty() {
			return true
		}
	}
	return slices.Contains(r.opts.Layout.Drop, r.names[at])
}

func (r *repairer) chooseLabel() error {
	r.label = -1
	layout := &r.opts.Layout
	switch {
	case layout.Label != "":
		if r.label = slices.Index(r.names, layout.Label); r.label < 0 && !r.blind {
			return r.missingColumnDefect(layout.Label, "for the label")
		}
	case r.blind && r.opts.Train != nil:
		label := csvfile.FoldName(r.opts.Train.Schema.Label)
		r.label = slices.IndexFunc(r.names, func(name string) bool {
			return csvfile.FoldName(name) == label && r.opts.Train.ColumnIndex(name) < 0
		})
	case !r.blind:
		r.label = r.lastKeptColumn()
		if at := r.suggested.Label; at >= 0 && at != r.label {
			r.label = at
			r.log.addMessage(changeMoved, Change{Line: r.dialect.line, Column: r.label + 1},
				"%s is the label and is moved to the end (%s)", csvfile.Excerpt(r.names[r.label]), r.suggested.LabelReason)
		}
	}
	return nil
}

// lastKeptColumn returns the position of the last column that is neither the ID nor dropped, or -1.
func (r *repairer) lastKeptColumn() int {
	for at := len(r.names) - 1; at >= 0; at-- {
		if at != r.id && !r.isDropped(at) {
			return at
		}
	}
	return -1
}

// orderTrainingColumns sets the order of the copy's columns: the ID, the features, the
// label.
func (r *repairer) orderTrainingColumns() {
	if r.id >= 0 {
		r.order = append(r.order, r.id)
	}
	r.appendRemainingColumns(func(int) bool { return true })
	if r.label >= 0 {
		r.order = append(r.order, r.label)
	}
	r.logMoved(r.id, 0, "ID", "to the front")
	if r.opts.Layout.Label != "" {
		r.logMoved(r.label, len(r.names)-1, "label", "to the end")
	}
}

// orderBlindColumns sets the order of the copy's columns: the ID, the features in the
// order of the training file, the columns that are not in the training file.
func (r *repairer) orderBlindColumns() {
	if r.id >= 0 {
		r.order = append(r.order, r.id)
	}
	train := r.opts.Train
	if train == nil {
		r.appendRemainingColumns(func(int) bool { return true })
	} else {
		used := map[int]bool{}
		for _, name := range train.Schema.FieldNames() {
			if at := slices.Index(r.names, name); at >= 0 && at != r.id && !r.isDropped(at) {
				r.order = append(r.order, at)
				used[at] = true
			}
		}
		moved := !slices.IsSorted(r.order)
		r.appendRemainingColumns(func(at int) bool { return !used[at] })
		if moved {
			r.log.add(changeReordered, r.dialect.line, 0)
		}
	}
	if r.label >= 0 {
		r.log.addMessage(changeLabelRemoved, Change{Line: r.dialect.line, Column: r.label + 1}, "the label %s is removed, because a blind file has none", csvfile.Excerpt(r.names[r.label]))
	}
}

// appendRemainingColumns appends the wanted columns to r.order, except the ID, the label
// and dropped columns.
func (r *repairer) appendRemainingColumns(wanted func(at int) bool) {
	for at := range r.names {
		switch {
		case at == r.id || at == r.label || !wanted(at):
		case r.isDropped(at):
			r.log.add(changeDropped, r.dialect.line, at+1)
		default:
			r.order = append(r.order, at)
		}
	}
}

func (r *repairer) logMoved(at, home int, role, place string) {
	if at >= 0 && at != home {
		r.log.addMessage(changeMoved, Change{Line: r.dialect.line, Column: at + 1}, "the %s %s is moved %s", role, csvfile.Excerpt(r.names[at]), place)
	}
}

func (r *repairer) logDialect() {
	if r.dialect.delim != ',' {
		r.log.addMessage(changeDelimiter, Change{Line: r.dialect.line}, "fields separated by %q are now separated by commas", r.dialect.delim)
	}
	if r.dialect.hasRowNames {
		r.log.addMessage(changeColumnNamed, Change{Line: r.dialect.line, Column: 1}, "the header has one field fewer than the rows, so the first column has no name")
	}
}
