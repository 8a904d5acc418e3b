package columnstats

import (
	"math"
	"slices"
	"sort"
	"strings"

	"foretell/internal/table/cells"
)

// Values returns the counted values of the column. They are not all values of the column if
// KnowsAllTexts is false or if the column contains many numbers. The caller must not change them.
func (c *Column) Values() []Value { return c.texts.values }

// AllOrSample returns all values of the column. If IsSampled returns true, it returns only a sample
// of the texts, and the numbers that were counted before the column stopped counting numbers as
// texts. The caller must not change them.
func (c *Column) AllOrSample() []Value {
	counts := &c.texts
	if counts.sample != nil {
		counts = &counts.sample.counts
	}
	switch {
	case len(c.firstNumbers) == 0:
		return counts.values
	case len(counts.values) == 0:
		return c.firstNumbers
	}
	merged := slices.Clone(counts.values)
	for _, one := range c.firstNumbers {
		if at := counts.index.find(counts.values, one.hash, []byte(one.Text)); at >= 0 { // counted as text again later
			merged[at].Rows += one.Rows
			merged[at].first = one.first
			continue
		}
		merged = append(merged, one)
	}
	sort.Slice(merged, func(i, j int) bool { return merged[i].first < merged[j].first })
	return merged
}

// IsSampled reports whether some values of the column are not counted, because they take too
// much memory.
func (c *Column) IsSampled() bool { return c.texts.sample != nil || c.droppedNumberTexts }

// Find returns the counted value with the given text, or nil if this text is not counted.
func (c *Column) Find(text string) *Value { return c.texts.find(text) }

// Levels returns the values that become levels if the column is read as a category, sorted by their
// texts. If there are more than 40 distinct texts, texts of a single row are not levels. If there
// are more than 65,535, only the most frequent texts are levels.
func (c *Column) Levels() []Value {
	n, _ := c.texts.distinctCount()
	return selectLevels(c.texts.values, n)
}

// Top returns the n most frequent texts, the most frequent first.
func (c *Column) Top(n int) []Value { return c.texts.top(n) }

// HasCodes reports whether the numbers of the column are probably codes, such as ZIP codes.
func (c *Column) HasCodes() bool { return areCodes(c.texts.values) }

// HasEqualFloats reports whether some integers of the column are different but equal as float64.
// Such integers have more than 15 digits and are usually IDs. In such a column, all numbers are
// counted as texts.
func (c *Column) HasEqualFloats() bool { return c.hasEqualFloats || haveEqualFloats(c.AllOrSample()) }

// DistinctCount returns the number of distinct values of a text column, and whether the number is
// an estimate.
func (c *Column) DistinctCount() (count int, estimated bool) {
	n, exact := c.texts.distinctCount()
	if !c.droppedNumberTexts {
		return n, !exact
	}
	for _, one := range c.texts.values {
		if one.Kind == cells.Number {
			n--
		}
	}
	return n + c.numericStats.distinct.estimate(), true
}

// DistinctNumbers returns the number of distinct numbers, which may be an estimate. It returns 0 if
// the column counts its numbers only as texts.
func (c *Column) DistinctNumbers() int {
	if c.numericStats == nil {
		return 0
	}
	return c.numericStats.distinct.estimate()
}

// SummarizeNumbers returns the statistics of the column's numbers. If the column counts its numbers
// only as texts, the statistics are computed from these counts.
func (c *Column) SummarizeNumbers() NumberSummary {
	if c.numericStats != nil {
		return c.numericStats.summarize()
	}
	return c.Summarize(c.texts.values)
}

// HasDroppedNumbers reports whether some numbers were not counted as texts and some number is not a
// date such as 20060102. If so, the column cannot be a column of dates.
func (c *Column) HasDroppedNumbers() bool { return c.droppedNumberTexts && !c.numericStats.areDates }

// SummarizeWith returns statistics of the numbers of the column and of amounts, which are parsed
// from its texts. ok is false if the column has no statistics of numbers yet or some texts are no
// longer counted.
func (c *Column) SummarizeWith(amounts []Value) (n NumberSummary, ok bool) {
	if c.numericStats == nil || !c.KnowsAllTexts() {
		return NumberSummary{}, false
	}
	all := c.numericStats.clone()
	for _, one := range amounts {
		all.add(one.Number, one.Rows)
	}
	return all.summarize(), true
}

// Summarize returns statistics of the field Number of the given values. These are values of the
// column, but the caller may have set other numbers, such as 5 for the text 5 kg.
func (c *Column) Summarize(values []Value) NumberSummary {
	return newRunningStats(values, c.limits.maxHashes).summarize()
}

// maxUncounted is the largest number of values that UncountedSample returns.
const maxUncounted = 200

// UncountedSample returns some of the values that were seen in the column, but are no longer counted.
func (c *Column) UncountedSample() []Value {
	if !c.IsSampled() {
		return nil
	}
	var list []Value
	for _, one := range c.AllOrSample() {
		if len(list) == maxUncounted {
			break
		}
		if c.texts.find(one.Text) == nil {
			one.Text = strings.Clone(one.Text) // the text shares memory with many other texts
			list = append(list, one)
		}
	}
	return list
}

// A Fingerprint is a hash of the content of a column. Fingerprints are compared with ==. They do
// not include the numbers of distinct and of missing values, which must be compared separately.
type Fingerprint struct {
	partition uint64 // valueCounts.partitionHash of the counted texts
	content   uint64
}

// Fingerprint returns the fingerprint of the column. Columns with the same fingerprint have the
// same values. If isCategory is set, columns also have the same fingerprint if their texts differ
// but divide the rows into the same groups. ok is false if some texts are no longer counted.
func (c *Column) Fingerprint(isCategory bool) (f Fingerprint, ok bool) {
	f.partition = c.texts.partitionHash
	if m := c.numericStats; m != nil {
		for _, x := range []float64{m.mean, m.squaredDevs, m.min, m.max} {
			f.content = cells.Mix64(f.content ^ math.Float64bits(x))
		}
	}
	if !isCategory {
		for _, one := range c.AllOrSample() {
			hash := cells.Hash([]byte(one.Text))
			if one.Kind == cells.Number {
				hash = cells.HashNumber(one.Number)
			}
			f.content = cells.Mix64(f.content ^ hash)
		}
	}
	return f, c.KnowsAllTexts()
}
