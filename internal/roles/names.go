package roles

import (
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
	taken := make(map[string]bool, len(header))
	for _, name := range header {
		taken[name] = true
	}
	first := make(map[string]bool, len(header))
	for i, name := range header {
		own := name
		switch {
		case name == "" && i > 0:
			own = uniqueName("column_"+strconv.Itoa(i+1), taken)
		case first[name]:
			own = uniqueName(name, taken)
		}
		first[name], taken[own] = true, true
		names = append(names, own)
		if own != name {
			changed = append(changed, Rename{i, name, own})
		}
	}
	return names, changed
}

// uniqueName returns name or, if it is taken, name with a number appended.
func uniqueName(name string, taken map[string]bool) string {
	for free, n := name, 2; ; n++ {
		if !taken[free] {
			return free
		}
		free = name + "_" + strconv.Itoa(n)
	}
}

// MatchTrainingNames replaces a name of a blind file by the name of the training file that differs
// from it only in case and punctuation: "Total Price" → "total_price". It does so only if no other
// name matches, and the blind file does not have the training file's name.
func MatchTrainingNames(blindNames, trainNames []string) (renamed []string, changed []Rename) {
	have, want := make(map[string]bool, len(blindNames)), make(map[string]bool, len(trainNames))
	for _, name := range blindNames {
		have[name] = true
	}
	for _, name := range trainNames {
		want[name] = true
	}
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
