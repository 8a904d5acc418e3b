package tablefile

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"foretell/internal/table/csvfile"
)

type parquetRow struct {
	ID      int64      `parquet:"id"`
	Name    *string    `parquet:"name,optional,dict"`
	Score   float64    `parquet:"score"`
	Small   float32    `parquet:"small"`
	Count   uint32     `parquet:"count"`
	Yes     bool       `parquet:"yes"`
	Price   int64      `parquet:"price,decimal(2:10)"`
	Day     int32      `parquet:"day,date"`
	When    time.Time  `parquet:"when,timestamp(microsecond)"`
	At      *time.Time `parquet:"at,optional"`
	Tags    []string   `parquet:"tags,list"`
	Address struct {
		City string `parquet:"city"`
	} `parquet:"address"`
	Picture []byte `parquet:"picture"`
	Plain   []byte `parquet:"plain"` // texts that are not marked as texts
	Index   int64  `parquet:"__index_level_0__"`
}

func parquetFile(tb testing.TB, groups ...[]parquetRow) string {
	tb.Helper()
	return parquetFileWith(tb, &parquet.Uncompressed, groups...)
}

func parquetFileWith(tb testing.TB, codec compress.Codec, groups ...[]parquetRow) string {
	tb.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[parquetRow](&out, parquet.Compression(codec))
	for _, rows := range groups {
		if _, err := w.Write(rows); err != nil {
			tb.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

func parquetRows() []parquetRow {
	name := "a,b"
	first := parquetRow{ID: 1, Name: &name, Score: 0.1, Small: 0.1, Count: 4e9, Yes: true, Price: -5, Day: 20_000, When: time.Date(2024, 2, 29, 12, 30, 0, 500_000, time.UTC), Picture: []byte{1, 0, 0xFF}, Plain: []byte("é"), Index: 7}
	first.Address.City = "Łódź"
	return []parquetRow{first, {ID: -2, Score: 1e6, Price: 12345, When: time.Date(1960, 1, 2, 0, 0, 0, 0, time.UTC)}}
}

const parquetWant = `__index_level_0__,id,name,score,small,count,yes,price,day,when,at,address.city,plain
7,1,"a,b",0.1,0.1,4000000000,true,-0.05,2024-10-04,2024-02-29 12:30:00.0005Z,,Łódź,é
0,-2,,1000000,0,0,false,123.45,1970-01-01,1960-01-02 00:00:00Z,,,
`

func TestParquet(t *testing.T) {
	rows := parquetRows()
	for name, in := range map[string]string{"Parquet": parquetFile(t, rows), "Parquet (2 row groups)": parquetFile(t, rows[:1], rows[1:]), "gzip, Parquet": gzipped(t, parquetFile(t, rows))} {
		t.Run(name, func(t *testing.T) {
			table := openText(t, in, Options{})
			for range 2 {
				if got, err := text(t, table); err != nil || got != parquetWant || table.Description() != name {
					t.Errorf("read as %s, %v:\n%s", table.Description(), err, got)
				}
			}
			if _, row, _ := table.Locate(3, 1); row != 2 {
				t.Errorf("line 3 is row %d", row)
			}
			if w := table.Warnings(); len(w) != 1 || !strings.Contains(w[0].Message, "omitted: tags.list.element, picture") {
				t.Errorf("got %v", w)
			}
		})
	}
}

// TestParquetColumnOfNulls reads a column without a value, as pandas writes it.
func TestParquetColumnOfNulls(t *testing.T) {
	type row struct {
		ID   int64  `parquet:"id"`
		None *int32 `parquet:"none,optional"`
	}
	for version := 1; version <= 2; version++ {
		var out bytes.Buffer
		if err := parquet.Write(&out, []row{{ID: 1}, {ID: 2}}, parquet.DataPageVersion(version)); err != nil {
			t.Fatal(err)
		}
		table := openText(t, withNullType(t, out.Bytes(), "none"), Options{})
		if got, err := text(t, table); err != nil || got != "id,none\n1,\n2,\n" || len(table.Warnings()) > 0 {
			t.Errorf("pages of version %d: got %q, %v, %v", version, got, err, table.Warnings())
		}
	}
}

// withNullType returns a copy of a Parquet file in which the column is one of nulls.
func withNullType(t *testing.T, file []byte, column string) string {
	t.Helper()
	opened, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	meta := opened.Metadata()
	for i := range meta.Schema {
		if meta.Schema[i].Name == column {
			meta.Schema[i].LogicalType.Value = &format.NullType{}
		}
	}
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, *meta)
	if err != nil {
		t.Fatal(err)
	}
	pages := file[:len(file)-8-int(binary.LittleEndian.Uint32(file[len(file)-8:]))]
	return string(pages) + string(footer) + string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))) + "PAR1"
}

