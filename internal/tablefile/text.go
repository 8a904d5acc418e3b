package tablefile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"foretell/internal/table/csvfile"
)

// CodeTitle is the code of the warning that a title line was omitted, and of the defect that the
// first line is probably a title.
const CodeTitle = "title-line"

// Names of text formats that are converted to CSV.
const (
	formatSpaced = "columns separated by spaces"
	formatTitled = "CSV below a title line"
)

// wideHeadSize is the number of bytes from which columns separated by spaces are recognised if the
// first headSize bytes have too few lines.
const wideHeadSize = 1 << 20

// maxLineBytes is the largest length in bytes of a line of a table separated by spaces.
const maxLineBytes = 16 << 20

// convertOtherTextFormats converts two text formats to CSV: columns separated by spaces, as
// statistics programs write them, and CSV below a title line, as in the files that scikit-learn
// ships. If the file is already CSV, it calls findTrailingDelimiters instead.
func (f *sourceFile) convertOtherTextFormats(ctx context.Context, opts Options) error {
	s, err := f.openText(ignoreCount)
	if err != nil {
		return err
	}
	defer s.closeQuietly()
	in := bufio.NewReaderSize(s, wideHeadSize)
	head, err := peekHead(in)
	if err != nil {
		return nil // reading the file returns the error
	}
	text := head
	head = bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	lines := firstNonBlankLines(head, len(head) >= headSize-3)
	if len(text) == headSize && len(lines) < minSpacedLines {
		wide, _ := in.Peek(wideHeadSize) // reading the file returns the error
		lines = firstNonBlankLines(bytes.TrimPrefix(wide, []byte("\xEF\xBB\xBF")), len(wide) == wideHeadSize)
	}
	switch title := findScikitLearnTitle(lines); {
	case title != "":
		f.format = formatTitled
		f.warn(csvfile.Warning{Code: CodeTitle, Line: 1, Message: "the first line, " + strconv.Quote(title) + ", contains the numbers of rows and columns and the names of the classes, so it is omitted"})
		return f.convert(ctx, opts, func(w *limitedTempCSV) error { return writeScikitLearnRows(in, w) })
	case opts.Delimiter == ' ' || opts.Delimiter == 0 && isSpaceSeparated(lines, head):
		f.format = formatSpaced
		return f.convert(ctx, opts, func(w *limitedTempCSV) error { return writeSpacedRows(in, w) })
	}
	return f.findTrailingDelimiters(ctx, text, opts.Delimiter)
}

// firstNonBlankLines returns the first non-blank lines of head, at most 50. If truncated is
// set, head may end within a line, which is then omitted.
func firstNonBlankLines(head []byte, truncated bool) []string {
	const most = 50
	var lines []string
	for line := range bytes.Lines(head) {
		if truncated && !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		if text := strings.TrimRight(string(line), "\r\n"); strings.TrimSpace(text) != "" && len(lines) < most {
			lines = append(lines, text)
		}
	}
	return lines
}

// findScikitLearnTitle returns the title line of a table in the format of the CSV files that
// scikit-learn ships, such as iris.csv, or "" if the table has another format. The title line
// consists of the number of rows, the number of features, and the names of the classes. Below it
// are rows of numbers. The last number of a row is the index of its class.
func findScikitLearnTitle(lines []string) (titleLine string) {
	if len(lines) < 3 {
		return ""
	}
	title := strings.Split(lines[0], ",")
	if len(title) < 4 || !isDigits(title[0]) || !isDigits(title[1]) || strings.Contains(lines[0], `"`) {
		return ""
	}
	features, _ := strconv.Atoi(title[1])
	for _, class := range title[2:] {
		if _, err := strconv.ParseFloat(strings.TrimSpace(class), 64); err == nil || strings.TrimSpace(class) == "" {
			return ""
		}
	}
	for _, line := range lines[1:] {
		cells := strings.Split(line, ",")
		if len(cells) != features+1 || !isDigits(cells[features]) {
			return ""
		}
		if class, _ := strconv.Atoi(cells[features]); class >= len(title)-2 {
			return ""
		}
		for _, cell := range cells {
			if _, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err != nil {
				return ""
			}
		}
	}
	return lines[0]
}

// isDigits reports whether cell consists of one to nine digits.
func isDigits(cell string) bool {
	return cell != "" && len(cell) < 10 && strings.Trim(cell, "0123456789") == ""
}

