package tablefile

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// sheetReader writes the rows of a sheet to a CSV. The header is the first row that has a value and is
// not skipped. Rows without a value above the header and below the last row with a value are left out.
type sheetReader struct {
	*workbook
	out          *limitedTempCSV
	skipRows     int           // Options.SkipRows
	cells        []string      // the cells of the current row
	width        int           // number of cells of the header; shorter rows are padded
	header       int           // the number of the row with the header
	row          int           // the number of the current row
	written      int           // the number of the last row that was written
	uncalculated int           // number of cells that have a formula, but no stored value
	firstFormula string        // the first cell counted in uncalculated, such as C2
	merged       int           // number of merged ranges with a row below the header
	firstRange   string        // the first range counted in merged, such as C2:C3
	isRowHidden  bool          // whether the current row is hidden
	hiddenRows   int           // number of hidden rows below the header that have a value
	hiddenRanges [][2]int      // the first and the last number of hidden columns, from 1
	names        []string      // the cells of the header
	numbers      []numberCells // counts of the numbers of each column
}

// numberCells counts the numbers of a column below the header. It does not count zeros, because 0
// and 0% are the same number.
type numberCells struct {
	percentages int // displayed as percentages
	plain       int // displayed otherwise
}

// writeRows writes the rows of a sheet. part is the name of the sheet's file in the workbook, such
// as xl/worksheets/sheet1.xml.
func (s *sheetReader) writeRows(part string) error {
	if s.findPart(part) == nil {
		return fmt.Errorf("the file of the sheet, %s, is missing", part)
	}
	err := s.forEachElement(part, func(d *sheetDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "row":
			if err := s.endRow(); err != nil {
				return err
			}
			s.cells = s.cells[:0]
			s.row++
			s.isRowHidden = isTrue(attribute(e, "hidden"))
			if n, err := strconv.Atoi(attribute(e, "r")); err == nil && n > 0 {
				s.row = n
			}
			if s.row > maxSheetRow {
				return fmt.Errorf("the sheet has a row %d; the last possible row is %d", s.row, maxSheetRow)
			}
		case "c":
			return s.addCell(d, e)
		case "col":
			s.addHiddenColumns(e)
		case "mergeCell":
			s.addMerged(attribute(e, "ref"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.endRow()
}

// endRow writes the current row unless it is skipped or all its cells are empty. Before the row, it
// writes the rows without a value since the last row that was written.
func (s *sheetReader) endRow() error {
	last := len(s.cells)
	for last > 0 && s.cells[last-1] == "" {
		last--
	}
	if last == 0 || s.row <= s.skipRows {
		return nil
	}
	if s.width == 0 {
		s.width, s.header = last, s.row
		s.names = slices.Clone(s.cells[:last])
		s.numbers = make([]numberCells, last)
	} else {
		if err := s.writeBlankRows(); err != nil {
			return err
		}
		s.countNumbers(s.cells[:min(last, s.width)])
		if s.isRowHidden {
			s.hiddenRows++
		}
	}
	for _, text := range s.cells[:last] { // rows longer than the header are written; the CSV reader rejects them
		s.out.writeField([]byte(text))
	}
	s.out.out.WriteEmptyFields(s.width - last)
	s.cells, s.written = s.cells[:0], s.row
	return s.out.endRecord(s.row)
}

// writeBlankRows writes a row of empty cells for each row between the last row that was written and the
// current one. The file may lack these rows, because programs need not store rows without a value.
func (s *sheetReader) writeBlankRows() error {
	for row := s.written + 1; row < s.row; row++ {
		s.out.out.WriteEmptyFields(s.width)
		if err := s.out.endRecord(row); err != nil {
			return err
		}
	}
	return nil
}

// countNumbers adds the numbers in the cells of a row to the counts in s.numbers.
func (s *sheetReader) countNumbers(texts []string) {
	for i, text := range texts {
		digits, isPercentage := strings.CutSuffix(text, "%")
		n, isNumber := cells.ParseNumber([]byte(digits))
		switch {
		case !isNumber || n == 0:
		case isPercentage:
			s.numbers[i].percentages++
		default:
			s.numbers[i].plain++
		}
	}
}

// addCell reads the cell with the start tag e into s.cells.
func (s *sheetReader) addCell(d *sheetDecoder, e xml.StartElement) error {
	column := columnOfReference(attribute(e, "r"), len(s.cells))
	if column >= maxSheetColumn {
		return fmt.Errorf("row %d has a cell in column %d; the last possible column is %d", s.row, column+1, maxSheetColumn)
	}
	text, hasFormula, err := s.readCell(d, e)
	if err != nil {
		return err
	}
	kind := attribute(e, "t") // the stored value of another kind may be empty, such as a text or an error
	if hasFormula && text == "" && (kind == "" || kind == "b") && s.row > s.skipRows {
		if s.uncalculated++; s.uncalculated == 1 {
			s.firstFormula = attribute(e, "r")
		}
	}
	for len(s.cells) <= column {
		s.cells = append(s.cells, "")
	}
	s.cells[column] = text
	return nil
}

// addMerged counts a merged range of cells, such as C2:C3, if it has a row below the header. It
// must be called after all rows were read.
func (s *sheetReader) addMerged(reference string) {
	_, end, _ := strings.Cut(reference, ":")
	row, err := strconv.Atoi(strings.TrimLeft(end, "$ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if err != nil || row <= s.header || s.width == 0 {
		return
	}
	if s.merged++; s.merged == 1 {
		s.firstRange = reference
	}
}

// warnings returns warnings about values of the sheet that are missing in the table, or have
// another form there.
func (s *sheetReader) warnings() []csvfile.Warning {
	var list []csvfile.Warning
	if s.uncalculated > 0 {
		list = append(list, csvfile.Warning{Code: CodeUncalculated, Message: fmt.Sprintf(
			"the sheet has %s without a stored value (first %s); these cells are read as empty", humanize.Count(s.uncalculated, "formula"), s.firstFormula)})
	}
	if s.merged > 0 {
		list = append(list, csvfile.Warning{Code: CodeMergedCells, Message: fmt.Sprintf(
			"the sheet has %s of merged cells (first %s); only the first cell of a range has its value, and the other cells are read as empty", humanize.Count(s.merged, "range"), s.firstRange)})
	}
	return slices.Concat(list, s.hiddenWarnings(), s.percentageWarnings())
}

// percentageWarnings returns a warning about the columns that have percentages and other numbers, if
// there are any.
func (s *sheetReader) percentageWarnings() []csvfile.Warning {
	var names []string
	total := numberCells{}
	for i, n := range s.numbers {
		if n.percentages > 0 && n.plain > 0 {
			names = append(names, strconv.Quote(cmp.Or(s.names[i], "column_"+strconv.Itoa(i+1))))
			total.percentages += n.percentages
			total.plain += n.plain
		}
	}
	if len(names) == 0 {
		return nil
	}
	const most = 5
	columns := "the column " + names[0] + " has"
	if len(names) > 1 {
		columns = fmt.Sprintf("%d columns (%s) have", len(names), humanize.List(names, most))
	}
	return []csvfile.Warning{{Code: CodeMixedPercentages, Message: fmt.Sprintf(
		"%s %s and %s; cells with a percent format are read as percentages, such as 47%%, and other cells as their value, such as 0.47",
		columns, humanize.Count(total.percentages, "percentage"), humanize.Count(total.plain, "other number"))}}
}

// columnOfReference returns the position, counted from 0, of the column in a cell reference
// such as AB12. If there is no reference, it returns fallback.
func columnOfReference(reference string, fallback int) (index int) {
	n := 0
	for _, char := range reference {
		if char < 'A' || char > 'Z' || n > maxSheetColumn {
			break
		}
		n = 26*n + int(char-'A') + 1
	}
	if n == 0 {
		return fallback
	}
	return n - 1
}

// readCell reads the rest of the cell with the start tag e. It returns the text of the cell, and
// whether the cell has a formula.
func (b *workbook) readCell(d *sheetDecoder, e xml.StartElement) (text string, hasFormula bool, err error) {
	kind := attribute(e, "t")
	if kind == "inlineStr" {
		text, err = readText(d, "c")
		return text, false, err
	}
	var value strings.Builder
	for inValue := false; ; {
		token, err := d.RawToken()
		if err != nil {
			return "", false, eofAsUnexpected(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			inValue = t.Name.Local == "v"
			hasFormula = hasFormula || t.Name.Local == "f"
		case xml.CharData:
			if inValue {
				value.Write(t)
			}
		case xml.EndElement:
			inValue = false
			if t.Name.Local == "c" {
				text, err := b.formatCell(kind, attribute(e, "s"), value.String())
				return text, hasFormula, err
			}
		}
	}
}

// formatCell returns the text of a cell with the given value. kind and style are the attributes
// t and s of the cell.
func (b *workbook) formatCell(kind, style, value string) (text string, err error) {
	switch kind {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 0 || n >= len(b.sharedStrings) {
			return "", fmt.Errorf("a cell refers to text %s, but there are only %d texts", value, len(b.sharedStrings))
		}
		return b.sharedStrings[n], nil
	case "b":
		switch value {
		case "": // a formula without a stored value
			return "", nil
		case "1":
			return "true", nil
		}
		return "false", nil
	case "e": // such as #N/A or #DIV/0!
		return "", nil
	case "str":
		return unescape(value), nil
	case "d":
		return value, nil
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value, nil //nolint:nilerr // the value of a cell in an unknown format is used as its text
	}
	if at, err := strconv.Atoi(style); err == nil && at >= 0 && at < len(b.cellStyles) {
		switch shown := b.cellStyles[at]; {
		case shown.isElapsed:
			return formatElapsed(n), nil
		case shown.hasDate || shown.hasTime:
			return b.formatDateTime(n, shown), nil
		case shown.isPercent:
			return formatPercent(n), nil
		}
	}
	const maxExactDigits = 15 // a float64 represents all integers of at most 15 digits, but not all longer integers
	if len(value) > maxExactDigits && isInteger(value) {
		return value, nil // such as a long ID
	}
	return string(appendFloat(nil, n, 64)), nil // Excel writes 0.1 as 0.10000000000000001
}

// isInteger reports whether value consists of digits, after at most one minus sign.
func isInteger(value string) bool {
	digits := strings.TrimPrefix(value, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// formatElapsed formats an elapsed number of days as a number of hours, rounded to a
// millisecond. It uses hours for all formats of elapsed time, so that a column has only one unit.
// It does not return a time of day, because an elapsed time may exceed 24 hours.
func formatElapsed(days float64) string {
	const millisPerHour = 3_600_000
	return string(appendFloat(nil, math.Round(days*24*millisPerHour)/millisPerHour, 64))
}

// formatPercent formats 0.47 as 47%, as the sheet displays it. The decimal point is moved in the
// decimal digits, because the product of 0.07 and 100 is not exact.
func formatPercent(n float64) string {
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(n, 'e', -1, 64), "e")
	power, _ := strconv.Atoi(exponent)
	percent, err := strconv.ParseFloat(digits+"e"+strconv.Itoa(power+2), 64)
	if err != nil { // the percentage is too large for a float64
		return string(appendFloat(nil, n, 64))
	}
	const longest, decimals = 24, 15 // longer cells are not read as numbers
	text := strconv.FormatFloat(percent, 'f', -1, 64)
	if len(text) > longest {
		text = strconv.FormatFloat(percent, 'f', decimals, 64)
	}
	return text + "%"
}

// formatDateTime formats a number of days as a date, a time or both, according to style.
// It formats a number that cannot be a date as a number.
func (b *workbook) formatDateTime(days float64, style cellStyle) string {
	const year9999 = 2_958_466
	if !(days >= 0 && days < year9999) {
		return string(appendFloat(nil, days, 64))
	}
	whole, part := math.Modf(days)
	const leapDay1900 = 60
	if style.hasDate && whole < leapDay1900 && b.epoch.Year() < 1900 {
		whole++ // Excel counts 29 February 1900, which did not exist, so the numbers of earlier days are one too low for b.epoch
	}
	millis := math.Round(part * 86_400_000)
	t := b.epoch.AddDate(0, 0, int(whole)).Add(time.Duration(millis) * time.Millisecond)
	switch {
	case style.hasDate && (style.hasTime || millis != 0):
		return t.Format("2006-01-02 15:04:05.999")
	case style.hasDate:
		return t.Format(time.DateOnly)
	}
	return t.Format("15:04:05.999") // the sheet does not display the day
}