// A CSV whose first column is called PAR1 begins like a Parquet file.
func TestColumnCalledLikeParquet(t *testing.T) {
	for _, in := range []string{"PAR1,b\n1,2\n", "PAR1\r\n1\r\n"} {
		if got, err := text(t, openText(t, in, Options{})); err != nil || got != in {
			t.Errorf("%q is read as %q, %v", in, got, err)
		}
	}
}

// The footer of a Parquet file states its own length. A file that is shorter than this must be
// rejected before the memory for the footer is allocated.
func TestParquetFooterIsBounded(t *testing.T) {
	whole := parquetFile(t, parquetRows())
	_, err := text(t, openText(t, whole[:len(whole)-8]+"\xF0\xFF\xFF\xFFPAR1", Options{}))
	if err == nil || !strings.Contains(err.Error(), "the footer of 4294967280 bytes is longer than the file") {
		t.Errorf("got %v", err)
	}
}

// The library does not read all LZ4 pages, so the error must not say that the file is damaged.
func TestParquetCompression(t *testing.T) {
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd} {
		if got, err := text(t, openText(t, parquetFileWith(t, codec, parquetRows()), Options{})); err != nil || got != parquetWant {
			t.Errorf("%s: %v:\n%s", codec, err, got)
		}
	}
	_, err := text(t, openText(t, parquetFileWith(t, &parquet.Lz4Raw, parquetRows()), Options{}))
	if want := "the compression LZ4 is not supported: write the Parquet file with Snappy or Zstandard"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// zipped returns a ZIP file. Its arguments are the name and the content of each member in
