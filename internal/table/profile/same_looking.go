package profile

import (
	"strconv"

	"golang.org/x/text/unicode/norm"

	"foretell/internal/table/csvfile"
)

// warnSameLooking warns about two categories that differ only in their Unicode normalization, and
// therefore look the same. The model treats them as different.
func (s *scanner) warnSameLooking(i int, c *ColumnProfile) {
	if c.Form != FormCategory {
		return
	}
	var byNormalized map[string]string // nil if all values are normalized: then no two of them look the same
	for _, one := range c.values {
		if norm.NFC.IsNormalString(one.text) {
			continue
		}
		if byNormalized == nil {
			byNormalized = make(map[string]string, len(c.values))
			for _, other := range c.values {
				if norm.NFC.IsNormalString(other.text) {
					byNormalized[other.text] = other.text
				}
			}
		}
		normalized := norm.NFC.String(one.text)
		other, known := byNormalized[normalized]
		if known {
			s.warnAt(one.firstLine(), csvfile.CodeSameLooking, i, "%s and %s look the same, but have other Unicode code points", strconv.QuoteToASCII(other), strconv.QuoteToASCII(one.text))
			return
		}
		byNormalized[normalized] = one.text
	}
}
