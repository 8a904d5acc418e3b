package csvfile

import (
	"bytes"
	"regexp"
	"sync"
)

// separatorLine matches a first line such as sep=; that sets the delimiter for Excel, with or
// without quotes. The match includes the first byte of the line end. The expression is compiled at
// its first use, because most commands read no such file.
var separatorLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\x{FEFF})?(?:(?i:sep)=[^\pL\pN"\r\n]|"(?i:sep)=[^\pL\pN"\r\n]")[\r\n]`)
})

// SeparatorLineLen returns the number of bytes of the separator line at the beginning of a file,
// such as sep=; and of a byte order mark before it. It returns 0 if head, the beginning of the
// file, has no such line. It does not count the line end, which readers skip as a blank line.
func SeparatorLineLen(head []byte) int {
	return len(bytes.TrimRight(separatorLine().Find(head), "\r\n"))
}
