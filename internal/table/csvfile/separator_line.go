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

// SeparatorLineLen returns the length in bytes of a separator line (such as sep=;) at the beginning
// of a file. It counts a byte order mark before the line, but not the line end, which readers skip
// as a blank line. It returns 0 if head, the beginning of the file, has no such line.
func SeparatorLineLen(head []byte) int {
	return len(bytes.TrimRight(separatorLine().Find(head), "\r\n"))
}
