package inference

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
)

// Limits for columns of lists. A list, such as C++;SQL, contains several items, and a column of
// lists contains a limited number of different items. Names, addresses and sentences also contain
// commas, but most of their parts are rare, or always at the same position, such as first names
// after a comma.
const (
	minListShare     = 0.1  // smallest fraction of rows with several items
	minListTexts     = 8    // smallest number of different texts with several items
	minListItems     = 3    // smallest number of frequent items
	minTextsPerItem  = 3    // a frequent item is in at least this number of different texts
	minRowsPerItem   = 5    // a frequent item is in at least this number of rows
	minFrequentShare = 0.8  // smallest fraction of items that are frequent, over all different texts
	minCommaShare    = 0.9  // the same for commas, which are also in names and sentences
	minMixedShare    = 0.5  // smallest fraction of frequent items that begin one text and come later in another; see also maxLengthShare
	maxLengthShare   = 0.7  // if fewer texts than this fraction have the same number of items, minMixedShare does not apply
	maxItemLength    = 60   // largest mean number of characters of an item
	maxCommaLength   = 30   // the same for commas
	maxItemBytes     = 200  // longer items are not counted
	maxItems         = 5000 // largest number of different items
	minTupleShare    = 0.95 // if at least this fraction of texts has the same number of items, numbers are tuples, not lists
)

// Limits for items that become features.
const (
	maxColumnItems = 60  // largest number of items of a column
	maxTotalItems  = 200 // largest number of items of all columns together
	minColumnItems = 20  // number of items that each column may have, even if maxTotalItems is exceeded
)

// inferList sets the separator and the items of a column of lists. It does not use the labels.
func (inf *Result) inferList(t *columnstats.Column, texts []columnstats.Value) {
	filled := t.Rows(cells.Text) + t.Rows(cells.Number)
	if filled < minTextRows {
		return
	}
	for _, separator := range []byte(cells.ItemSeparators) {
		if list := countItems(texts, separator); list != nil && list.isList() {
			inf.Separator, inf.Items = string(separator), list.selectItems()
			return
		}
	}
}

// itemCounts counts the items of a column.
type itemCounts struct {
	separator   byte
	items       map[string]*itemCount
	texts       int // different texts
	rows        int
	lists       int // different texts with several items
	listRows    int
	bracketed   int                    // different texts with brackets
	occurrences int                    // items of all different texts
	characters  int                    // characters of all these items
	lengths     [maxListLength + 1]int // different texts by their number of items; the last element also counts texts with more items
}

// maxListLength is the last index of itemCounts.lengths. Texts with more items are counted as if
// they had maxListLength items.
const maxListLength = 50

// itemCount counts the texts of a column that have an item.
type itemCount struct {
	item     string
	texts    int // different texts
	rows     int
	first    int // different texts that begin with the item
	lastText int // number of the last text that was counted, from 1
}

// isFrequent reports whether the item occurs in enough texts and rows.
func (c *itemCount) isFrequent() bool { return c.texts >= minTextsPerItem && c.rows >= minRowsPerItem }

// occursFirstAndLater reports whether the item is the first item of some texts, and a later item of
// other texts.
func (c *itemCount) occursFirstAndLater() bool { return c.first > 0 && c.first < c.texts }

// countItems counts the items of texts. It returns nil if only few texts contain the separator, or
// if there are too many different items.
func countItems(texts []columnstats.Value, separator byte) *itemCounts {
	n := &itemCounts{separator: separator, items: make(map[string]*itemCount)}
	separated := 0
	for i := range texts {
		if one := &texts[i]; one.Kind == cells.Text || one.Kind == cells.Number {
			n.rows += one.Rows
			if strings.IndexByte(one.Text, separator) >= 0 {
				separated += one.Rows
			}
		}
	}
	if float64(separated) < minListShare*float64(n.rows) {
		return nil
	}
	for i := range texts {
		if one := &texts[i]; one.Kind == cells.Text || one.Kind == cells.Number {
			n.add(one)
		}
		if len(n.items) > maxItems {
			return nil
		}
	}
	return n
}

