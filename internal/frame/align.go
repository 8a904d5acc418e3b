package frame

import "bytes"

// aligner finds which fields of a record belong to which column where there are
// too many or too few, by what the columns hold:
//
//	id,name,age,class        r7,Smith, John,40,yes    → "Smith, John"
//	                         r8,40,no                 → an empty name
//
// It decides only where one reading is better than all others.
type aligner struct {
	names    int // columns
	delim    byte
	id       int // -1 if it is made
	label    int // -1 in a blind file
	suits    func(column int, cell []byte, strictly bool) bool
	cost     [][]int32 // by column and fields used: the least cost to get there
	ways     [][]uint8 // and in how many ways, 2 for more
	from     [][]int32 // and how many fields the column took
	joined   []byte
	combined [][]byte
}

const (
	noWay     = int32(1 << 30)
	mostCells = 1 << 20 // of the tables
	manyExtra = 64      // fields that are too many
)

// align returns the fields as one a column, nil if they cannot be told apart.
// The result is valid until the next call.
func (a *aligner) align(fields [][]byte) [][]byte {
	if len(fields) > a.names {
		if cut := a.trailing(fields); cut != nil {
			return cut
		}
	} else if padded := a.padded(fields); padded != nil {
		return padded
	}
	if a.names*(len(fields)+1) > mostCells || len(fields)-a.names > manyExtra || len(fields) < 2 {
		return nil
	}
	a.reset(len(fields))
	for column := range a.names {
		for used, cost := range a.cost[column] {
			if cost < noWay {
				a.step(fields, column, used)
			}
		}
	}
	if a.ways[a.names][len(fields)] != 1 {
		return nil
	}
	return a.read(fields)
}

// trailing returns the fields without empty ones behind the last column.
func (a *aligner) trailing(fields [][]byte) [][]byte {
	for _, field := range fields[a.names:] {
		if !isBlank(field) {
			return nil
		}
	}
	return a.inPlace(fields[:a.names])
}

// padded returns fields that end early, as some programs leave out what is empty
// at the end of a row. The label is never empty.
func (a *aligner) padded(fields [][]byte) [][]byte {
	if a.label >= len(fields) {
		return nil
	}
	a.combined = append(a.combined[:0], fields...)
	for len(a.combined) < a.names {
		a.combined = append(a.combined, nil)
	}
	return a.inPlace(a.combined)
}

// inPlace returns fields that suit their columns, else nil. Texts that their
// columns never had do no harm: each field has its column.
func (a *aligner) inPlace(fields [][]byte) [][]byte {
	for i, field := range fields {
		if !a.fits(i, field, i == a.label) {
			return nil
		}
	}
	return fields
}

// fits reports whether a cell may stand in a column. Strictly, a column of a few
// texts takes no others.
func (a *aligner) fits(column int, cell []byte, strictly bool) bool {
	if isBlank(cell) {
		return column != a.id && column != a.label
	}
	return a.suits(column, cell, strictly)
}

func (a *aligner) reset(fields int) {
	for len(a.cost) <= a.names {
		a.cost, a.ways, a.from = append(a.cost, nil), append(a.ways, nil), append(a.from, nil)
	}
	for i := range a.cost {
		a.cost[i], a.ways[i], a.from[i] = make([]int32, fields+1), make([]uint8, fields+1), make([]int32, fields+1)
		for j := range a.cost[i] {
			a.cost[i][j] = noWay
		}
	}
	a.cost[0][0], a.ways[0][0] = 0, 1
}

// step gives a column none, one or several of the fields behind those used.
func (a *aligner) step(fields [][]byte, column, used int) {
	missing := a.names - len(fields)
	if missing > 0 && a.fits(column, nil, true) {
		a.reach(column, used, 0, 1)
	}
	if used < len(fields) && a.fits(column, fields[used], true) {
		a.reach(column, used, 1, 0)
	}
	cost := int32(0)
	for take := 2; missing < 0 && take <= 1-missing && used+take <= len(fields); take++ {
		// A space behind the delimiter is how sentences have it.
		if right := fields[used+take-1]; len(right) == 0 || right[0] != ' ' {
			cost++
		}
		if column != a.id && column != a.label && a.fits(column, a.join(fields[used:used+take]), true) {
			a.reach(column, used, take, cost)
		}
	}
}

func (a *aligner) reach(column, used, take int, cost int32) {
	cost += a.cost[column][used]
	to := used + take
	switch best := a.cost[column+1][to]; {
	case cost < best:
		a.cost[column+1][to], a.ways[column+1][to], a.from[column+1][to] = cost, a.ways[column][used], int32(take)
	case cost == best:
		a.ways[column+1][to] = 2
	}
}

// read follows the one way back.
func (a *aligner) read(fields [][]byte) [][]byte {
	cells := make([][]byte, a.names)
	used := len(fields)
	for column := a.names; column > 0; column-- {
		take := int(a.from[column][used])
		switch take {
		case 0: // it is empty
		case 1:
			cells[column-1] = fields[used-1]
		default:
			cells[column-1] = bytes.Clone(a.join(fields[used-take : used]))
		}
		used -= take
	}
	return cells
}

// join returns fields with the delimiters that stood between them.
func (a *aligner) join(fields [][]byte) []byte {
	a.joined = append(a.joined[:0], fields[0]...)
	for _, field := range fields[1:] {
		a.joined = append(append(a.joined, a.delim), field...)
	}
	return a.joined
}
