package tablefile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"sync"
)

// separatorLine matches a first line of a CSV file that sets the delimiter for Excel, such as sep=;
// with or without quotes. The match includes the first byte of the line end. The expression is
// compiled at its first use, because most commands read no such file.
var separatorLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\x{FEFF})?(?:(?i:sep)=[^\pL\pN"\r\n]|"(?i:sep)=[^\pL\pN"\r\n]")[\r\n]`)
})

// skipSeparatorLine makes s omit a separator line and the byte order mark before it. The line end
// of the separator line is kept, so that the other lines keep their numbers. Readers of CSV skip
// the blank line.
func (s *stream) skipSeparatorLine() error {
	const longest = 16 // more bytes than the longest match has
	in := bufio.NewReaderSize(s.Reader, longest)
	s.Reader = in
	head, err := in.Peek(longest)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if line := separatorLine().Find(head); line != nil {
		_, err := in.Discard(len(bytes.TrimRight(line, "\r\n")))
		return err
	}
	return nil
}
