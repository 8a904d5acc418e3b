//go:build !amd64

package csvfile

import "foretell/internal/table/cells"

// findSeparators finds the separators in a text followed by readSlack: the commas and line
// ends outside quotes. It writes the offset after each to dst and returns their number.
// Quotes must be valid.
func findSeparators(dst []int32, text []byte, _ bool) int { return findSeparatorsGo(dst, text) }

// parseDecimals parses plain numbers: an optional minus, then one to eight digits with an
// optional point among the first eight bytes. Other cells become unparsedDecimal; it
// reports whether there are none. begins holds, stride apart, the start of a cell and of
// the next. readSlack must follow the text.
func parseDecimals(dst []cells.Decimal, text []byte, begins []int32, stride int) bool {
	return parseDecimalsGo(dst, text, begins, stride)
}
