package repair

import (
	"slices"
	"strconv"
	"strings"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// madeID is the field of a generated ID column.
const madeID = -1

// chooseRoles determines the column of the ID, and for a training file the probable label.
func (m *repairer) chooseRoles() (err error) {
	shape := &m.opts.Layout
	fits := m.blind && m.opts.Train != nil
	m.chosen = ColumnRoles{Label: -1}
	if m.opts.Choose != nil && !fits && (shape.Label == "" || shape.ID == "" && !shape.MakeID) {
		if m.chosen, err = m.opts.Choose(m.names, m.dialect.sample); err != nil {
			return err
		}
	}
	switch {
	case shape.MakeID:
		m.id = madeID
	case shape.ID != "":
		if m.id = slices.Index(m.names, shape.ID); m.id < 0 {
			return m.missingColumn(shape.ID, "the ID")
		}
	case fits:
		m.id = m.blindID()
	default:
		m.id = m.chosen.ID
	}
	return nil
}

// blindID returns the ID column of a blind file: the column with the name of the training
// file's, or the first if it is not a feature.
func (m *repairer) blindID() int {
	train := m.opts.Train
	isID := func(name string) bool { return name == train.Schema.ID }
	if at := slices.IndexFunc(m.names, isID); at >= 0 {
		return at
	}
	folded := csvfile.FoldName(train.Schema.ID)
	if at := slices.IndexFunc(m.names, func(name string) bool { return folded != "" && csvfile.FoldName(name) == folded }); at >= 0 {
		return at
	}
	if m.opts.NumberedTrain || train.ColumnIndex(m.names[0]) >= 0 {
		return madeID
	}
	return 0
}

func (m *repairer) missingColumn(name, role string) error {
	return missingColumn(m.dialect.line, name, role, m.names)
}

// nameColumns makes the names of columns unique.
func (m *repairer) nameColumns() {
	if !m.dialect.header {
		m.nameHeaderless()
		return
	}
	taken := make(map[string]bool)
	for i, name := range m.names {
		fresh := name
		switch {
		case name == "" && i == m.id:
			fresh = "id"
		case name == "":
			fresh = "column_" + strconv.Itoa(i+1)
		}
		fresh = uniqueName(fresh, func(one string) bool {
			return taken[one] || one != name && slices.Contains(m.names[i:], one)
		})
		taken[fresh] = true
		if fresh != name && !m.dropped(i) && (!m.dialect.rowNames || i > 0) {
			m.log.add(changeNames, m.dialect.line, i+1)
		}
		m.names[i] = fresh
	}
}

// nameHeaderless names the columns of a file without a header: as in the training file if
// it has the same number of columns, otherwise by number.
func (m *repairer) nameHeaderless() {
	first := csvfile.Excerpt(strings.Join(m.dialect.columns, string(m.dialect.delim)))
	if names := m.trainNames(); names != nil {
		if m.names = names; names[0] != m.opts.Train.Schema.ID {
			m.id = madeID
		}
		m.log.addMessage(changeNoHeader, Change{Line: m.dialect.line}, "the first row, %s, is data: the header of the training file is added", first)
		return
	}
	for i := range m.names {
		m.names[i] = "column_" + strconv.Itoa(i+1)
	}
	if m.id == 0 {
		m.names[0] = "id"
	}
	if !m.blind {
		m.names[len(m.names)-1] = "label"
	}
	m.log.addMessage(changeNoHeader, Change{Line: m.dialect.line}, "the first row, %s, is data: a header is added", first)
}

// trainNames returns the names of the columns of a blind file without a header: those of
// the training file, if it has as many columns with or without an ID and the label,
// otherwise nil.
func (m *repairer) trainNames() []string {
	train := m.opts.Train
	if !m.blind || train == nil {
		return nil
	}
	fields := train.Schema.FieldNames()
	whole := append([]string{train.Schema.ID}, fields...)
	lists := [][]string{whole, append(slices.Clone(whole), train.Schema.Label), fields}
	if m.opts.NumberedTrain {
		lists = [][]string{fields, append(slices.Clone(fields), train.Schema.Label)}
	}
	for _, names := range lists {
		if len(names) == len(m.names) {
			return slices.Clone(names)
		}
	}
	return nil
}

// uniqueName returns a name, with the first number appended that makes it unique.
func uniqueName(name string, taken func(string) bool) string {
	free := name
	for n := 2; taken(free); n++ {
		free = name + "_" + strconv.Itoa(n)
	}
	return free
}

// dropped reports whether a column is omitted: one in Layout.Drop, or one with neither a
// name nor cells.
func (m *repairer) dropped(at int) bool {
	if m.dialect.header && m.dialect.columns[at] == "" && at != m.id {
		if m.stats.Column(at).IsEmpty() {
			return true
		}
	}
	return slices.Contains(m.opts.Layout.Drop, m.names[at])
}

// chooseLabel determines the column of the label.
func (m *repairer) chooseLabel() error {
	m.label = -1
	shape := &m.opts.Layout
	switch {
	case shape.Label != "":
		if m.label = slices.Index(m.names, shape.Label); m.label < 0 && !m.blind {
			return m.missingColumn(shape.Label, "the label")
		}
	case m.blind && m.opts.Train != nil:
		label := csvfile.FoldName(m.opts.Train.Schema.Label)
		m.label = slices.IndexFunc(m.names, func(name string) bool {
			return csvfile.FoldName(name) == label && m.opts.Train.ColumnIndex(name) < 0
		})
	case !m.blind:
		m.label = m.lastColumn()
		if at := m.chosen.Label; at >= 0 && at != m.label {
			m.label = at
			m.log.addMessage(changeMoved, Change{Line: m.dialect.line, Column: m.label + 1},
				"%s is taken as the label and moved to the end: %s", csvfile.Excerpt(m.names[m.label]), m.chosen.Reason)
		}
	}
	return nil
}

// lastColumn returns the last column that is neither the ID nor dropped, -1 without one.
func (m *repairer) lastColumn() int {
	for at := len(m.names) - 1; at >= 0; at-- {
		if at != m.id && !m.dropped(at) {
			return at
		}
	}
	return -1
}

// orderTrain puts the ID first and the label last.
func (m *repairer) orderTrain() {
	if m.id >= 0 {
		m.order = append(m.order, m.id)
	}
	m.orderRest(func(int) bool { return true })
	if m.label >= 0 {
		m.order = append(m.order, m.label)
	}
	m.logMoved(m.id, 0, "ID", "to the front")
	if m.opts.Layout.Label != "" {
		m.logMoved(m.label, len(m.names)-1, "label", "to the end")
	}
}

// orderBlind puts the ID first, then the columns of the training file in its
// order, then what that does not have.
func (m *repairer) orderBlind() {
	if m.id >= 0 {
		m.order = append(m.order, m.id)
	}
	train := m.opts.Train
	if train == nil {
		m.orderRest(func(int) bool { return true })
	} else {
		m.renameSimilar(train)
		used := map[int]bool{}
		for _, name := range train.Schema.FieldNames() {
			if at := slices.Index(m.names, name); at >= 0 && at != m.id && !m.dropped(at) {
				m.order = append(m.order, at)
				used[at] = true
			}
		}
		moved := !slices.IsSorted(m.order)
		m.orderRest(func(at int) bool { return !used[at] })
		if moved {
			m.log.add(changeOrder, m.dialect.line, 0)
		}
	}
	if m.label >= 0 {
		m.log.addMessage(changeLabelOut, Change{Line: m.dialect.line, Column: m.label + 1}, "the label %s is removed: a blind file has none", csvfile.Excerpt(m.names[m.label]))
	}
}

// orderRest appends the wanted columns without a role to the order.
func (m *repairer) orderRest(wanted func(at int) bool) {
	for at := range m.names {
		switch {
		case at == m.id || at == m.label || !wanted(at):
		case m.dropped(at):
			m.log.add(changeDropped, m.dialect.line, at+1)
		default:
			m.order = append(m.order, at)
		}
	}
}

func (m *repairer) logMoved(at, home int, role, place string) {
	if at >= 0 && at != home {
		m.log.addMessage(changeMoved, Change{Line: m.dialect.line, Column: at + 1}, "the %s %s is moved %s", role, csvfile.Excerpt(m.names[at]), place)
	}
}

// renameSimilar renames columns to those of the training file that differ in case and
// punctuation only.
func (m *repairer) renameSimilar(train *profile.Profile) {
	rename := func(want string, at int) {
		m.log.add(changeRenamed, m.dialect.line, at+1)
		m.names[at] = want
	}
	if m.id >= 0 && m.names[m.id] != train.Schema.ID && csvfile.FoldName(m.names[m.id]) == csvfile.FoldName(train.Schema.ID) {
		rename(train.Schema.ID, m.id)
	}
	for _, want := range train.Schema.FieldNames() {
		if slices.Contains(m.names, want) {
			continue
		}
		likely := -1
		for at, name := range m.names {
			if csvfile.FoldName(name) == csvfile.FoldName(want) && train.ColumnIndex(name) < 0 && at != m.id && at != m.label {
				if likely >= 0 {
					likely = -1
					break
				}
				likely = at
			}
		}
		if likely >= 0 {
			rename(want, likely)
		}
	}
}

// logDialect logs the changes that follow from the dialect.
func (m *repairer) logDialect() {
	if m.dialect.delim != ',' {
		m.log.addMessage(changeDelimiter, Change{Line: m.dialect.line}, "fields separated by %q, now by commas", m.dialect.delim)
	}
	if m.dialect.rowNames {
		m.log.addMessage(changeNames, Change{Line: m.dialect.line, Column: 1}, "the first column has no name in the header, which names one column fewer than the rows have")
	}
}
