package repair

import (
	"bytes"

	"foretell/internal/table/cells"
)

// aligner assigns the fields of a record with too many or too few fields to the columns,
// according to the contents of the columns:
//
//	id,name,age,class        r7,Smith, John,40,yes    → "Smith, John"
//	                         r8,40,no                 → an empty name
//
// Each column that gets no field, or several joined fields, adds to the cost of an assignment, but
// joining at a comma before a space costs nothing. The aligner returns an assignment only if its
// cost is lower than that of every other assignment.
type aligner struct {
	columns     int
	delim       byte
	id          int // position of the ID, -1 if the ID is generated
	label       int // position of the label, -1 in a blind file
	accepts     func(column int, cell []byte, strictly bool) bool
	cost        [][]int32 // cost[c][f] is the lowest cost of assigning the first f fields to the first c columns
	ways        [][]uint8 // the number of assignments whose cost is cost[c][f]; 2 means several
	fieldsTaken [][]int32 // the number of fields that an assignment of this cost assigns to column c-1
	joined      []byte    // the result of joinFields, whose memory is reused
	combined    [][]byte  // the result of padIfFits, whose memory is reused
}

const (
	unreachableCost = int32(1 << 30) // the cost of a combination that no assignment has
	maxAlignCells   = 1 << 20        // largest number of elements of cost, of ways and of fieldsTaken
	maxExtraFields  = 64             // largest number of fields in addition to one for each column
)

// align returns one field per column, or nil if there is no unambiguous assignment. The
// result is valid until the next call of align.
func (a *aligner) align(fields [][]byte) [][]byte {
	if len(fields) > a.columns {
		if cut := a.dropTrailingIfFits(fields); cut != nil {
			return cut
		}
	} else if padded := a.padIfFits(fields); padded != nil {
		return padded
	}
	if a.columns*(len(fields)+1) > maxAlignCells || len(fields)-a.columns > maxExtraFields || len(fields) < 2 {
		return nil
	}
	a.resetTables(len(fields))
	for column := range a.columns {
		for used, cost := range a.cost[column] {
			if cost < unreachableCost {
				a.assignFields(fields, column, used)
			}
		}
	}
	if a.ways[a.columns][len(fields)] != 1 {
		return nil
	}
	return a.backtrack(fields)
}

// dropTrailingIfFits returns the first fields, as many as there are columns, if they fit their
// columns and all further fields are blank. If not, it returns nil.
func (a *aligner) dropTrailingIfFits(fields [][]byte) [][]byte {
	for _, field := range fields[a.columns:] {
		if !cells.IsBlank(field) {
			return nil
		}
	}
	return a.fieldsIfFit(fields[:a.columns])
}

// padIfFits returns the fields with empty fields appended, because some programs omit empty fields
// at the end of a row. It returns nil if the result does not fit the columns or has no label.
func (a *aligner) padIfFits(fields [][]byte) [][]byte {
	if a.label >= len(fields) {
		return nil
	}
	a.combined = append(a.combined[:0], fields...)
	for len(a.combined) < a.columns {
		a.combined = append(a.combined, nil)
	}
	return a.fieldsIfFit(a.combined)
}

// fieldsIfFit returns fields if each field may be a value of its column, and otherwise
// nil. Only the label is checked strictly; see fits.
func (a *aligner) fieldsIfFit(fields [][]byte) [][]byte {
	for i, field := range fields {
		if !a.fits(i, field, i == a.label) {
			return nil
		}
	}
	return fields
}

// fits reports whether cell may be a value of a column. If strictly is set, a column with
// few distinct texts accepts no other text.
func (a *aligner) fits(column int, cell []byte, strictly bool) bool {
	if cells.IsBlank(cell) {
		return column != a.id && column != a.label
	}
	return a.accepts(column, cell, strictly)
}

func (a *aligner) resetTables(fields int) {
	for len(a.cost) <= a.columns {
		a.cost, a.ways, a.fieldsTaken = append(a.cost, nil), append(a.ways, nil), append(a.fieldsTaken, nil)
	}
	for i := range a.cost {
		a.cost[i], a.ways[i], a.fieldsTaken[i] = make([]int32, fields+1), make([]uint8, fields+1), make([]int32, fields+1)
		for j := range a.cost[i] {
			a.cost[i][j] = unreachableCost
		}
	}
	a.cost[0][0], a.ways[0][0] = 0, 1
}

// assignFields tries to assign zero, one or several fields, starting with fields[used],
// to a column.
func (a *aligner) assignFields(fields [][]byte, column, used int) {
	missing := a.columns - len(fields)
	if missing > 0 && a.fits(column, nil, true) {
		a.relax(column, used, 0, 1)
	}
	if used < len(fields) && a.fits(column, fields[used], true) {
		a.relax(column, used, 1, 0)
	}
	cost := int32(0)
	for take := 2; missing < 0 && take <= 1-missing && used+take <= len(fields); take++ {
		// A comma before a space probably belongs to a sentence, so joining there costs nothing.
		if right := fields[used+take-1]; len(right) == 0 || right[0] != ' ' {
			cost++
		}
		if column != a.id && column != a.label && a.fits(column, a.joinFields(fields[used:used+take]), true) {
			a.relax(column, used, take, cost)
		}
	}
}

// relax records the assignment of fields[used:used+take] to a column, unless a cheaper assignment
// is already recorded. If an equally cheap assignment is already recorded, relax records only that
// there are several. cost is the cost for this column alone.
func (a *aligner) relax(column, used, take int, cost int32) {
	cost += a.cost[column][used]
	to := used + take
	switch best := a.cost[column+1][to]; {
	case cost < best:
		a.cost[column+1][to], a.ways[column+1][to], a.fieldsTaken[column+1][to] = cost, a.ways[column][used], int32(take)
	case cost == best:
		a.ways[column+1][to] = 2
	}
}

// backtrack returns the fields, joined where necessary, of the best assignment.
func (a *aligner) backtrack(fields [][]byte) [][]byte {
	cells := make([][]byte, a.columns)
	used := len(fields)
	for column := a.columns; column > 0; column-- {
		take := int(a.fieldsTaken[column][used])
		switch take {
		case 0: // the cell is empty
		case 1:
			cells[column-1] = fields[used-1]
		default:
			cells[column-1] = bytes.Clone(a.joinFields(fields[used-take : used]))
		}
		used -= take
	}
	return cells
}

// joinFields returns fields joined by the delimiter. The result is valid until the next
// call.
func (a *aligner) joinFields(fields [][]byte) []byte {
	a.joined = append(a.joined[:0], fields[0]...)
	for _, field := range fields[1:] {
		a.joined = append(append(a.joined, a.delim), field...)
	}
	return a.joined
}