// writeScikitLearnRows writes the rows below the title line of src to w.
func writeScikitLearnRows(src io.Reader, w *limitedTempCSV) error {
	in := bufio.NewReader(src)
	if _, err := in.ReadString('\n'); err != nil {
		return err
	}
	rows := csvfile.NewReader(in, ',')
	for {
		rec, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range rec.Fields {
			w.writeField(rec.Fields[i])
		}
		if err := w.endRecord(1 + rec.Line); err != nil {
			return err
		}
	}
}

// minSpacedLines is the smallest number of lines of a table with columns separated by spaces.
const minSpacedLines = 3

// isSpaceSeparated reports whether lines are the rows of a table with columns separated
// by spaces. Such a table has at least three columns, the same number in each line. The
// first line may have one column less, because files written by R have no name for the
// column of row names. The first line must not have another delimiter, such as a comma; one tab is
// allowed, if it does not separate two columns (see isTabSeparated). The second fields must not all
// begin with a delimiter, as in lines such as "a"; "b". head is the beginning of the text, and lines
// are its first lines.
func isSpaceSeparated(lines []string, head []byte) bool {
	const fewest = 3
	if len(lines) < minSpacedLines {
		return false
	}
	if comma := csvfile.FindDelimiter(head, true); strings.IndexByte(lines[0], comma) >= 0 && comma != '\t' ||
		comma == '\t' && strings.Count(lines[0], "\t") > 1 || isTabSeparated(lines) {
		return false
	}
	n, isDelimited := len(splitSpaces(lines[1])), true
	for i, line := range lines {
		fields := splitSpaces(line)
		if len(fields) != n && (i > 0 || len(fields) != n-1) {
			return false
		}
		isDelimited = isDelimited && len(fields) > 1 && strings.IndexAny(fields[1], csvfile.Delimiters) == 0
	}
	return n >= fewest && !isDelimited
}

// isTabSeparated reports whether lines are the rows of a table of two columns separated by a tab, with
// texts that may have spaces. Each line has one tab. In a table separated by spaces, each line may have
// a tab, too, but such a table is usually aligned: each row has several spaces in succession.
func isTabSeparated(lines []string) bool {
	isAligned := true
	for i, line := range lines {
		if strings.Count(line, "\t") != 1 {
			return false
		}
		isAligned = isAligned && (i == 0 || strings.Contains(line, "  "))
	}
	return !isAligned
}

// writeSpacedRows writes the rows of src, a table with columns separated by spaces, to w.
func writeSpacedRows(src io.Reader, w *limitedTempCSV) error {
	in := bufio.NewScanner(src)
	in.Buffer(make([]byte, 0, headSize), maxLineBytes)
	var names []string // the first row; nil once it is written, when the number of columns is known
	first := 0
	for line := 1; in.Scan(); line++ {
		text := in.Text()
		if line == 1 {
			text = strings.TrimPrefix(text, "\uFEFF")
		}
		fields := splitSpaces(text)
		switch {
		case len(fields) == 0:
			continue
		case first == 0:
			names, first = fields, line
			continue
		case names != nil:
			if len(fields) == len(names)+1 {
				w.writeField(nil) // the column of row names has no name
			}
			if err := w.writeRecord(names, first); err != nil {
				return err
			}
			names = nil
		}
		if err := w.writeRecord(fields, line); err != nil {
			return err
		}
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return &csvfile.Defect{Code: CodeLargeTable, Message: fmt.Sprintf("a line exceeds %d bytes", maxLineBytes)}
	} else if err != nil {
		return err
	}
	if names != nil {
		return w.writeRecord(names, first)
	}
	return nil
}

// splitSpaces splits a line at spaces and tabs that are not inside quotes.
func splitSpaces(line string) []string {
	var fields []string
	for {
		line = strings.TrimLeft(line, " \t\r")
		if line == "" {
			return fields
		}
		if line[0] == '"' {
			if end := strings.IndexByte(line[1:], '"'); end >= 0 {
				fields = append(fields, line[1:end+1])
				line = line[end+2:]
				continue
			}
		}
		end := strings.IndexAny(line, " \t\r")
		if end < 0 {
			end = len(line)
		}
		fields = append(fields, line[:end])
		line = line[end:]
	}
}
