package roles

import (
	"slices"
	"strconv"

	"foretell/internal/table/csvfile"
)

// Rename is a change of a column's name.
type Rename struct {
	Column   int // index of the column
	From, To string
}

// UniqueNames returns a unique name for each column: "a,a,,b" → "a", "a_2", "column_3", "b". The
// first name may stay empty, because some programs write no name for an index.
func UniqueNames(header []string) (names []string, changed []Rename) {
	taken := nameSet(header)
	first := make(map[string]bool, len(header))
	for i, name := range header {
		own := name
		if name == "" && i > 0 {
			own = "column_" + strconv.Itoa(i+1)
		}
		if own != name || first[name] {
			own = uniqueName(own, taken)
		}
		first[name], taken[own] = true, true
		names = append(names, own)
		if own != name {
			changed = append(changed, Rename{i, name, own})
		}
	}
	return names, changed
}

// IsTitleLine reports whether a line with these cells is probably a title above the header: only one of at
// least three cells is filled. Spreadsheets write such a line as `title,,`.
func IsTitleLine(cells []string) bool {
	filled := 0
	for _, cell := range cells {
		if cell != "" {
			filled++
		}
	}
	return filled == 1 && len(cells) >= 3
}

// uniqueName returns name or, if it is taken, name with a number appended.
func uniqueName(name string, taken map[string]bool) string {
	return csvfile.UniqueName(name, func(one string) bool { return taken[one] })
}

// NameFirstColumn sets the name of the first column to column_1 if it has no name and is not the
// ID. Only the ID may have no name. id and generated are Roles.ID and Roles.GeneratedID.
func NameFirstColumn(columnNames []string, id string, generated bool) (names []string, changed []Rename) {
	if len(columnNames) == 0 || columnNames[0] != "" || id == "" && !generated {
		return columnNames, nil
	}
	return rename(columnNames, 0, uniqueName(FirstColumnName, nameSet(columnNames)))
}

// FirstColumnName is the name of the first column if it has no name and is not the ID.
const FirstColumnName = "column_1"

// NameGeneratedID returns a name that no other column has, for the generated ID column of a blind
// file. The service takes the column with the training file's ID name, trainingID, as the ID,
// wherever it is. A column of the blind file with this name is therefore renamed.
func NameGeneratedID(columnNames []string, trainingID string) (idName string, names []string, changed []Rename) {
	taken := nameSet(columnNames)
	idName = uniqueName("id", taken)
	at := slices.Index(columnNames, trainingID)
	if trainingID == "" || at < 0 {
		return idName, columnNames, nil
	}
	taken[idName] = true
	names, changed = rename(columnNames, at, uniqueName(trainingID, taken))
	return idName, names, changed
}

// rename returns a copy of columnNames with another name for the column at the given position.
func rename(columnNames []string, at int, name string) ([]string, []Rename) {
	names := slices.Clone(columnNames)
	names[at] = name
	return names, []Rename{{at, columnNames[at], name}}
}

func nameSet(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// MatchTrainingNames replaces the name of a column of the blind file by a name of the training file
// that differs only in case and punctuation: "Total Price" → "total_price". It does so only if a
// single name of each file matches, and the blind file has no column with the new name yet.
func MatchTrainingNames(blindNames, trainNames []string) (renamed []string, changed []Rename) {
	have, want := nameSet(blindNames), nameSet(trainNames)
	like, spare := map[string][]string{}, map[string]int{}
	for _, name := range trainNames {
		if !have[name] {
			loose := csvfile.NormalizeName(name)
			like[loose] = append(like[loose], name)
		}
	}
	for _, name := range blindNames {
		if !want[name] {
			spare[csvfile.NormalizeName(name)]++
		}
	}
	for i, name := range blindNames {
		loose, other := csvfile.NormalizeName(name), name
		if meant := like[loose]; !want[name] && spare[loose] == 1 && len(meant) == 1 {
			other = meant[0]
			changed = append(changed, Rename{i, name, other})
		}
		renamed = append(renamed, other)
	}
	return renamed, changed
}
