package check

import (
	"strconv"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// warnSameLooking warns about two categories that look the same but differ in their Unicode
// normalization or in zero-width characters. The model treats them as different.
func (c *columnChecker) warnSameLooking() {
	values := c.stats.Values()
	if c.inferred.Form != inference.FormCategory {
		return
	}
	var byVisible map[string]string // nil if every value equals its visible text: then no two of them look the same
	for _, one := range values {
		if cells.VisibleText(one.Text) == one.Text {
			continue
		}
		if byVisible == nil {
			byVisible = make(map[string]string, len(values))
			for _, other := range values {
				if cells.VisibleText(other.Text) == other.Text {
					byVisible[other.Text] = other.Text
				}
			}
		}
		visible := cells.VisibleText(one.Text)
		other, known := byVisible[visible]
		if known {
			c.warnAt(one.FirstLine(), csvfile.CodeSameLooking, "the texts %s and %s look the same, but have different Unicode code points", strconv.QuoteToASCII(other), strconv.QuoteToASCII(one.Text))
			return
		}
		byVisible[visible] = one.Text
	}
}
