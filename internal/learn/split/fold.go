package split

import "slices"

// Folds divides the sample into k parts for cross-validation: every row is in
// the Eval of exactly one part and in the Train of the others. Fold sizes
// differ by at most one row, and so do the rows that any two folds have of
// one class. Rows of single-row classes are in every Train and in no Eval.
//
// There are fewer parts if fewer than k rows can be validated. If the sample
// cannot be divided in two, there is one part with an empty Eval.
func Folds(s Sample, k int, seed uint64) []Part {
	lists := s.byClass(generator(seed, foldStream))
	splittable := 0
	for _, rows := range lists {
		if len(rows) > 1 {
			splittable += len(rows)
		}
	}
	k = min(k, splittable)
	if k < 2 {
		return []Part{{Train: s.sorted()}}
	}
	parts := make([]Part, k)
	// Rows are assigned in turn. Each class continues at the fold after the
	// last one, so that neither classes nor totals accumulate in early folds.
	next := 0
	for _, rows := range lists {
		if len(rows) == 1 {
			for i := range parts {
				parts[i].Train = append(parts[i].Train, rows[0])
			}
			continue
		}
		for _, row := range rows {
			for i := range parts {
				if i == next {
					parts[i].Eval = append(parts[i].Eval, row)
				} else {
					parts[i].Train = append(parts[i].Train, row)
				}
			}
			next = (next + 1) % k
		}
	}
	for i := range parts {
		slices.Sort(parts[i].Train)
		slices.Sort(parts[i].Eval)
	}
	return parts
}
