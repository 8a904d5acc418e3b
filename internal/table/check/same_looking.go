package check

import (
	"strconv"

	"golang.org/x/text/unicode/norm"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// warnSameLooking warns about two categories that differ only in their Unicode normalization, and
// therefore look the same. The model treats them as different.
func (c *columnChecker) warnSameLooking() {
	values := c.stats.Values()
	if c.inferred.Form != inference.FormCategory {
		return
	}
	var byNormalized map[string]string // nil if all values are normalized: then no two of them look the same
	for _, one := range values {
		if norm.NFC.IsNormalString(one.Text) {
			continue
		}
		if byNormalized == nil {
			byNormalized = make(map[string]string, len(values))
			for _, other := range values {
				if norm.NFC.IsNormalString(other.Text) {
					byNormalized[other.Text] = other.Text
				}
			}
		}
		normalized := norm.NFC.String(one.Text)
		other, known := byNormalized[normalized]
		if known {
			c.warnAt(one.FirstLine(), csvfile.CodeSameLooking, "%s and %s look the same, but have other Unicode code points", strconv.QuoteToASCII(other), strconv.QuoteToASCII(one.Text))
			return
		}
		byNormalized[normalized] = one.Text
	}
}
