//go:build !amd64

package frame

// findSeparators finds the ends of cells in a text, which its slack follows: the commas
// and line ends outside quotes. It writes the offset behind each to dst and
// returns how many there are. No quote is out of place.
func findSeparators(dst []int32, text []byte, _ bool) int { return findSeparatorsGo(dst, text) }

// parseDecimals reads the cells that are plain numbers: a minus or none, then one to
// eight digits with a point among the first eight bytes or none. The others
// become otherFraction; it returns whether there are none. begins holds, stride
// apart, where a cell begins and where the next would. There must be slack behind
// the text.
func parseDecimals(dst []decimal, text []byte, begins []int32, stride int) bool {
	return parseDecimalsGo(dst, text, begins, stride)
}
