package tablefile

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// Limits for workbooks, which bound the memory of their conversion.
const (
	maxSheetText   = 256 << 20 // largest size of the shared strings in bytes
	maxPartBytes   = 8 << 30   // largest unpacked size of a part in bytes
	maxSheetColumn = 16_384    // largest number of columns of a sheet, which is the limit of Excel
	maxToken       = maxField  // largest size of a text, a tag or a comment in bytes
)

// workbook is an Excel workbook (Office Open XML, ECMA-376).
type workbook struct {
	ctx           context.Context
	archive       *zip.Reader
	sheets        []workbookSheet
	sharedStrings []string
	dateStyles    []dateStyle // by number of a cell style
	epoch         time.Time   // the date of day 0
}

type workbookSheet struct{ name, part string }

// dateStyle describes whether a number in a cell is displayed as a date, as a time of
// day, as both or as neither.
type dateStyle struct{ hasDate, hasTime bool }

// convertWorkbook converts one sheet to CSV. Locations are rows and columns of the sheet.
func (f *sourceFile) convertWorkbook(ctx context.Context, archive *zip.Reader, opts Options) error {
	b := &workbook{ctx: ctx, archive: archive}
	return f.convert(ctx, opts, func(w *limitedTempCSV) error {
		if err := b.readSharedParts(); err != nil {
			return damagedWorkbook(err)
		}
		at := 0
		var names []string
		for i, sheet := range b.sheets {
			names = append(names, strconv.Quote(sheet.name))
			if sheet.name == opts.Sheet {
				at = i
			}
		}
		switch {
		case opts.Sheet != "" && b.sheets[at].name != opts.Sheet:
			return &csvfile.Defect{Code: CodeSheets, Message: fmt.Sprintf("there is no sheet %q; the sheets are %s", opts.Sheet, humanize.List(names, 5))}
		case opts.Sheet == "" && len(names) > 1:
			f.warn(csvfile.Warning{Code: CodeSheets, Message: fmt.Sprintf("the workbook has %d sheets, %s; only the first is read", len(names), humanize.List(names, 5))})
		}
		f.format = "Excel, sheet " + strconv.Quote(b.sheets[at].name)
		return damagedWorkbook(b.writeSheet(b.sheets[at].part, w))
	})
}

// damagedWorkbook converts an error in the archive or the XML to a defect. It returns a
// defect or an error of the context unchanged.
func damagedWorkbook(err error) error {
	var defect *csvfile.Defect
	if err == nil || errors.As(err, &defect) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &csvfile.Defect{Code: CodeInvalidFile, Message: fmt.Sprintf("the workbook is damaged or cut off (%v)", err)}
}

// forEachElement decodes the named part of the archive and calls visit with the start tag
// of every element. It stops if visit returns an error. If the part is missing, it does
// nothing.
func (b *workbook) forEachElement(name string, visit func(d *sheetDecoder, e xml.StartElement) error) error {
	at := slices.IndexFunc(b.archive.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, name) })
	if at < 0 {
		return nil
	}
	src, err := b.archive.File[at].Open()
	if err != nil {
		return err
	}
	defer src.Close()
	d := newSheetDecoder(cancellable(b.ctx, io.LimitReader(src, maxPartBytes)))
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			if err := visit(d, e); err != nil {
				return err
			}
		}
	}
}

