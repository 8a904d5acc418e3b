package tablefile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestCellStyles reads numbers that a sheet displays as percentages, elapsed times and dates.
func TestCellStyles(t *testing.T) {
	const (
		date, dateTime, clock                = 1, 2, 3
		percent, percent2, redPercent, quote = 5, 6, 7, 8
		hours, minutes, seconds, builtIn     = 9, 10, 11, 12
	)
	var rows, want strings.Builder
	rows.WriteString(`<row r="1"><c r="A1" t="str"><v>id</v></c><c r="B1" t="str"><v>x</v></c></row>`)
	want.WriteString("id,x\n")
	for i, c := range []struct {
		style       int
		value, want string
	}{
		{percent, "0.47", "47%"},
		{percent2, "0.07", "7%"}, // 0.07 * 100 is 7.000000000000001
		{percent, "0.28999999999999998", "29%"},
		{redPercent, "-0.1234", "-12.34%"},
		{percent, "1", "100%"},
		{percent, "0", "0%"},
		{percent, "1.2345678901234567E-17", "0.000000000000001%"},
		{quote, "47", "47"},
		{hours, "0.3125", "7.5"},
		{hours, "1.5625", "37.5"},
		{minutes, "2", "48"},
		{seconds, "0.25", "6"},
		{builtIn, "1.0416666666666667", "25"},
		{clock, "0.75", "18:00:00"},
		{clock, "45351.75", "18:00:00"},
		{date, "1", "1900-01-01"},
		{date, "59", "1900-02-28"},
		{date, "61", "1900-03-01"},
		{dateTime, "31.5", "1900-01-31 12:00:00"},
		{date, "45351", "2024-02-29"},
	} {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%[1]d"><v>%[1]d</v></c><c r="B%[1]d" s="%d"><v>%s</v></c></row>`, i+2, c.style, c.value)
		fmt.Fprintf(&want, "%d,%s\n", i+2, c.want)
	}
	table := openText(t, xlsx(t, "Data", rows.String()), Options{})
	got, err := text(t, table)
	if err != nil || got != want.String() {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want.String())
	}
	const warning = `the column "x" has 6 percentages and 6 other numbers; cells with a percent format are read as percentages, such as 47%, and other cells as their value, such as 0.47`
	if list := table.Warnings(); len(list) != 1 || list[0].Code != CodeMixedPercentages || list[0].Message != warning {
		t.Errorf("warnings %q", list)
	}
	b := &workbook{epoch: time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)}
	if got := b.formatDateTime(1, cellStyle{hasDate: true}); got != "1904-01-02" {
		t.Errorf("day 1 of the system of 1904 is %s", got)
	}
}

// TestBlankRowsOfSheet checks that rows without a value above the last row with one are rows of the
// table, also if the file does not store them. Those above the header and at the end are left out.
func TestBlankRowsOfSheet(t *testing.T) {
	row := func(n int, cells ...string) string {
		text := fmt.Sprintf(`<row r="%d">`, n)
		for i, cell := range cells {
			text += fmt.Sprintf(`<c r="%c%d" t="str"><v>%s</v></c>`, 'A'+i, n, cell)
		}
		return text + "</row>"
	}
	for name, c := range map[string]struct {
		rows, want, warning string
		opts                Options
	}{
		"stored":           {row(1, "id", "x") + row(2, "1", "2") + row(3) + row(4, "", "") + row(5, "3"), "id,x\n1,2\n,\n,\n3,\n", "", Options{}},
		"not_stored":       {row(1, "id", "x") + row(2, "1", "2") + row(5, "3"), "id,x\n1,2\n,\n,\n3,\n", "", Options{}},
		"below_the_header": {row(1, "id", "x") + row(3, "1", "2"), "id,x\n,\n1,2\n", "", Options{}},
		"above_the_header": {row(2) + row(4, "id", "x") + row(5, "1", "2"), "id,x\n1,2\n", "", Options{}},
		"skipped":          {row(1, "title") + row(4, "id", "x") + row(5, "1", "2"), "id,x\n1,2\n", "", Options{SkipRows: 1}},
		"one_column":       {row(1, "id") + row(3, "1"), "id\n\"\"\n1\n", "", Options{}},
		"at_the_end":       {row(1, "id", "x") + row(2, "1", "2") + row(3, "", "") + row(4), "id,x\n1,2\n", "left out 2 rows of empty cells at the end of the file", Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			table := openText(t, xlsx(t, "Data", c.rows), c.opts)
			if got, err := text(t, table); err != nil || got != c.want {
				t.Errorf("read as %q, %v; want %q", got, err, c.want)
			}
			if w := table.Warnings(); len(w) > 0 != (c.warning != "") || len(w) > 1 || len(w) == 1 && (w[0].Code != CodeBlankRows || w[0].Message != c.warning) {
				t.Errorf("warnings %v, want %q", w, c.warning)
			}
		})
	}
	_, err := text(t, openText(t, xlsx(t, "Data", row(1, "id")+row(2_000_000_000, "1")), Options{}))
	if err == nil || !strings.Contains(err.Error(), "the sheet has a row 2000000000; the last possible row is 1048576") {
		t.Errorf("a row with a number that is too large: %v", err)
	}
}

