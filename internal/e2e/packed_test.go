package e2e_test

import (
	"archive/zip"
	"bytes"
	encodingcsv "encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"
)

// packed is the script command `packed SRC... DST`. It writes the table of the CSV file SRC to
// DST, in the format of its ending: .parquet, .xlsx or .zip. Empty cells become missing
// values. If there are several SRC, DST is a workbook with a sheet for each.
func packed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: packed SRC... DST")
	}
	sources, to := args[:len(args)-1], args[len(args)-1]
	var tables [][][]string
	for _, source := range sources {
		in := encodingcsv.NewReader(strings.NewReader(ts.ReadFile(source)))
		in.FieldsPerRecord = -1
		rows, err := in.ReadAll()
		ts.Check(err)
		tables = append(tables, rows)
	}
	var out bytes.Buffer
	var err error
	switch filepath.Ext(to) {
	case ".parquet":
		err = writeParquet(&out, tables[0])
	case ".xlsx":
		err = writeWorkbook(&out, tables)
	default:
		err = writeZIP(&out, map[string]string{sources[0]: ts.ReadFile(sources[0])})
	}
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(to), out.Bytes(), 0o644))
}

func writeParquet(out *bytes.Buffer, rows [][]string) error {
	// A Parquet group sorts its columns by name, so the tables of the scripts have their
	// columns in this order.
	group := parquet.Group{}
	for _, name := range rows[0] {
		group[name] = parquet.Optional(parquet.String())
	}
	schema := parquet.NewSchema("table", group)
	w := parquet.NewGenericWriter[map[string]string](out, schema)
	columns := schema.Columns()
	for _, row := range rows[1:] {
		var values parquet.Row
		for at, path := range columns {
			for i, name := range rows[0] {
				if name != path[0] {
					continue
				}
				if row[i] == "" {
					values = append(values, parquet.NullValue().Level(0, 0, at))
				} else {
					values = append(values, parquet.ByteArrayValue([]byte(row[i])).Level(0, 1, at))
				}
			}
		}
		if _, err := w.WriteRows([]parquet.Row{values}); err != nil {
			return err
		}
	}
	return w.Close()
}

// writeWorkbook writes a workbook with a sheet for each table. The sheets are Data, Data2, Data3 and so on.
func writeWorkbook(out *bytes.Buffer, tables [][][]string) error {
	var sheets, relations strings.Builder
	members := map[string]string{}
	for i, rows := range tables {
		name := "Data"
		if i > 0 {
			name = fmt.Sprintf("Data%d", i+1)
		}
		fmt.Fprintf(&sheets, `<sheet name="%s" r:id="a%d"/>`, name, i)
		fmt.Fprintf(&relations, `<Relationship Id="a%d" Type="x/worksheet" Target="worksheets/sheet%d.xml"/>`, i, i)
		members[fmt.Sprintf("xl/worksheets/sheet%d.xml", i)] = "<worksheet><sheetData>" + sheetRows(rows) + "</sheetData></worksheet>"
	}
	members["xl/workbook.xml"] = "<workbook><sheets>" + sheets.String() + "</sheets></workbook>"
	members["xl/_rels/workbook.xml.rels"] = "<Relationships>" + relations.String() + "</Relationships>"
	return writeZIP(out, members)
}

// sheetRows returns the XML elements of the rows of a sheet.
func sheetRows(rows [][]string) string {
	var sheet strings.Builder
	for y, row := range rows {
		fmt.Fprintf(&sheet, `<row r="%d">`, y+1)
		for x, text := range row {
			if text != "" {
				fmt.Fprintf(&sheet, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+x, y+1, text)
			}
		}
		sheet.WriteString("</row>")
	}
	return sheet.String()
}

func writeZIP(out *bytes.Buffer, members map[string]string) error {
	w := zip.NewWriter(out)
	for name, content := range members {
		f, err := w.Create(name)
		if err != nil {
			return err
		}
		if _, err := f.Write([]byte(content)); err != nil {
			return err
		}
	}
	return w.Close()
}
