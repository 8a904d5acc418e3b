package tablefile

import (
	"strings"
	"testing"
)

// TestSkipRows reads tables below lines or rows that do not belong to them. The other lines keep
// their numbers. want is the table, or else fault is the message of the error.
func TestSkipRows(t *testing.T) {
	rows := `<row r="1"><c r="A1" t="str"><v>Sales</v></c></row><row r="3"><c r="A3" t="str"><v>in EUR</v></c></row>` +
		`<row r="4"><c r="A4" t="str"><v>id</v></c><c r="B4" t="str"><v>x</v></c></row><row r="5"><c r="A5"><v>1</v></c><c r="B5"><v>2</v></c></row>`
	for name, c := range map[string]struct {
		content, want string
		skip          int
		fault         string
	}{
		"lf":          {"Sales; 2024\n\nid,x\n1,2\n", "\n\nid,x\n1,2\n", 2, ""},
		"crlf":        {"Sales\r\n\r\nid,x\r\n1,2\r\n", "\n\nid,x\r\n1,2\r\n", 2, ""},
		"cr":          {"Sales\r\rid,x\r1,2\r", "\n\nid,x\r1,2\r", 2, ""},
		"bom":         {"\uFEFFSales\nid,x\n1,2\n", "\nid,x\n1,2\n", 1, ""},
		"none":        {"id,x\n1,2\n", "id,x\n1,2\n", 0, ""},
		"all":         {"id,x\n1,2\n", "", 2, "--skip-rows 2 leaves no row: the last row of the file is row 2"},
		"no_line_end": {"id,x\n1,2", "", 3, "--skip-rows 3 leaves no row: the last row of the file is row 2"},
		"empty":       {"", "", 3, ""},
		"spaces":      {"Sales\nid x z\n1 2 3\n4 5 6\n", "id,x,z\n1,2,3\n4,5,6\n", 1, ""},
		"sheet":       {xlsx(t, "Data", rows), "id,x\n1,2\n", 3, ""},
		"sheet_empty": {xlsx(t, "Data", rows), "", 9, "--skip-rows 9 leaves no row: the last row of the file is row 5"},
		"json_lines":  {"{\"id\":1}\n{\"id\":2}\n", "id\n1\n2\n", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			table := openText(t, c.content, Options{SkipRows: c.skip})
			got, err := text(t, table)
			fault := ""
			if err != nil {
				fault = err.Error()
			}
			if got != c.want || !strings.HasSuffix(fault, c.fault) || (fault == "") != (c.fault == "") {
				t.Errorf("got %q, %v; want %q, %s", got, err, c.want, c.fault)
			}
			if _, line := table.SourceLine(2); name == "sheet" && line != 5 {
				t.Errorf("the row is in row %d of the sheet, not 5", line)
			}
		})
	}
}