// TestLongIntegers checks that integers are read exactly, even those that no float64 has.
func TestLongIntegers(t *testing.T) {
	const longInt = "9007199254740993" // 2^53 + 1
	var rows, want strings.Builder
	rows.WriteString(`<row r="1"><c r="A1" t="str"><v>id</v></c></row>`)
	want.WriteString("id\n")
	for i, value := range []string{longInt, "-" + longInt, "1234567890123456789", "18446744073709551617", "123456789012345"} {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%[1]d"><v>%s</v></c></row>`, i+2, value)
		want.WriteString(value + "\n")
	}
	got, err := text(t, openText(t, xlsx(t, "Data", rows.String()), Options{}))
	if err != nil || got != want.String() {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want.String())
	}
}

// TestWorkbookAtRoot reads a workbook whose parts are at the root of the archive, as some programs
// write it. Only the relationships show which parts the main part and the shared texts are.
func TestWorkbookAtRoot(t *testing.T) {
	for _, name := range []string{"workbook.xml", "workbook2.xml"} {
		t.Run(name, func(t *testing.T) { testWorkbookAtRoot(t, name) })
	}
}

// testWorkbookAtRoot reads a workbook whose main part has the given name.
func testWorkbookAtRoot(t *testing.T, mainPart string) {
	t.Helper()
	const kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	book := zipped(t,
		"_rels/.rels", `<Relationships><Relationship Id="r1" Type="`+kind+`officeDocument" Target="`+mainPart+`"/></Relationships>`,
		mainPart, `<workbook><sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"_rels/"+mainPart+".rels", `<Relationships><Relationship Id="r1" Type="`+kind+`worksheet" Target="sheet1.xml"/>`+
			`<Relationship Id="r2" Type="`+kind+`sharedStrings" Target="/texts.xml"/></Relationships>`,
		"sheet1.xml", `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" s="1"><v>45351</v></c></row></sheetData></worksheet>`,
		"styles.xml", `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		"texts.xml", `<sst><si><t>id</t></si></sst>`)
	table := openText(t, book, Options{})
	if got, err := text(t, table); err != nil || got != "id\n2024-02-29\n" || table.Description() != `Excel, sheet "Data"` {
		t.Errorf("read as %s, %v:\n%s", table.Description(), err, got)
	}
}

// TestUncalculatedBoolean reads a boolean formula without a stored value, which is not false.
func TestUncalculatedBoolean(t *testing.T) {
	rows := `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>a</t></is></c></row>` +
		`<row r="2"><c r="A2"><v>1</v></c><c r="B2" t="b"><f>1=1</f></c></row>` +
		`<row r="3"><c r="A3"><v>2</v></c><c r="B3" t="b"><v>0</v></c></row>`
	table := openText(t, xlsx(t, "Data", rows), Options{})
	if got, err := text(t, table); err != nil || got != "id,a\n1,\n2,false\n" {
		t.Errorf("%v:\n%s", err, got)
	}
	if w := table.Warnings(); len(w) != 1 || w[0].Code != CodeUncalculated {
		t.Errorf("got %v", w)
	}
}

// TestUnescape reads escaped control characters, and a text that looks like one.
func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{"a_x000A_b": "a\nb", "_x005F_x000D_": "_x000D_", "_x005F_": "_", "a_b": "a_b"} {
		if got := unescape(in); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
}

// TestPercentagesInSeveralColumns expects one warning for all columns that have percentages and other
// numbers. A column without a name has the name under which it is read.
func TestPercentagesInSeveralColumns(t *testing.T) {
	rows := `<row r="1"><c r="A1" t="str"><v>x</v></c><c r="B1" t="str"><v></v></c><c r="C1" t="str"><v>y</v></c></row>` +
		`<row r="2"><c r="A2" s="5"><v>0.5</v></c><c r="B2" s="5"><v>0.5</v></c><c r="C2"><v>1</v></c></row>` +
		`<row r="3"><c r="A3"><v>0.5</v></c><c r="B3"><v>0.5</v></c><c r="C3"><v>2</v></c></row>`
	const want = `2 columns ("x", "column_2") have 2 percentages and 2 other numbers; cells with a percent format are read as percentages, such as 47%, and other cells as their value, such as 0.47`
	table := openText(t, xlsx(t, "Data", rows), Options{})
	got, err := text(t, table)
	if list := table.Warnings(); err != nil || len(list) != 1 || list[0].Message != want {
		t.Errorf("warnings %q, %v in\n%s", list, err, got)
	}
}