// readSharedParts reads the parts of the workbook that all sheets share.
func (b *workbook) readSharedParts() error {
	b.epoch = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	type sheet struct{ name, id string }
	var sheets []sheet
	err := b.forEachElement("xl/workbook.xml", func(_ *sheetDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "sheet":
			sheets = append(sheets, sheet{attribute(e, "name"), attribute(e, "id")})
		case "workbookPr":
			if since1904 := attribute(e, "date1904"); since1904 == "1" || since1904 == "true" {
				b.epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	targets := map[string]string{}
	err = b.forEachElement("xl/_rels/workbook.xml.rels", func(_ *sheetDecoder, e xml.StartElement) error {
		if e.Name.Local == "Relationship" && strings.HasSuffix(attribute(e, "Type"), "/worksheet") {
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join("xl", target)
			}
			targets[attribute(e, "Id")] = strings.TrimPrefix(target, "/")
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, s := range sheets {
		if target, ok := targets[s.id]; ok { // chart sheets have no target
			b.sheets = append(b.sheets, workbookSheet{s.name, target})
		}
	}
	if len(b.sheets) == 0 {
		return errors.New("the workbook has no sheet")
	}
	if err := b.readStyles(); err != nil {
		return err
	}
	return b.readSharedStrings()
}

// readStyles determines which cell styles display dates or times.
func (b *workbook) readStyles() error {
	custom := map[string]dateStyle{}
	inCells := false
	return b.forEachElement("xl/styles.xml", func(_ *sheetDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			custom[attribute(e, "numFmtId")] = parseDateStyle(attribute(e, "formatCode"))
		case "cellXfs":
			inCells = true
		case "cellStyles", "cellStyleXfs":
			inCells = false
		case "xf":
			if inCells {
				id := attribute(e, "numFmtId")
				style, ok := custom[id]
				if n, _ := strconv.Atoi(id); !ok {
					style = dateStyle{n >= 14 && n <= 17 || n == 22 || n >= 27 && n <= 36 || n >= 50 && n <= 58, n >= 18 && n <= 22 || n >= 45 && n <= 47}
				}
				b.dateStyles = append(b.dateStyles, style)
			}
		}
		return nil
	})
}

// parseDateStyle returns whether the number format code displays a date, a time or both.
func parseDateStyle(code string) dateStyle {
	var letters strings.Builder
	for i := 0; i < len(code) && code[i] != ';'; i++ {
		switch code[i] {
		case '"': // a text
			for i++; i < len(code) && code[i] != '"'; i++ {
			}
		case '\\', '_', '*':
			i++
		case '[': // a colour, a currency, or elapsed time
			from := i
			for ; i < len(code) && code[i] != ']'; i++ {
			}
			if inside := strings.ToLower(code[from+1 : min(i, len(code))]); strings.Trim(inside, "hms") == "" {
				letters.WriteString(inside)
			}
		default:
			letters.WriteByte(code[i])
		}
	}
	text := strings.ToLower(letters.String())
	clock := strings.ContainsAny(text, "hs")
	return dateStyle{hasDate: strings.ContainsAny(text, "yd") || !clock && strings.Contains(text, "m"), hasTime: clock}
}

func (b *workbook) readSharedStrings() error {
	size := 0
	return b.forEachElement("xl/sharedStrings.xml", func(d *sheetDecoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := readText(d, "si")
		if size += len(text) + 16; size > maxSheetText {
			return &csvfile.Defect{Code: csvfile.CodeTooLong, Message: fmt.Sprintf("the texts of the workbook exceed %d MiB: save the sheet as CSV", maxSheetText>>20)}
		}
		b.sharedStrings = append(b.sharedStrings, text)
		return err
	})
}

// writeSheet writes the rows of the sheet in the named part, starting with the first row
// that has a cell. Shorter rows are padded to the length of that row.
func (b *workbook) writeSheet(name string, w *limitedTempCSV) error {
	var cells []string
	width, number := 0, 0
	end := func() error {
		last := len(cells)
		for last > 0 && cells[last-1] == "" {
			last--
		}
		if last == 0 {
			return nil
		}
		if width == 0 {
			width = last
		}
		for _, text := range cells[:last] { // rows longer than the first are written; the CSV reader rejects them
			w.writeField([]byte(text))
		}
		w.out.WriteEmptyFields(width - last)
		return w.endRecord(number)
	}
	err := b.forEachElement(name, func(d *sheetDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "row":
			if err := end(); err != nil {
				return err
			}
			cells = cells[:0]
			number++
			if n, err := strconv.Atoi(attribute(e, "r")); err == nil && n > 0 {
				number = n
			}
		case "c":
			column := columnOfReference(attribute(e, "r"), len(cells))
			if column >= maxSheetColumn {
				return fmt.Errorf("row %d has a cell in column %d, the limit is %d", number, column+1, maxSheetColumn)
			}
			text, err := b.readCell(d, e)
			if err != nil {
				return err
			}
			for len(cells) <= column {
				cells = append(cells, "")
			}
			cells[column] = text
		}
		return nil
	})
	if err != nil {
		return err
	}
	return end()
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

// readCell reads the rest of the cell with the start tag e and returns its text.
func (b *workbook) readCell(d *sheetDecoder, e xml.StartElement) (text string, err error) {
	kind := attribute(e, "t")
	if kind == "inlineStr" {
		return readText(d, "c")
	}
	var value strings.Builder
	for inValue := false; ; {
		token, err := d.RawToken()
		if err != nil {
			return "", eofAsUnexpected(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			inValue = t.Name.Local == "v"
		case xml.CharData:
			if inValue {
				value.Write(t)
			}
		case xml.EndElement:
			inValue = false
			if t.Name.Local == "c" {
				return b.formatCell(kind, attribute(e, "s"), value.String())
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
		if value == "1" {
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
	if at, err := strconv.Atoi(style); err == nil && at >= 0 && at < len(b.dateStyles) && (b.dateStyles[at] != dateStyle{}) {
		return b.formatDateTime(n, b.dateStyles[at]), nil
	}
	return string(appendFloat(nil, n, 64)), nil // Excel writes 0.1 as 0.10000000000000001
}

// formatDateTime formats a number of days as a date, a time or both, according to style.
// It formats a number that cannot be a date as a number.
func (b *workbook) formatDateTime(days float64, style dateStyle) string {
	const year9999 = 2_958_466
	if !(days >= 0 && days < year9999) {
		return string(appendFloat(nil, days, 64))
	}
	whole, part := math.Modf(days)
	millis := math.Round(part * 86_400_000)
	t := b.epoch.AddDate(0, 0, int(whole)).Add(time.Duration(millis) * time.Millisecond)
	switch {
	case style.hasDate && (style.hasTime || millis != 0):
		return t.Format("2006-01-02 15:04:05.999")
	case style.hasDate:
		return t.Format(time.DateOnly)
	}
	if days >= 1 && whole > 0 { // elapsed time of more than a day
		return string(appendFloat(nil, days, 64))
	}
	return t.Format("15:04:05.999")
}
