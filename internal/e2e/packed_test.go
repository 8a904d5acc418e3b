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

// packed is the script command `packed SRC DST`. It writes the table of the CSV file SRC to
// DST, in the format of its ending: .parquet, .xlsx or .zip. Empty cells become missing
// values.
func packed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: packed SRC DST")
	}
	in := encodingcsv.NewReader(strings.NewReader(ts.ReadFile(args[0])))
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	ts.Check(err)
	var out bytes.Buffer
	switch filepath.Ext(args[1]) {
	case ".parquet":
		err = writeParquet(&out, rows)
	case ".xlsx":
		err = writeWorkbook(&out, rows)
	default:
		err = writeZIP(&out, map[string]string{args[0]: ts.ReadFile(args[0])})
	}
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o644))
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

func writeWorkbook(out *bytes.Buffer, rows [][]string) error {
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
	return writeZIP(out, map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="Data" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/one.xml"/></Relationships>`,
		"xl/worksheets/one.xml":      "<worksheet><sheetData>" + sheet.String() + "</sheetData></worksheet>",
	})
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
