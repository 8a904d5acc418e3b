package check

import (
	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// minSimilarShare is the smallest fraction of rows with a text that differs from a more frequent
// text only in spelling for which warnSimilarTexts warns.
const minSimilarShare = 0.01

// warnSimilarTexts warns about categories of a training file that differ from a more frequent
// category only in case or in surrounding spaces. In a column of booleans, it warns about different texts
// for the same value, such as True and 1, or Yes and yes. The model treats them as different categories.
func (c *columnChecker) warnSimilarTexts() {
	isText := c.inferred.Form == inference.FormCategory || c.inferred.Form == inference.FormBoolean
	if c.opts.Blind || !isText || c.inferred.IdentifiesRows {
		return
	}
	values := c.stats.Values()
	fold, difference := cells.FoldCase, "text that differs from a more frequent text only in case or spaces"
	if haveOnlyBooleans(values) {
		fold, difference = cells.FoldBoolean, "boolean that more rows write in another way"
	}
	frequent := make(map[string]*columnstats.Value, len(values)) // the most frequent text with each folded text
	for i := range values {
		key := fold(values[i].Text)
		if best := frequent[key]; best == nil || values[i].Rows > best.Rows {
			frequent[key] = &values[i]
		}
	}
	rows, rare := 0, columnstats.Value{}
	for i := range values {
		if one := &values[i]; frequent[fold(one.Text)] != one {
			if rows += one.Rows; one.Rows > rare.Rows {
				rare = *one
			}
		}
	}
	share := float64(rows) / float64(max(c.stats.NonBlank(), 1))
	if share < minSimilarShare {
		return
	}
	c.warnAt(rare.FirstLine(), csvfile.CodeSimilarTexts, "in %s (%s), the cell is a %s, such as %s instead of %s",
		humanize.Count(rows, "row"), humanize.Percent(share), difference, csvfile.Excerpt(rare.Text), csvfile.Excerpt(frequent[fold(rare.Text)].Text))
}

// haveOnlyBooleans reports whether all values are booleans, in any spelling, or missing. Both true
// and false must occur, because N and F alone may be codes, although both may mean false.
func haveOnlyBooleans(values []columnstats.Value) bool {
	seen := map[string]bool{}
	for i := range values {
		if values[i].Kind != cells.Null {
			seen[cells.FoldBoolean(values[i].Text)] = true
		}
	}
	return len(seen) == 2 && seen["true"] && seen["false"]
}
