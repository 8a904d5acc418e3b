package tablefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"foretell/internal/table/csvfile"
)

// skipSeparatorLine makes s omit a separator line, such as sep=; for Excel, and the byte order mark
// before it. The line end of the separator line is kept, so that the other lines keep their numbers.
// Readers of CSV skip the blank line.
func (s *stream) skipSeparatorLine() error {
	const longest = 16 // more bytes than the longest match has
	in := bufio.NewReaderSize(s.Reader, longest)
	s.Reader = in
	head, err := in.Peek(longest)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	_, err = in.Discard(csvfile.SeparatorLineLen(head))
	return err
}

// skipLines makes s omit its first n lines. Their line ends are kept, so that the other lines keep
// their numbers. If s has at least one line, but no more than n, it returns a *csvfile.Defect.
func (s *stream) skipLines(n int) error {
	if n == 0 {
		return nil
	}
	in := bufio.NewReader(s.Reader)
	s.Reader = in
	if _, err := in.Peek(1); errors.Is(err, io.EOF) {
		return nil
	}
	for line := range n {
		if err := skipLine(in); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return skippedTableError(n, line+1)
		}
	}
	s.Reader = io.MultiReader(strings.NewReader(strings.Repeat("\n", n)), in)
	return nil
}

// skippedTableError returns the error for a file whose rows are all skipped by Options.SkipRows.
// lastRow is the number of the last row.
func skippedTableError(skipRows, lastRow int) error {
	return &csvfile.Defect{
		Code:    csvfile.CodeEmptyFile,
		Message: fmt.Sprintf("--skip-rows %d leaves no row: the last row of the file is row %d", skipRows, lastRow),
	}
}

// skipLine reads a line that ends with LF, CRLF or CR. It returns io.EOF if the
// input ends before the line does.
func skipLine(in *bufio.Reader) error {
	for {
		c, err := in.ReadByte()
		if err != nil || c == '\n' {
			return err
		}
		if c != '\r' {
			continue
		}
		if next, err := in.Peek(1); err == nil && next[0] == '\n' {
			_, err = in.Discard(1)
			return err
		}
		return nil
	}
}
