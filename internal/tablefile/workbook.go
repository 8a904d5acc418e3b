package tablefile

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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
	maxSheetText   = 256 << 20     // largest size of the shared strings in bytes
	maxPartBytes   = 8 << 30       // largest unpacked size of a part in bytes
	maxSheetColumn = 16_384        // largest number of columns of a sheet, which is the limit of Excel
	maxSheetRow    = 1_048_576     // largest number of a row, which is the limit of Excel
	maxToken       = maxFieldBytes // largest size of a text, a tag or a comment in bytes
)

// workbook is an Excel workbook (Office Open XML, ECMA-376).
type workbook struct {
	ctx           context.Context
	archive       *zip.Reader
	mainPart      string            // usually xl/workbook.xml
	parts         map[string]string // the names of the parts that sheets share: styles and sharedStrings
	sheets        []workbookSheet
	sharedStrings []string
	cellStyles    []cellStyle // the styles by index, which is the attribute s of a cell
	epoch         time.Time   // the date of day 0; in the date system of 1900, it is valid only for days from 60 on
}

type workbookSheet struct {
	name, part string
	hidden     bool
}

// cellStyle describes how the number in a cell is displayed. The zero value is a plain number.
type cellStyle struct {
	hasDate, hasTime bool // the number is displayed as a date, as a time of day, or as both
	isElapsed        bool // the number is displayed as an elapsed time, such as 37:30 in the format [h]:mm
	isPercent        bool
}

// convertWorkbook converts one sheet to CSV. Locations are rows and columns of the sheet. mainPart is
// the result of findMainPart.
func (f *sourceFile) convertWorkbook(ctx context.Context, archive *zip.Reader, mainPart string, opts Options) error {
	b := &workbook{ctx: ctx, archive: archive, mainPart: mainPart}
	return f.convert(ctx, opts, func(w *limitedTempCSV) error {
		if err := b.readSharedParts(); err != nil {
			return damagedWorkbookError(err)
		}
		f.otherSheet = csvfile.ClosestName(opts.Sheet, b.visibleNames())
		sheet, err := b.chooseSheet(opts.Sheet)
		if err != nil {
			return err
		}
		if opts.Sheet == "" {
			f.otherSheet = b.otherSheetThan(sheet)
		}
		f.format = "Excel, sheet " + strconv.Quote(sheet.name)
		source := &sheetReader{workbook: b, out: w, skipRows: opts.SkipRows}
		if err := source.writeRows(sheet.part); err != nil {
			return damagedWorkbookError(err)
		}
		if source.width == 0 && source.row > 0 && source.row <= opts.SkipRows {
			return skippedTableError(opts.SkipRows, source.row)
		}
		if source.width == 0 && len(b.sheets) > 1 {
			return &csvfile.Defect{Code: CodeSheets, Message: fmt.Sprintf("the sheet %q is empty; the sheets are %s", sheet.name, b.sheetNames())}
		}
		if len(b.sheets) > 1 && opts.Sheet == "" {
			f.warn(csvfile.Warning{Code: CodeSheets, Message: fmt.Sprintf("the workbook has %d sheets (%s), but only the sheet %q is read", len(b.sheets), b.sheetNames(), sheet.name)})
		}
		if source.row > source.written && source.width > 0 {
			f.warnBlankRows(source.row - source.written)
		}
		f.warnings = append(f.warnings, source.warnings()...)
		return nil
	})
}

// findMainPart returns the name of the main part of a workbook, or "" if the archive is not a
// workbook. If the part is not at its usual place, findMainPart reads its name from the
// relationships of the archive. Other Office documents also name a main part there, so its name
// must begin with workbook.
func findMainPart(ctx context.Context, archive *zip.Reader) string {
	b := &workbook{ctx: ctx, archive: archive}
	const usual = "xl/workbook.xml"
	if slices.ContainsFunc(archive.File, func(entry *zip.File) bool { return entry.Name == usual }) {
		return usual
	}
	found := ""
	_ = b.forEachElement("_rels/.rels", func(_ *sheetDecoder, e xml.StartElement) error { // a damaged part names no workbook
		target := strings.TrimPrefix(attribute(e, "Target"), "/")
		if path.Base(attribute(e, "Type")) == "officeDocument" && isWorkbookName(path.Base(target)) && b.findPart(target) != nil {
			found = target
		}
		return nil
	})
	return found
}

// isWorkbookName reports whether a file name is the name of the main part of a workbook. It is
// usually workbook.xml, but some programs write workbook2.xml.
func isWorkbookName(name string) bool {
	return strings.HasPrefix(name, "workbook") && path.Ext(name) == ".xml"
}

// visibleNames returns the names of the sheets that are not hidden.
func (b *workbook) visibleNames() []string {
	var names []string
	for i := range b.sheets {
		if !b.sheets[i].hidden {
			names = append(names, b.sheets[i].name)
		}
	}
	return names
}

// otherSheetThan returns the name of the first visible sheet other than sheet, or "".
func (b *workbook) otherSheetThan(sheet workbookSheet) string {
	for _, name := range b.visibleNames() {
		if name != sheet.name {
			return name
		}
	}
	return ""
}

// chooseSheet returns the sheet with the given name. If name is "", it returns the first visible
// sheet or, if all sheets are hidden, the first.
func (b *workbook) chooseSheet(name string) (workbookSheet, error) {
	at := slices.IndexFunc(b.sheets, func(s workbookSheet) bool { return s.name == name || name == "" && !s.hidden })
	switch {
	case at < 0 && name != "":
		return workbookSheet{}, &csvfile.Defect{Code: CodeSheets, Message: fmt.Sprintf("there is no sheet %q%s; the sheets are %s", name, csvfile.DidYouMean(name, b.visibleNames()), b.sheetNames())}
	case at < 0:
		at = 0
	}
	return b.sheets[at], nil
}

