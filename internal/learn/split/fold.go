package split

import "slices"

// Folds divides the sample into k folds for stratified cross-validation: every row is in the
// Validation of exactly one fold and in the Train of all other folds. The sizes of any two
// Validations differ by at most one row, in total and for each class. If a class has only one row,
// this row is in every Train and in no Validation.
//
// If fewer than k rows can be validated, there are fewer folds. If the sample cannot be divided at
// all, there is one fold with an empty Validation.
//
// If the sample has Groups, whole groups are assigned to folds. The Validations then differ by more
// rows, depending on the sizes of the groups. A class with rows in at least two groups has rows in
// every Train, with a rare exception: a group may contain the last rows of several classes, so that
// each fold to which the group can be assigned would then contain all rows of one of these classes.
func Folds(s Sample, k int, seed uint64) []Fold {
	if s.Groups != nil {
		return groupFolds(s, k, seed)
	}
	lists := s.shuffledRowsByClass(newGenerator(seed, foldStream))
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
	folds, order := make([]Fold, k), assignmentOrder(k)
	// Rows are assigned to the folds in turn. Each class starts with the fold after the one where
	// the previous class ended. If every class started with the first fold, the first folds would
	// get more rows than the last.
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
				if i == order[next] {
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

// MinMergedFolds is the smallest number of merged folds for which [MergeFolds] guarantees that
// every Train contains rows of each class with at least two rows.
const MinMergedFolds = 3

// maxFoldsInMerged returns the largest number of folds that MergeFolds merges into one if it is
// called with k folds and n ≥ MinMergedFolds.
func maxFoldsInMerged(k int) int { return (k + MinMergedFolds - 1) / MinMergedFolds }

// assignmentOrder returns the order in which Folds assigns the rows of a class to k folds. After
// the last fold of the order, the first follows again. MergeFolds merges folds with neighbouring
// indices, so consecutive folds in the order have indices that are far apart. The order of 10
// folds, for example, is
//
//	0 4 8 2 6 1 5 9 3 7
func assignmentOrder(k int) []int {
	order, used := make([]int, k), make([]bool, k)
	fold := 0
	for i := range order {
		for used[fold] {
			fold = (fold + 1) % k
		}
		order[i], used[fold] = fold, true
		fold = (fold + maxFoldsInMerged(k)) % k
	}
	return order
}

// MergeFolds merges consecutive folds so that n ≥ 1 folds are left. With 10 folds and n = 5, for
// example, it merges folds 0 and 1, folds 2 and 3, and so on. The Validation of a merged fold is
// the concatenation of the Validations of its folds. The Train of a merged fold is the intersection
// of their Trains. If there are at most n folds, they are returned unchanged.
//
// If the folds are a result of Folds and n is at least MinMergedFolds, a class with at least two
// rows has rows in the Train of every merged fold. If the sample has Groups, the class must have
// rows in at least two groups; see Folds for an exception.
func MergeFolds(folds []Fold, n int) []Fold {
	if len(folds) <= n {
		return folds
	}
	merged := make([]Fold, n)
	for i := range merged {
		group := folds[i*len(folds)/n : (i+1)*len(folds)/n]
		merged[i] = group[0]
		for _, fold := range group[1:] {
			merged[i].Train = intersectSorted(merged[i].Train, fold.Train)
			merged[i].Validation = slices.Concat(merged[i].Validation, fold.Validation)
		}
	}
	return merged
}

// MergedFoldIndex returns the index of the merged fold that contains the Validation rows of
// fold i; see MergeFolds. folds is the number of folds before merging, and n the number
// afterwards. n must be at most folds.
func MergedFoldIndex(i, folds, n int) int { return ((i+1)*n - 1) / folds }

// intersectSorted returns the rows that are in both lists. Both lists must be ascending.
func intersectSorted(rows, others []int32) []int32 {
	var both []int32
	for _, row := range rows {
		if _, found := slices.BinarySearch(others, row); found {
			both = append(both, row)
		}
	}
	return both
}
