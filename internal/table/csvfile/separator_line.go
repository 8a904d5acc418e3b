package csvfile

import (
	"bytes"
	"regexp"
	"sync"
)

// separatorLine matches a first line such as sep=;, with or without quotes, which sets the
// delimiter for Excel. The match includes the first byte of the line end. The expression is
// compiled on first use, because most commands read no file with such a line.
var separatorLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\x{FEFF})?(?:(?i:sep)=[^\pL\pN"\r\n]|"(?i:sep)=[^\pL\pN"\r\n]")[\r\n]`)
})

// SeparatorLineLen returns the length in bytes of a separator line (such as sep=;) at the beginning
// of a file. The length includes a byte order mark before the line, but not the line end, which
// readers skip as a blank line. It is 0 if head, the beginning of the file, contains no such line.
func SeparatorLineLen(head []byte) int {
	return len(bytes.TrimRight(separatorLine().Find(head), "\r\n"))
}
