package cli

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ParseBytes parses a number of bytes with an optional unit: KB, MB, GB or TB, which are
// powers of 1,000.
func ParseBytes(text string) (int64, error) {
	digits, unit := strings.ToUpper(text), int64(1)
	for i, name := range []string{"KB", "MB", "GB", "TB"} {
		if rest, ok := strings.CutSuffix(digits, name); ok {
			digits, unit = rest, int64(math.Pow10(3*(i+1)))
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, errors.New("must be a size such as 12GB")
	}
	return n * unit, nil
}
