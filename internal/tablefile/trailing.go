package tablefile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// CodeBlankRows is the code of the warning that rows without a value at the end of a file are left out.
const CodeBlankRows = "blank-rows"

// headerEdit makes the header of a CSV file as long as the rows. It is needed for files in which
// the rows end with a delimiter and the header does not, or the reverse.
type headerEdit struct {
	end     int    // offset of the end of the header in the text
	omitted int    // number of delimiters to omit before end
	added   []byte // delimiters to insert at end
}

// isNeeded reports whether the header must be edited.
func (e *headerEdit) isNeeded() bool { return e.omitted > 0 || len(e.added) > 0 }

// apply makes s return the edited header.
func (e *headerEdit) apply(s *stream) error {
	if !e.isNeeded() {
		return nil
	}
	header := make([]byte, e.end)
	if _, err := io.ReadFull(s.Reader, header); err != nil {
		return err
	}
	header = append(header[:e.end-e.omitted], e.added...)
	s.Reader = io.MultiReader(bytes.NewReader(header), s.Reader)
	return nil
}

// findTrailingDelimiters sets f.delimiter and f.header for a CSV file that begins with head. It adds
// delimiters to the header only if the columns that they add are empty in the whole file.
func (f *sourceFile) findTrailingDelimiters(ctx context.Context, head []byte, delimiter byte) error {
	truncated := len(head) >= headSize
	f.delimiter = cmp.Or(delimiter, csvfile.FindDelimiter(head, truncated))
	edit, columns := findHeaderEdit(head, f.delimiter, truncated)
	if columns < 2 && delimiter == 0 { // FindDelimiter misses a delimiter if the header is shorter or longer than the rows
		for i := 0; i < len(csvfile.Delimiters) && !edit.isNeeded(); i++ {
			if other, _ := findHeaderEdit(head, csvfile.Delimiters[i], truncated); other.isNeeded() {
				edit, f.delimiter = other, csvfile.Delimiters[i]
			}
		}
	}
	if len(edit.added) > 0 {
		if empty, err := f.addedColumnsAreEmpty(ctx, edit); !empty {
			return err
		}
	}
	f.header = edit
	return nil
}

// findHeaderEdit returns the edit that the header of a CSV file needs, and the number of columns in
// the header. The file begins with head. If truncated is set, head may end within a row.
func findHeaderEdit(head []byte, delimiter byte, truncated bool) (edit headerEdit, columns int) {
	const enough = 50 // number of rows to look at
	rows := csvfile.NewReader(bytes.NewReader(head), delimiter)
	header, err := rows.Read()
	if err != nil {
		return headerEdit{}, 0
	}
	columns = len(header.Fields)
	text, named := bytes.Clone(header.Text), columns-countBlankAtEnd(header.Fields)
	var widths, values []int // by row: the number of fields, and the number without the blank fields at the end
	for len(widths) < enough {
		row, err := rows.Read()
		if err != nil {
			break
		}
		widths, values = append(widths, len(row.Fields)), append(values, len(row.Fields)-countBlankAtEnd(row.Fields))
	}
	if truncated && len(widths) < enough && len(widths) > 0 { // head may end within the last row
		widths, values = widths[:len(widths)-1], values[:len(values)-1]
	}
	if columns < 2 || len(widths) == 0 {
		return headerEdit{}, columns
	}
	width := widths[0]
	for i := range widths {
		if widths[i] != width || width > columns && values[i] > columns {
			return headerEdit{}, columns
		}
	}
	edit.end = bytes.Index(head, text) + len(text) // only blank lines precede it
	switch unused := bytes.Repeat([]byte{delimiter}, max(columns-width, 0)); {
	case width > columns && named == columns:
		edit.added = bytes.Repeat([]byte{delimiter}, width-columns)
	case width >= 2 && named <= width && bytes.HasSuffix(text, unused):
		edit.omitted = len(unused)
	}
	return edit, columns
}

func countBlankAtEnd(fields [][]byte) int {
	n := 0
	for n < len(fields) && len(bytes.TrimSpace(fields[len(fields)-1-n])) == 0 {
		n++
	}
	return n
}

// addedColumnsAreEmpty reports whether no row of the file has a value in the columns that edit adds.
func (f *sourceFile) addedColumnsAreEmpty(ctx context.Context, edit headerEdit) (bool, error) {
	s, err := f.openText(ignoreCount)
	if err != nil {
		return false, err
	}
	defer s.closeQuietly()
	if err := edit.apply(s); err != nil {
		return false, err
	}
	table, err := csvfile.OpenTable(csvfile.NewReader(s, f.delimiter))
	if err != nil {
		return false, nil // reading the file returns the error
	}
	for {
		row, err := table.Next(ctx)
		var defect *csvfile.Defect
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case errors.As(err, &defect) && !table.Reader.Done():
			continue // the check of the rows reports it
		case err != nil:
			return false, ctx.Err()
		}
		if countBlankAtEnd(row.Fields) < len(edit.added) {
			return false, nil
		}
	}
}

// leaveOutBlankRows makes s leave out the blank rows at its end, and adds a warning if there are any.
func (f *sourceFile) leaveOutBlankRows(s *stream) {
	s.Reader = csvfile.NewBlankRowTrimmer(s.Reader, f.delimiter, f.warnBlankRows)
}

// warnBlankRows adds a warning that rows without a value at the end of the file are left out.
func (f *sourceFile) warnBlankRows(rows int) {
	if !f.hasBlankRows { // the file may be read several times
		f.hasBlankRows = true
		f.warn(csvfile.Warning{Code: CodeBlankRows, Message: "left out " + humanize.Count(rows, "row") + " of empty cells at the end of the file"})
	}
}
