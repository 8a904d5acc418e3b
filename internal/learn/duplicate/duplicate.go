// Package duplicate finds copies: rows that are equal in every feature.
//
// All copies of a row should be on the same side of a division into training and validation
// rows. Otherwise a model that only remembers the row would predict its copies correctly. There are
// two exceptions: rows of different groups, and rows that are divided by time.
package duplicate

import (
	"context"
	"hash/fnv"
	"io"
	"math"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
	"foretell/internal/table/frame"
)

// maxCopyShare is the largest fraction of rows with a copy at which Find keeps copies together. If
// more rows have a copy, new rows will often be equal to known rows, too. Keeping copies together
// would then measure a different task: predicting only rows that are unlike all training rows.
//
// The limit does not apply to copies that were probably made on purpose, for example to make a
// class more frequent; see areIntentionalCopies.
const maxCopyShare = 0.1

// Copies describes the rows of a table that are equal to another row in every feature.
type Copies struct {
	// Groups holds the group of each row. Rows that are equal in every feature have the same group;
	// rows without a copy have group -1. Groups is nil if there are no copies. It is also nil if
	// more than maxCopyShare of the rows have a copy and the copies were probably not made on
	// purpose.
	Groups []int32
	// Rows is the number of rows that have a copy.
	Rows int
	// Unpredictable is the smallest number of rows that any model predicts wrongly. A model
	// predicts the same class for equal rows. At best, this is the most frequent label of these
	// rows, and the prediction is wrong for equal rows with other labels.
	Unpredictable int
}

// Find returns the copies in f. f must be a training table, because texts without a level count as
// different from each other; see makeRareTextsUnique. It returns an error only if ctx is cancelled.
func Find(ctx context.Context, f *frame.Frame, workers int) (c Copies, err error) {
	if len(f.Columns) == 0 {
		return c, ctx.Err()
	}
	hashes, err := hashRows(ctx, f, workers)
	if err != nil {
		return c, err
	}
	sorted := slices.Clone(hashes)
	slices.Sort(sorted)
	index := make(map[uint64]int32) // the group of each hash that several rows have
	for i, hash := range sorted {
		if i > 0 && hash == sorted[i-1] {
			if _, known := index[hash]; !known {
				index[hash] = int32(len(index))
				c.Rows++
			}
			c.Rows++
		}
	}
	if c.Rows == 0 {
		return c, ctx.Err()
	}
	c.Groups = make([]int32, f.Rows)
	for row, hash := range hashes {
		group, known := index[hash]
		if !known {
			group = -1
		}
		c.Groups[row] = group
	}
	c.Unpredictable = countUnpredictable(f.Labels, c.Groups)
	if float64(c.Rows) > maxCopyShare*float64(f.Rows) && !areIntentionalCopies(f, slices.Compact(sorted), hashes, c.Groups) {
		c.Groups = nil
	}
	return c, ctx.Err()
}

// countUnpredictable returns Copies.Unpredictable. groups holds the group of each row, even if
// Copies.Groups is nil; it is negative for a row without a copy.
func countUnpredictable(labels, groups []int32) int {
	var pairs []uint64 // group and label of each row that has a copy
	for row, group := range groups {
		if group >= 0 {
			pairs = append(pairs, uint64(group)<<32|uint64(labels[row]))
		}
	}
	slices.Sort(pairs)
	unpredictable := len(pairs)
	most, equal := 0, 0 // the most frequent label of the group, and the label at i
	for i, pair := range pairs {
		if i == 0 || pair != pairs[i-1] {
			equal = 0
		}
		if i > 0 && pair>>32 != pairs[i-1]>>32 {
			unpredictable -= most
			most = 0
		}
		equal++
		most = max(most, equal)
	}
	return unpredictable - most
}

// DistinctRows returns one row of each set of equal rows, ascending, if copies were probably made
// on purpose; see areIntentionalCopies. Otherwise it returns nil, which means all rows.
//
// Some choices, such as which levels get a bin, depend on how frequent values are. If the rows of
// one class were copied, their values are more frequent. Choices made from all rows would thus leak
// the labels of validation and test rows.
func (c *Copies) DistinctRows() []int32 {
	if c.Groups == nil || float64(c.Rows) <= maxCopyShare*float64(len(c.Groups)) {
		return nil
	}
	seen := make(map[int32]bool)
	rows := make([]int32, 0, len(c.Groups))
	for row, group := range c.Groups {
		if group >= 0 && seen[group] {
			continue
		}
		seen[group] = true
		rows = append(rows, int32(row))
	}
	return rows
}

