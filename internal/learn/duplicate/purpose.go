package duplicate

import (
	"slices"

	"foretell/internal/table/frame"
)

// The evidence that copies were made on purpose; see areIntentionalCopies.
const (
	// minDistinctRows is the smallest number of different rows. A table with fewer different rows
	// has few combinations of values, so new rows will often be equal to known rows.
	minDistinctRows = 100
	// minDistinctShare is the smallest number of different values of a column, as a fraction of
	// the number of different rows.
	minDistinctShare = 0.5
	// maxDisagreement is the largest probability that two copies have different labels, divided by
	// the probability that any two rows have different labels.
	maxDisagreement = 0.05
	// maxDistinctSampled is the largest number of different rows whose columns are examined.
	maxDistinctSampled = 2000
)

// areIntentionalCopies reports whether the copies in a table were probably made on purpose. It
// requires many different rows and, in a column of numbers or of free text, different values in
// most of them. In such a table, rows are rarely equal by chance.
//
// If the column contains numbers, most copies must also have the same label. Rows that are equal by
// chance, such as persons of the same age, often have different labels. For texts, this is not
// required, because the same text may have been labelled by several persons.
//
// distinctHashes are the different hashes in ascending order. hashes and groups hold the hash and
// the group of each row.
func areIntentionalCopies(f *frame.Frame, distinctHashes, hashes []uint64, groups []int32) bool {
	if len(distinctHashes) < minDistinctRows {
		return false
	}
	stride := (len(distinctHashes) + maxDistinctSampled - 1) / maxDistinctSampled
	wanted := make(map[uint64]bool)
	for i := 0; i < len(distinctHashes); i += stride {
		wanted[distinctHashes[i]] = true
	}
	sample := make([]int32, 0, len(wanted))
	for row, hash := range hashes {
		if wanted[hash] {
			sample = append(sample, int32(row))
			delete(wanted, hash) // only one row for each hash
		}
	}
	agree := labelsAgree(f.Labels, groups)
	values := make([]uint64, len(sample))
	for c := range f.Columns {
		if f.Columns[c].Codes != nil || f.Columns[c].Texts == nil && !agree {
			continue
		}
		clear(values)
		taken := f.Columns[c].Take(sample)
		AddCellsToHashes(values, &taken, make([]float64, len(sample)), 0)
		slices.Sort(values)
		if n := len(slices.Compact(slices.Clone(values))); float64(n) >= minDistinctShare*float64(len(sample)) {
			return true
		}
	}
	return false
}

// labelsAgree reports whether copies mostly have the same label; see maxDisagreement. It
// compares each copy with the first row of its group.
func labelsAgree(labels, groups []int32) bool {
	first := make(map[int32]int32) // by group: the label of its first row
	rows := make(map[int32]int)    // by label
	pairs, differing := 0, 0
	for row, label := range labels {
		rows[label]++
		group := groups[row]
		if group < 0 {
			continue
		}
		if other, known := first[group]; !known {
			first[group] = label
		} else if pairs++; other != label {
			differing++
		}
	}
	n, equal := float64(len(labels)), 0.0
	for _, count := range rows {
		equal += float64(count) * float64(count) // exact: the order does not matter
	}
	return float64(differing)/float64(max(pairs, 1)) <= maxDisagreement*(1-equal/(n*n))
}