func (n *itemCounts) add(one *columnstats.Value) {
	n.texts++
	if strings.HasPrefix(one.Text, "[") || strings.HasPrefix(one.Text, "{") {
		n.bracketed++
	}
	position := 0
	cells.VisitItems([]byte(one.Text), n.separator, func(item []byte) {
		position++
		n.occurrences++
		n.characters += utf8.RuneCount(item)
		if len(item) > maxItemBytes {
			return
		}
		c := n.items[string(item)]
		if c == nil {
			c = &itemCount{item: string(bytes.Clone(item))}
			n.items[c.item] = c
		}
		if c.lastText == n.texts {
			return
		}
		c.lastText = n.texts
		c.texts++
		c.rows += one.Rows
		if position == 1 {
			c.first++
		}
	})
	n.lengths[min(position, maxListLength)]++
	if position > 1 {
		n.lists++
		n.listRows += one.Rows
	}
}

// isList reports whether the counts are those of a column of lists, within the limits such as
// minListShare.
func (n *itemCounts) isList() bool {
	minShare, maxLength := minFrequentShare, maxItemLength
	if n.separator == ',' && 10*n.bracketed < 9*n.texts {
		minShare, maxLength = minCommaShare, maxCommaLength
	}
	frequent, occurrences, mixed := 0, 0, 0
	for _, c := range n.items {
		if c.isFrequent() {
			frequent++
			occurrences += c.texts
			if c.occursFirstAndLater() {
				mixed += c.texts
			}
		}
	}
	return frequent >= minListItems && !n.areTuples() && n.lists >= minListTexts &&
		float64(n.listRows) >= minListShare*float64(n.rows) &&
		float64(occurrences) >= minShare*float64(n.occurrences) &&
		(float64(mixed) >= minMixedShare*float64(occurrences) || float64(slices.Max(n.lengths[:])) < maxLengthShare*float64(n.texts)) &&
		n.characters <= maxLength*n.occurrences
}

// areTuples reports whether nearly all texts have the same number of items, at least two, and all
// items are numbers, as in 3|4. The order of such numbers has a meaning, which would be lost if
// they were read as a list.
func (n *itemCounts) areTuples() bool {
	numbers, others := 0, 0
	for item, c := range n.items {
		if _, err := strconv.ParseFloat(item, 64); err == nil {
			numbers += c.texts
		} else {
			others += c.texts
		}
	}
	return float64(slices.Max(n.lengths[2:maxListLength])) >= minTupleShare*float64(n.texts) &&
		float64(numbers) >= minTupleShare*float64(numbers+others)
}

// selectItems returns the items that divide the rows most evenly, best first: the fraction of rows
// with the best items is nearest to a half.
func (n *itemCounts) selectItems() (items []string) {
	least := max(minRowsPerItem, n.rows/textsPerDocFreq)
	list := make([]*itemCount, 0, len(n.items))
	for _, c := range n.items {
		if c.isFrequent() && c.rows >= least && c.rows <= n.rows-least {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *itemCount) int {
		weigh := func(c *itemCount) int { return min(c.rows, n.rows-c.rows) }
		return cmp.Or(cmp.Compare(weigh(b), weigh(a)), cmp.Compare(a.item, b.item))
	})
	for _, c := range list[:min(len(list), maxColumnItems)] {
		items = append(items, c.item)
	}
	return items
}

// limitItems removes items from results if the columns of the table would otherwise have too many
// item features. rows is the number of rows of the table.
func limitItems(results []Result, rows int) {
	lists := 0
	for i := range results {
		if results[i].Separator != "" {
			lists++
		}
	}
	lists = max(lists, 1)
	limit := min(max(maxTotalItems/lists, minColumnItems), maxColumnItems, maxWordCells/lists/max(rows, 1))
	for i := range results {
		results[i].Items = results[i].Items[:min(len(results[i].Items), limit)]
	}
}
