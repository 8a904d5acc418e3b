package scoring

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"foretell/internal/humanize"
)

// isResultColumn reports whether a column of predictions probably differs between models, as
// probabilities do.
func isResultColumn(name string) bool {
	return strings.HasPrefix(name, "prediction") || strings.HasPrefix(name, "probability") || strings.HasPrefix(name, "reason_")
}

// sharedCells holds the contents of columns that both files have. If the rows are not joined by one
// of these columns, equal cells show that the rows belong together.
type sharedCells struct {
	names  []string // of the columns
	hashes []uint32 // hashes of the cells, row-major
}

// maxSharedColumns limits the memory for the hashes to 32 bytes for each row of a file.
const maxSharedColumns = 8

// newSharedCells returns sharedCells without rows, and the positions of their columns in t: the
// first maxSharedColumns columns whose names are also in the list other. The column of the labels
// of t is left out. Its position is the argument except.
func newSharedCells(t *table, other []string, except int) (shared *sharedCells, positions []int) {
	shared = &sharedCells{}
	for i, name := range t.names {
		if len(positions) < maxSharedColumns && i != except && name != "" && slices.Contains(other, name) && !slices.Contains(shared.names, name) {
			shared.names, positions = append(shared.names, name), append(positions, i)
		}
	}
	return shared, positions
}

// addRow adds the cells of a row, which are at the given positions. s may be nil without positions.
func (s *sharedCells) addRow(fields [][]byte, positions []int) {
	for _, at := range positions {
		s.hashes = append(s.hashes, hashCell(fields[at]))
	}
}

// moveRow replaces the cells of the row to by those of the row from. It does nothing if s is nil.
func (s *sharedCells) moveRow(from, to int) {
	if s != nil {
		n := len(s.names)
		copy(s.hashes[to*n:(to+1)*n], s.hashes[from*n:(from+1)*n])
	}
}

// withoutChanged returns s without the names of columns whose cells, in any order, differ from
// those in other, such as scores of another model. Such columns do not show in which order the rows
// are.
func (s *sharedCells) withoutChanged(other *sharedCells) *sharedCells {
	if s == nil || other == nil {
		return s
	}
	kept := &sharedCells{names: slices.Clone(s.names), hashes: s.hashes}
	for at, name := range s.names {
		if from := slices.Index(other.names, name); from < 0 || !slices.Equal(s.sortedColumn(at), other.sortedColumn(from)) {
			kept.names[at] = ""
		}
	}
	return kept
}

// sortedColumn returns the hashes of a column in ascending order.
func (s *sharedCells) sortedColumn(at int) []uint32 {
	var column []uint32
	for ; at < len(s.hashes); at += len(s.names) {
		column = append(column, s.hashes[at])
	}
	slices.Sort(column)
	return column
}

// hashCell returns a hash that is equal for cells that differ only in case, in the spaces around
// them or in the form of a number.
func hashCell(cell []byte) uint32 {
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(canonicalLabel(trimField(cell)))))
	return h.Sum32()
}

// orderFault returns a *Fault if two joined rows have different cells in a column of both files,
// because they then probably do not belong together. order holds, for each row of first, its row in
// second. orderReason is the reason for joining the rows by their order, or "" if they were joined
// by ID columns with different names. orderFault returns nil if no column is in both files, or if
// their cells need not be compared.
func orderFault(first, second joinInput, order []int, orderReason string) error {
	if first.shared == nil || second.shared == nil {
		return nil
	}
	var different []string
	rows, earliest := make([]bool, len(first.rows)), len(first.rows)
	for to, name := range second.shared.names {
		from := slices.Index(first.shared.names, name)
		equal := true
		for row := 0; from >= 0 && row < len(rows); row++ {
			if first.shared.hashes[row*len(first.shared.names)+from] != second.shared.hashes[order[row]*len(second.shared.names)+to] {
				equal, rows[row], earliest = false, true, min(earliest, row)
			}
		}
		if !equal {
			different = append(different, name)
		}
	}
	if len(different) == 0 {
		return nil
	}
	n := 0
	for _, differs := range rows {
		if differs {
			n++
		}
	}
	fault, relation := "seem to be in different orders", "they are joined by their order, because "+orderReason
	hint := orderHint
	if orderReason == "" {
		fault, relation = "do not seem to belong together", fmt.Sprintf("they were joined by the column %s of %s and the column %s of %s", quote(first.id), first.name, quote(second.id), second.name)
		hint = idNameHint
	}
	return &Fault{Hint: hint, Message: fmt.Sprintf("the rows of the files %s: %s of %s have different values of %s (first in line %d of %s and line %d of %s); %s",
		fault, humanize.Comma(n), humanize.Count(len(rows), "row"), humanize.List(different, 5), first.rows[earliest], first.name, second.rows[order[earliest]], second.name, relation)}
}