// turn.
func zipped(tb testing.TB, members ...string) string {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		f, err := w.Create(members[i])
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := f.Write([]byte(members[i+1])); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

// xlsx returns a workbook. Its arguments are the name and the XML of the rows of each
// sheet in turn.
func xlsx(tb testing.TB, sheets ...string) string {
	tb.Helper()
	var book, rels strings.Builder
	members := []string{}
	for i := 0; i < len(sheets); i += 2 {
		id := string(rune('1' + i/2))
		book.WriteString(`<sheet name="` + sheets[i] + `" sheetId="` + id + `" r:id="rId` + id + `"/>`)
		rels.WriteString(`<Relationship Id="rId` + id + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet` + id + `.xml"/>`)
		members = append(members, "xl/worksheets/sheet"+id+".xml", `<?xml version="1.0" encoding="UTF-8"?><worksheet><sheetData>`+sheets[i+1]+`</sheetData></worksheet>`)
	}
	return zipped(tb, append(members,
		"xl/workbook.xml", `<workbook><sheets>`+book.String()+`</sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships>`+rels.String()+`</Relationships>`,
		"xl/sharedStrings.xml", `<sst><si><t>id</t></si><si><r><t>Grö</t></r><r><t xml:space="preserve">ße </t></r><rPh><t>x</t></rPh></si></sst>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="0.00 &quot;days&quot;"/>`+
			`<numFmt numFmtId="166" formatCode="[Red]0.0%;-0.0%"/><numFmt numFmtId="167" formatCode="[h]:mm"/><numFmt numFmtId="168" formatCode="[mm]:ss"/>`+
			`<numFmt numFmtId="169" formatCode="0.0&quot;%&quot;"/><numFmt numFmtId="170" formatCode="[ss].000"/></numFmts>`+
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="165"/>`+
			`<xf numFmtId="9"/><xf numFmtId="10"/><xf numFmtId="166"/><xf numFmtId="169"/><xf numFmtId="167"/><xf numFmtId="168"/><xf numFmtId="170"/><xf numFmtId="46"/></cellXfs></styleSheet>`)...)
}

const sheetRows = `<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c><c r="C2" t="inlineStr"><is><t>day &amp; hour</t></is></c><c r="D2" t="str"><f>1</f><v>when</v></c></row>
<row r="3"><c r="A3"><v>1</v></c><c r="B3"><v>0.10000000000000001</v></c><c r="C3" s="1"><v>45351</v></c><c r="D3" s="2"><v>45351.5</v></c></row>
<row r="4"/>
<row r="5"><c r="A5"><v>2</v></c><c r="C5" t="b"><v>1</v></c><c r="D5" t="e"><v>#N/A</v></c></row>
<row r="6"><c r="A6"><v>3</v></c><c r="B6" s="4"><v>7</v></c><c r="D6" s="3"><v>0.75</v></c></row>`

const sheetWant = "id,\"Größe \",day & hour,when\n1,0.1,2024-02-29,2024-02-29 12:00:00\n,,,\n2,,true,\n3,7,,18:00:00\n"

func TestWorkbook(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	other := `<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>9</v></c></row>`
	table := openText(t, xlsx(t, "Data", sheetRows, "More", other), Options{})
	got, err := text(t, table)
	if err != nil || got != sheetWant || table.Description() != `Excel, sheet "Data"` {
		t.Errorf("read as %s, %v:\n%s", table.Description(), err, got)
	}
	if _, row, _ := table.Locate(4, 1); row != 5 {
		t.Errorf("line 4 is row %d", row)
	}
	if w := table.Warnings(); len(w) != 1 || w[0].Code != CodeSheets {
		t.Errorf("got %v", w)
	}
	table = openText(t, xlsx(t, "Data", sheetRows, "More", other), Options{Sheet: "More"})
	if got, err := text(t, table); err != nil || got != "id\n9\n" || len(table.Warnings()) > 0 {
		t.Errorf("got %q, %v, %v", got, err, table.Warnings())
	}
	if _, err := text(t, openText(t, xlsx(t, "Data", "", "More", other), Options{})); err == nil || !strings.HasSuffix(err.Error(), `the sheet "Data" is empty; the sheets are "Data", "More"`) {
		t.Errorf("an empty first sheet: %v", err)
	}
	table = openText(t, xlsx(t, `Lists" state="hidden`, sheetRows, "More", other), Options{})
	if got, err := text(t, table); err != nil || got != "id\n9\n" || !strings.HasSuffix(table.Warnings()[0].Message, `only the sheet "More" is read`) {
		t.Errorf("a hidden first sheet: %q, %v, %v", got, err, table.Warnings())
	}
	lost := strings.ReplaceAll(xlsx(t, "Data", sheetRows), "xl/worksheets/sheet1.xml", "xl/worksheets/sheet9.xml")
	if _, err := text(t, openText(t, lost, Options{})); err == nil || !strings.HasSuffix(err.Error(), "the workbook is damaged or cut off (the file of the sheet, xl/worksheets/sheet1.xml, is missing)") {
		t.Errorf("a sheet without its file: %v", err)
	}
	long := `<row r="1"><c r="A1" t="inlineStr"><is><t>` + strings.Repeat("x", 40<<20) + `</t></is></c></row>`
	var defect *csvfile.Defect
	if _, err := text(t, openText(t, xlsx(t, "Data", long), Options{})); !errors.As(err, &defect) || defect.Code != csvfile.CodeTooLong {
		t.Errorf("a cell of 40 MB: %v", err)
	}
	_, err = text(t, openText(t, xlsx(t, "Data", sheetRows), Options{Sheet: "None"}))
	if err == nil || !strings.Contains(err.Error(), `there is no sheet "None"; the sheets are "Data"`) {
		t.Errorf("got %v", err)
	}
}

// TestHiddenCells reads a sheet with a hidden row, and with hidden columns; only the first of them
// is in the table.
func TestHiddenCells(t *testing.T) {
	rows := `</sheetData><cols><col min="2" max="16384" hidden="1"/></cols><sheetData>` +
		`<row r="1"><c r="A1" t="str"><v>id</v></c><c r="B1" t="str"><v>x</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>` +
		`<row r="3" hidden="1"><c r="A3"><v>2</v></c></row>`
	table := openText(t, xlsx(t, "Data", rows), Options{})
	if got, err := text(t, table); err != nil || got != "id,x\n1,\n2,\n" {
		t.Errorf("got %q, %v", got, err)
	}
	const want = `the sheet has 1 hidden row and 1 hidden column ("x"); hidden cells are read like all others`
	if w := table.Warnings(); len(w) != 1 || w[0].Message != want {
		t.Errorf("got %v", w)
	}
}

// TestWorkbookWarnings checks that cells whose values a sheet does not store are reported.
func TestWorkbookWarnings(t *testing.T) {
	rows := `<row r="1"><c r="A1" t="str"><v>id</v></c><c r="B1" t="str"><v>x</v></c></row>` +
		`<row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>A2+1</f></c></row><row r="3"><c r="A3"><v>2</v></c><c r="B3"><f>A3+1</f><v></v></c></row>` +
		`<row r="4"><c r="A4"><v>3</v></c><c r="B4"><f>A4+1</f><v>4</v></c></row><row r="5"><c r="A5"><v>4</v></c><c r="B5" t="str"><f>""</f><v></v></c></row>`
	merged := `</sheetData><mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="B2:B3"/></mergeCells><sheetData>`
	table := openText(t, xlsx(t, "Data", rows+merged), Options{})
	got, err := text(t, table)
	if want := "id,x\n1,\n2,\n3,4\n4,\n"; err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	var messages []string
	for _, w := range table.Warnings() {
		messages = append(messages, w.Code+": "+w.Message)
	}
	if want := []string{
		"uncalculated-formula: the sheet has 2 formulas without a stored value (first B2); these cells are read as empty",
		"merged-cells: the sheet has 1 range of merged cells (first B2:B3); only the first cell of a range has its value, and the other cells are read as empty",
	}; !slices.Equal(messages, want) {
		t.Errorf("got %q", messages)
	}
	unread := `<row r="1"><c r="A1"><f>B9</f></c></row><row r="2"><c r="A2" t="str"><v>id</v></c><c r="B2" t="str"><v>x</v></c></row>` +
		`<row r="3"><c r="A3"><v>1</v></c><c r="B3" s="5"><v>0.47</v></c></row><row r="4"><c r="A4"><v>2</v></c><c r="B4" t="str"><v>inf</v></c></row>` +
		`<row r="5"><c r="A5"><v>3</v></c><c r="B5" t="str"><v>NaN</v></c></row>`
	table = openText(t, xlsx(t, "Data", unread), Options{SkipRows: 1})
	if got, err := text(t, table); err != nil || got != "id,x\n1,47%\n2,inf\n3,NaN\n" || len(table.Warnings()) > 0 {
		t.Errorf("a skipped formula, and texts that are not numbers: got %q, %v, %v", got, err, table.Warnings())
	}
}

func TestArchive(t *testing.T) {
	csv := "id,x\n1,a\n\n2,b\n"
	for _, c := range []struct{ name, in, want, form string }{
		{"one_file", zipped(t, "a.csv", csv), csv, "ZIP"},
		{"one_file_of_any_name", zipped(t, "iris", csv), csv, "ZIP"},
		{"one_table_beside_a_text", zipped(t, "LICENSE", "x", "__MACOSX/._a.csv", "x", "d/a.csv", csv), csv, "ZIP"},
		{"latin", zipped(t, "a.csv", "id,x\n1,caf\xE9\n"), "id,x\n1,café\n", "ZIP, Windows-1252"},
		{"json_lines", zipped(t, "a.jsonl", `{"id":1}`), "id\n1\n", "ZIP, JSON Lines"},
		{"parquet", zipped(t, "a.parquet", parquetFile(t, parquetRows())), parquetWant, "ZIP, Parquet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := openText(t, c.in, Options{})
			if got, err := text(t, table); err != nil || got != c.want || table.Description() != c.form {
				t.Errorf("got %q, read as %q, %v", got, table.Description(), err)
			}
			if _, line, _ := table.Locate(4, 1); c.form == "ZIP" && line != 4 {
				t.Errorf("line 4 is line %d", line)
			}
		})
	}
	for _, c := range []struct{ name, in, want string }{
		{"two_tables", zipped(t, "a.csv", csv, "b.csv", csv), "the ZIP file contains 2 tables, but must contain one; unpack it and choose one of a.csv, b.csv"},
		{"no_members", zipped(t), "the ZIP file is empty"},
		{"opendocument", zipped(t, "mimetype", "x", "content.xml", "x", "META-INF/manifest.xml", "x"), "this is an OpenDocument file"},
		{"no_files", zipped(t, "a/", ""), "the ZIP file is empty"},
		{"none", zipped(t, "a.png", "x", "b.png", "x"), "the ZIP file contains 0 tables"},
		{"a_zip_in_a_zip", zipped(t, "a.csv", zipped(t, "a.csv", csv)), "the ZIP file contains another ZIP file"},
		{"too_large", zipped(t, "a.csv", strings.Repeat("0", 2<<20)), "the unpacked file exceeds 1048576 bytes"},
		{"cut_off", zipped(t, "a.csv", csv)[:60], "the ZIP file is damaged or cut off"},
		{"gzip_in_gzip", gzipped(t, gzipped(t, csv)), "the file is compressed twice with gzip: unpack it once, as in gzip -dc table | foretell run -"},
		{"gzip_in_zstandard", zstandard(t, gzipped(t, csv)), "compressed twice, with gzip and then with Zstandard: unpack it once, as in zstd -dc table |"},
		{"gzip_in_gzip_in_a_zip", zipped(t, "a.csv.gz", gzipped(t, gzipped(t, csv))), "the file is compressed twice with gzip: unpack it"},
		{"tar_in_gzip", gzipped(t, "a.csv"+strings.Repeat("\x00", 252)+"ustar\x0000"), "this is a tar archive: unpack it"},
	} {
		t.Run(c.name+"_is_a_defect", func(t *testing.T) {
			_, err := text(t, openText(t, c.in, Options{MaxBytes: 1 << 20}))
			var defect *csvfile.Defect
			if !errors.As(err, &defect) || !strings.Contains(defect.Message, c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// FuzzTable checks that reading a damaged file of any format returns a defect and leaves
// no temporary files.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{
		"id,x\n1,a\n", `[{"a":1},{"b":[1,{"c":null}]}]`, "{\"a\":{\"b\":\"\\u00e9\"}}\n{\"a\":1}", gzipped(&testing.T{}, "a,b\n1,2\n"),
		parquetFile(f, parquetRows()), parquetFile(f, parquetRows())[:300], zipped(f, "a.csv", "a,b\n1,2\n"),
		xlsx(f, "Data", sheetRows), "id,x\n1,caf\xE9\n", "\xFF\xFEa\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		table := openText(t, string(in), Options{MaxBytes: 1 << 20})
		first, err := text(t, table)
		if err != nil {
			return
		}
		if again, err := text(t, table); err != nil || again != first {
			t.Errorf("got %q, then %q, %v", first, again, err)
		}
	})
}

// TestCutOff checks that a file is rejected wherever it is cut off.
func TestCutOff(t *testing.T) {
	for name, whole := range map[string]string{"parquet": parquetFile(t, parquetRows()), "xlsx": xlsx(t, "Data", sheetRows)} {
		t.Run(name, func(t *testing.T) {
			for n := 4; n < len(whole); n += 1 + len(whole)/50 {
				_, err := text(t, openText(t, whole[:n], Options{}))
				var defect *csvfile.Defect
				if !errors.As(err, &defect) || defect.Code != CodeInvalidFile {
					t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
				}
			}
		})
	}
}

// TestParquetPagesAreBounded checks that a file is rejected if a page header claims a very
// large size, before this much memory is allocated.
func TestParquetPagesAreBounded(t *testing.T) {
	type row struct {
		A int64 `parquet:"a,plain"`
	}
	for _, c := range []struct {
		name  string
		claim func(h *format.PageHeader)
		want  string
	}{
		{"bytes", func(h *format.PageHeader) { h.UncompressedPageSize = math.MaxInt32 }, "a page has 2147483647 bytes after decompression"},
		{"values", func(h *format.PageHeader) { h.DataPageHeader.V.NumValues = math.MaxInt32 }, "a page has 2147483647 values"},
		{"length", func(h *format.PageHeader) { h.CompressedPageSize = math.MaxInt32 }, "a page is longer than its column"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := parquet.Write(&out, []row{{1}, {2}}, parquet.DataPageVersion(1)); err != nil {
				t.Fatal(err)
			}
			_, err := text(t, openText(t, claimed(t, out.Bytes(), c.claim), Options{}))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// claimed returns a copy of file in which change has changed the header of the page. file is a
// Parquet file of one column and one page.
func claimed(t *testing.T, file []byte, change func(*format.PageHeader)) string {
	t.Helper()
	opened, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	meta := opened.Metadata()
	chunk := &meta.RowGroups[0].Columns[0].MetaData
	var protocol thrift.CompactProtocol
	src := bytes.NewReader(file[chunk.DataPageOffset:][:chunk.TotalCompressedSize])
	in := bufio.NewReader(src)
	var header format.PageHeader
	if err := thrift.NewDecoder(protocol.NewReader(in)).Decode(&header); err != nil {
		t.Fatal(err)
	}
	page := file[chunk.DataPageOffset:][int(src.Size())-in.Buffered() : chunk.TotalCompressedSize]
	change(&header)
	head, err := thrift.Marshal(&protocol, header)
	if err != nil {
		t.Fatal(err)
	}
	chunk.DataPageOffset, chunk.TotalCompressedSize = 4, int64(len(head)+len(page))
	footer, err := thrift.Marshal(&protocol, *meta)
	if err != nil {
		t.Fatal(err)
	}
	whole := append([]byte("PAR1"), append(head, page...)...)
	return string(append(binary.LittleEndian.AppendUint32(append(whole, footer...), uint32(len(footer))), "PAR1"...))
}
