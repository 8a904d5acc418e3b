package modelfile

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"os"
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
	want := predictionsOf(t, program, plain)
	for name, c := range map[string]struct {
		file   []byte
		header string // the columns after those of the plain file
	}{
		"utf16_with_mark":   {toUTF16("\ufeff"+string(plain), binary.LittleEndian), ",prediction,"},
		"utf16_big_endian":  {toUTF16(string(plain), binary.BigEndian), ",prediction,"},
		"equal_names":       {[]byte(more.String()), ",note,note_2,column_7,prediction,"},
		"separator_line":    {[]byte("sep=;\r\n" + more.String()), ",note,note_2,column_7,prediction,"},
		"little_endian_sep": {toUTF16("sep=;\r\n"+more.String(), binary.LittleEndian), ",note,note_2,column_7,prediction,"},
	} {
		t.Run(name, func(t *testing.T) {
			got := predictionsOf(t, program, c.file)
			if header := strings.Join(rows[0], ",") + c.header; !strings.HasPrefix(got[0], header) {
				t.Errorf("the header is %s, want %s…", got[0], header)
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
