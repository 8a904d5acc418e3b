package csvfile

import (
	"bytes"
	"regexp"
	"sync"
)

// separatorLine matches a first line of a CSV file that sets the delimiter for Excel, such as sep=;
// with or without quotes. The match includes the first byte of the line end. The expression is
// compiled at its first use, because most commands read no such file.
var separatorLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\x{FEFF})?(?:(?i:sep)=[^\pL\pN"\r\n]|"(?i:sep)=[^\pL\pN"\r\n]")[\r\n]`)
})

// SeparatorLineLen returns the number of bytes of the separator line with which a file begins, such as
// sep=; and of the byte order mark before it. It does not count the line end, which readers skip as a
// blank line if it is kept. It returns 0 if head, the beginning of the file, has no such line.
func SeparatorLineLen(head []byte) int {
	return len(bytes.TrimRight(separatorLine().Find(head), "\r\n"))
}