// hashRows returns a hash of the features of each row. hashRows returns an error only if ctx is
// cancelled.
func hashRows(ctx context.Context, f *frame.Frame, workers int) ([]uint64, error) {
	const block = 1 << 12
	hashes := make([]uint64, f.Rows)
	err := parallel.ForContext(ctx, workers, (f.Rows+block-1)/block, func(_, i int) {
		lo, hi := i*block, min((i+1)*block, f.Rows)
		buffer := make([]float64, block)
		for c := range f.Columns {
			AddCellsToHashes(hashes[lo:hi], &f.Columns[c], buffer, lo)
			makeRareTextsUnique(hashes[lo:hi], f, c, lo)
		}
	})
	return hashes, err
}

// makeRareTextsUnique changes the hash of each row with a rare text in the given column, so that
// the row differs from all other rows. A rare text is a text without a level in the schema. All
// rare texts have the same code, but most of them differ from each other. hashes holds the hashes
// of the rows from lo on.
//
// makeRareTextsUnique does nothing if the column is not categorical. It also does nothing for the
// feature frame.ExtractText of a column of numbers: a cell without a level in that feature is a
// number, and another feature already distinguishes different numbers.
//
// If a column has more texts than columnstats.Column keeps, several rows may have the same rare
// text. Copies among these rows are then not found.
func makeRareTextsUnique(hashes []uint64, f *frame.Frame, column, lo int) {
	codes, c := f.Columns[column].Codes, &f.Schema.Columns[column]
	if codes == nil || c.Feature == frame.ExtractText {
		return
	}
	for i, code := range codes[lo : lo+len(hashes)] {
		if int(code) == len(c.Levels) {
			hashes[i] = mix(hashes[i] ^ uint64(lo+i))
		}
	}
}

// AddCellsToHashes combines hashes with the cells of a column. hashes holds the hashes of the rows
// from lo on. Rows with equal hashes and equal cells still have equal hashes afterwards. scratch
// must be at least as long as hashes.
func AddCellsToHashes(hashes []uint64, column *frame.Column, scratch []float64, lo int) {
	if column.Codes != nil {
		for i, code := range column.Codes[lo : lo+len(hashes)] {
			hashes[i] = mix(hashes[i] ^ uint64(uint32(code)))
		}
		return
	}
	if column.Texts != nil {
		for i, cell := range column.Texts[lo : lo+len(hashes)] {
			hash := fnv.New64a()
			_, _ = io.WriteString(hash, cell) // it never fails
			hashes[i] = mix(hashes[i] ^ hash.Sum64())
		}
		return
	}
	for i, value := range column.Values(scratch, lo, lo+len(hashes)) {
		bits := uint64(1) // for every NaN; adding 0 below turns −0 into 0
		if value == value {
			bits = math.Float64bits(value + 0)
		}
		hashes[i] = mix(hashes[i] ^ bits)
	}
}

// mix returns the next hash of a row. x is the previous hash, combined with a cell.
func mix(x uint64) uint64 { return rng.Mix(x + rng.Gamma) }

// JoinGroups returns a copy of groups in which rows without a group get the group of an equal row.
// groups holds the group of each row, and copies is Copies.Groups; a negative number means no
// group. If several equal rows have groups, rows without a group join the group of the first of
// them. If none of the equal rows has a group, they become a new group. If groups is nil,
// JoinGroups returns copies. If copies is nil, it returns groups.
//
// Existing groups are never merged. Otherwise a few rows that occur in most groups, such as rows of
// zeros, would merge nearly all groups.
func JoinGroups(groups, copies []int32) []int32 {
	if groups == nil {
		return copies
	}
	if copies == nil {
		return groups
	}
	ofCopies := make(map[int32]int32) // the group of each set of copies
	top := int32(-1)
	for row, group := range groups {
		top = max(top, group)
		if _, known := ofCopies[copies[row]]; !known && group >= 0 {
			ofCopies[copies[row]] = group
		}
	}
	joined := slices.Clone(groups)
	for row, group := range groups {
		set := copies[row]
		if group >= 0 || set < 0 {
			continue
		}
		if _, known := ofCopies[set]; !known {
			top++
			ofCopies[set] = top
		}
		joined[row] = ofCopies[set]
	}
	return joined
}

// AnyCopyInTrain reports whether any row in scored has a copy in train. Both slices hold row
// indices. copies are Copies.Groups.
func AnyCopyInTrain(copies, train, scored []int32) bool {
	trained := make(map[int32]bool)
	for _, row := range train {
		trained[copies[row]] = copies[row] >= 0
	}
	return slices.ContainsFunc(scored, func(row int32) bool { return trained[copies[row]] })
}