// sheetNames lists the names of the sheets in quotes.
func (b *workbook) sheetNames() string {
	var names []string
	for _, sheet := range b.sheets {
		names = append(names, strconv.Quote(sheet.name))
	}
	return humanize.List(names, 5)
}

// damagedWorkbookError converts an error in the archive or the XML to a defect. It returns a
// defect or an error of the context unchanged.
func damagedWorkbookError(err error) error {
	var defect *csvfile.Defect
	if err == nil || errors.As(err, &defect) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &csvfile.Defect{Code: CodeInvalidFile, Message: fmt.Sprintf("the workbook is damaged or cut off (%v)", err)}
}

// findPart returns the named part of the archive, or nil if it is missing.
func (b *workbook) findPart(name string) *zip.File {
	at := slices.IndexFunc(b.archive.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, name) })
	if at < 0 {
		return nil
	}
	return b.archive.File[at]
}

// forEachElement decodes the named part of the archive and calls visit with the start tag
// of every element. If visit returns an error, it stops and returns this error. If the part
// is missing, it does nothing.
func (b *workbook) forEachElement(name string, visit func(d *sheetDecoder, e xml.StartElement) error) error {
	part := b.findPart(name)
	if part == nil {
		return nil
	}
	src, err := part.Open()
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

// readSharedParts reads the list of sheets, and what all sheets share: the date system, the cell
// styles and the shared strings.
func (b *workbook) readSharedParts() error {
	b.epoch = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	type sheet struct {
		name, id string
		hidden   bool
	}
	var sheets []sheet
	err := b.forEachElement(b.mainPart, func(_ *sheetDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "sheet":
			sheets = append(sheets, sheet{attribute(e, "name"), attribute(e, "id"), strings.HasSuffix(strings.ToLower(attribute(e, "state")), "hidden")})
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
	targets, err := b.readRelationships()
	if err != nil {
		return err
	}
	for _, s := range sheets {
		if target, ok := targets[s.id]; ok { // chart sheets have no target
			b.sheets = append(b.sheets, workbookSheet{s.name, target, s.hidden})
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

// readRelationships reads the relationships of the main part. It sets b.parts, the names of the parts
// that all sheets share, such as the styles. It returns the names of the parts of sheets by their
// relationship IDs.
func (b *workbook) readRelationships() (sheets map[string]string, err error) {
	folder, name := path.Split(b.mainPart)
	sheets = map[string]string{}
	b.parts = map[string]string{"styles": folder + "styles.xml", "sharedStrings": folder + "sharedStrings.xml"}
	err = b.forEachElement(folder+"_rels/"+name+".rels", func(_ *sheetDecoder, e xml.StartElement) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		target := attribute(e, "Target")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(folder, target)
		}
		target = strings.TrimPrefix(target, "/")
		switch kind := path.Base(attribute(e, "Type")); kind {
		case "worksheet":
			sheets[attribute(e, "Id")] = target
		case "styles", "sharedStrings":
			if b.findPart(target) != nil {
				b.parts[kind] = target
			}
		}
		return nil
	})
	return sheets, err
}

// readStyles determines how the cell styles display numbers.
func (b *workbook) readStyles() error {
	custom := map[string]cellStyle{}
	inCells := false
	return b.forEachElement(b.parts["styles"], func(_ *sheetDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			custom[attribute(e, "numFmtId")] = parseCellStyle(attribute(e, "formatCode"))
		case "cellXfs":
			inCells = true
		case "cellStyles", "cellStyleXfs":
			inCells = false
		case "xf":
			if inCells {
				id := attribute(e, "numFmtId")
				style, ok := custom[id]
				if n, _ := strconv.Atoi(id); !ok {
					style = builtInStyle(n)
				}
				b.cellStyles = append(b.cellStyles, style)
			}
		}
		return nil
	})
}

// builtInStyle returns the style of a number format that every workbook has. id is the format's ID,
// such as 14 for a date.
func builtInStyle(id int) cellStyle {
	const elapsed = 46 // [h]:mm:ss
	return cellStyle{
		hasDate:   id >= 14 && id <= 17 || id == 22 || id >= 27 && id <= 36 || id >= 50 && id <= 58,
		hasTime:   id >= 18 && id <= 22 || id >= 45 && id <= 47 && id != elapsed,
		isElapsed: id == elapsed,
		isPercent: id == 9 || id == 10,
	}
}

// parseCellStyle returns the style of a number format code, such as yyyy-mm-dd or 0.00%.
func parseCellStyle(code string) cellStyle {
	var style cellStyle
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
			inside := strings.ToLower(code[from+1 : min(i, len(code))])
			style.isElapsed = style.isElapsed || inside != "" && strings.Trim(inside, inside[:1]) == "" && strings.Contains("hms", inside[:1])
		case '%':
			style.isPercent = true
		default:
			letters.WriteByte(code[i])
		}
	}
	if style.isElapsed {
		return cellStyle{isElapsed: true}
	}
	text := strings.ToLower(letters.String())
	style.hasTime = strings.ContainsAny(text, "hs")
	style.hasDate = strings.ContainsAny(text, "yd") || !style.hasTime && strings.Contains(text, "m")
	return style
}

func (b *workbook) readSharedStrings() error {
	size := 0
	return b.forEachElement(b.parts["sharedStrings"], func(d *sheetDecoder, e xml.StartElement) error {
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
