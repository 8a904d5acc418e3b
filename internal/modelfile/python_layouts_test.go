package modelfile

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestPythonReadsOtherLayouts checks that the program reads blind files in UTF-16, with a separator
// line, and with columns that have no name or the name of another column.
func TestPythonReadsOtherLayouts(t *testing.T) {
	t.Parallel()
	program := writePython(t, goldenFolder+"blend.model")
	plain, err := os.ReadFile(goldenFolder + "blind.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(plain)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var more strings.Builder // with the columns note, note and two without a name; the second is empty
	for i, row := range rows {
		cells := []string{"note", "note", "", ""}
		if i > 0 {
			cells = []string{"1", "2", "3", ""}
		}
		more.WriteString(strings.Join(append(row, cells...), ";") + "\r\n")
	}
	indexed := func(header string, columns ...int) []byte { // the first column has the numbers of the rows
		lines := []string{header}
		for i, row := range rows[1:] {
			cells := []string{strconv.Itoa(i)}
			for _, at := range columns {
				cells = append(cells, append(row, "")[at])
			}
			lines = append(lines, strings.Join(cells, ","))
		}
		return []byte(strings.Join(lines, "\n"))
	}
	trailing := func(delimiter, header, row string) []byte { // delimiters at the end of the header or of the rows
		head, body, _ := strings.Cut(strings.ReplaceAll(string(plain), ",", delimiter), "\n")
		return []byte(head + header + "\n" + strings.ReplaceAll(body, "\n", row+"\n"))
	}
	aligned := func(header string) []byte { // columns separated by spaces and a tab, with empty and blank cells in quotes
		lines := []string{header, ""}
		for _, row := range rows[1:] {
			lines = append(lines, fmt.Sprintf("  %-6s \t%6q %q  %q", row[0], row[1], row[2], row[3]))
		}
		return []byte(strings.Join(lines, "\r\n"))
	}
	spaced := strings.Replace(string(plain), "id,size,colour,", "id, size\t, colour ,", 1)
	want := predictionsOf(t, program, plain)
	for name, c := range map[string]struct {
		file   []byte
		header string // the first columns of the result
	}{
		"utf16_with_mark":   {toUTF16("\ufeff"+string(plain), binary.LittleEndian), "id,size,colour,weight,prediction,"},
		"utf16_big_endian":  {toUTF16(string(plain), binary.BigEndian), "id,size,colour,weight,prediction,"},
		"equal_names":       {[]byte(more.String()), "id,size,colour,weight,note,note_2,column_7,prediction,"},
		"separator_line":    {[]byte("sep=;\r\n" + more.String()), "id,size,colour,weight,note,note_2,column_7,prediction,"},
		"little_endian_sep": {toUTF16("sep=;\r\n"+more.String(), binary.LittleEndian), "id,size,colour,weight,note,note_2,column_7,prediction,"},
		"blank_rows_at_end": {[]byte(strings.TrimSpace(string(plain)) + "\n,,,\n,,\n\n,,,\n"), "id,size,colour,weight,prediction,"},
		"spaces_in_header":  {[]byte(spaced), "id, size\t, colour ,weight,prediction,"}, // an unchanged header keeps its spaces
		"spaces_and_delim":  {[]byte(strings.ReplaceAll(spaced, ",", ";")), "id,size,colour,weight,prediction,"},
		"header_ends_comma": {trailing(",", ",,", ""), "id,size,colour,weight,prediction,"},
		"header_ends_pipe":  {trailing("|", "|", ""), "id,size,colour,weight,prediction,"},
		"rows_end_comma":    {trailing(",", "", ",,"), "id,size,colour,weight,prediction,"},
		"rows_end_tab":      {trailing("\t", "", "\t"), "id,size,colour,weight,prediction,"},
		"index_is_id":       {indexed(",size,colour,weight,class", 1, 2, 3, 4), ",size,colour,weight,class,prediction,"},
		"index_and_more":    {indexed(",size,colour,weight,class,size.1", 1, 2, 3, 4, 1), ",size,colour,weight,class,size.1,prediction,"},
		"aligned":           {aligned("id size colour weight"), "id,size,colour,weight,prediction,"},
		"aligned_row_names": {aligned(`"size" "colour" "weight"`), ",size,colour,weight,prediction,"}, // as R writes them
		"index_is_no_id":    {indexed(",id,size,colour,weight,class", 0, 1, 2, 3, 4), "id,column_1,size,colour,weight,class,prediction,"},
	} {
		t.Run(name, func(t *testing.T) {
			got := predictionsOf(t, program, c.file)
			if !strings.HasPrefix(got[0], c.header) {
				t.Errorf("the header is %s, want %s…", got[0], c.header)
			}
			for i := 1; i < len(want); i++ {
				if tail := want[i][strings.LastIndex(want[i], ","):]; len(got) != len(want) || !strings.HasSuffix(got[i], tail) {
					t.Fatalf("%d lines, row %d is %s; want %d lines, row %s", len(got), i, got[min(i, len(got)-1)], len(want), want[i])
				}
			}
		})
	}
}

// predictionsOf returns the lines that the program prints for a blind file.
func predictionsOf(t *testing.T, program string, blind []byte) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(string(runPython(t, program, blind, program, "-"))), "\n")
}

// toUTF16 encodes a text as UTF-16.
func toUTF16(text string, order binary.AppendByteOrder) []byte {
	var encoded []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		encoded = order.AppendUint16(encoded, unit)
	}
	return encoded
}
