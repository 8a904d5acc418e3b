package split

import "slices"

// Folds divides the sample into k folds for stratified cross-validation: every
// row is in the Validation of exactly one fold and in the Train of the others.
// The sizes of any two folds differ by at most one row, in total and in each
// class. Rows of single-row classes are in every Train and in no Validation.
//
// There are fewer folds if fewer than k rows can be validated. If the sample
// cannot be divided in two, there is one fold with an empty Validation.
//
// If the sample has Groups, they are the units of the division. The sizes of the
// folds then differ by more, according to the sizes of the groups.
func Folds(s Sample, k int, seed uint64) []Fold {
	if s.Groups != nil {
		return groupFolds(s, k, seed)
	}
	lists := s.rowsByClass(newGenerator(seed, foldStream))
	splittable := 0
	for _, rows := range lists {
		if len(rows) > 1 {
			splittable += len(rows)
		}
	}
	k = min(k, splittable)
	if k < 2 {
		return []Fold{{Train: s.sortedRows()}}
	}
	folds := make([]Fold, k)
	// Rows are assigned in turn. Each class continues at the fold after the
	// last one, so that neither classes nor totals accumulate in early folds.
	next := 0
	for _, rows := range lists {
		if len(rows) == 1 {
			for i := range folds {
				folds[i].Train = append(folds[i].Train, rows[0])
			}
			continue
		}
		for _, row := range rows {
			for i := range folds {
				if i == next {
					folds[i].Validation = append(folds[i].Validation, row)
				} else {
					folds[i].Train = append(folds[i].Train, row)
				}
			}
			next = (next + 1) % k
		}
	}
	for i := range folds {
		slices.Sort(folds[i].Train)
		slices.Sort(folds[i].Validation)
	}
	return folds
}
