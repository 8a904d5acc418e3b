package tablefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
)

// openFiles writes each content to a file and opens them as one table.
func openFiles(t *testing.T, contents ...string) *Table {
	t.Helper()
	var files []File
	dir := t.TempDir()
	for i, content := range contents {
		name := string(rune('a'+i)) + ".csv"
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, File{Name: name, Path: path})
	}
	return New(files, Options{})
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want string
	}{
		{"rows_follow_one_another", []string{"id,x\n1,a\n", "id,x\n2,b\n", "id,x\n3,c\n"}, "id,x\n1,a\n2,b\n3,c\n"},
		{"a_line_end_may_be_missing", []string{"id,x\n1,a", "id,x\r\n2,b", "id,x\n3,c"}, "id,x\n1,a\n2,b\n3,c"},
		{"a_mark_and_blank_lines_before_the_header", []string{"id,x\n1,a\n", "\uFEFF\n\nid,x\n2,b\n"}, "id,x\n1,a\n2,b\n"},
		{"columns_in_another_order", []string{"id,x,y\n1,a,b\n", "y,id,x\nB,2,A\n"}, "id,x,y\n1,a,b\n2,A,B\n"},
		{"another_delimiter", []string{"id,x\n1,a\n", "id;x\n2;\"b,c\"\n"}, "id,x\n1,a\n2,\"b,c\"\n"},
		{"a_delimiter_of_the_first", []string{"id;x\n1;a\n", "id,x\n2,b;c\n"}, "id;x\n1;a\n2;\"b;c\"\n"},
		{"a_file_without_rows", []string{"id,x\n1,a\n", "id,x\n", "id,x\n2,b\n"}, "id,x\n1,a\n2,b\n"},
		{"a_header_in_quotes", []string{"id,\"x\n\"\n1,a\n", "id,x\n2,b\n"}, "id,\"x\n\"\n1,a\n2,b\n"},
		{"packed_files", []string{gzipped(t, "id,x\n1,a\n"), "id,x\n2,b\n"}, "id,x\n1,a\n2,b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := openFiles(t, c.in...)
			for range 2 {
				if got, err := text(t, table); err != nil || got != c.want {
					t.Errorf("got %q, %v", got, err)
				}
			}
		})
	}
}

// A header may be longer than the head of a file, from which its format is detected.
func TestJoinWide(t *testing.T) {
	names := "id" + strings.Repeat(",a long name of a column", 20_000)
	var header []string
	for i, name := range strings.Split(names, ",") {
		header = append(header, name+strings.Repeat("x", i%3)+string(rune('0'+i%10)))
	}
	top, row := strings.Join(header, ",")+"\n", "1"+strings.Repeat(",2", 20_000)+"\n"
	if got, err := text(t, openFiles(t, top+row, top+row)); err != nil || got != top+row+row {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestJoinPlaces(t *testing.T) {
	table := openFiles(t, "id,x\n1,\"a\nb\"\n2,c\n", "\nid,x\n3,d\n4,e\n", "x;id\nf;5\n\ng;6\n", "id,x\n7,h\n")
	got, err := text(t, table)
	if want := "id,x\n1,\"a\nb\"\n2,c\n3,d\n4,e\nf;5\n"; err == nil && len(got) < len(want) {
		t.Fatalf("got %q, %v", got, err)
	}
	for _, c := range []struct {
		line, column int
		file         string
		atLine, atCo int
	}{
		{1, 1, "a.csv", 1, 1},
		{2, 2, "a.csv", 2, 2},
		{4, 1, "a.csv", 4, 1},
		{5, 2, "b.csv", 3, 2},
		{6, 1, "b.csv", 4, 1},
		{7, 1, "c.csv", 2, 2},
		{8, 2, "c.csv", 4, 1},
		{9, 2, "d.csv", 2, 2},
		{9, 0, "d.csv", 2, 0},
	} {
		if file, line, column := table.Locate(c.line, c.column); file != c.file || line != c.atLine || column != c.atCo {
			t.Errorf("line %d, column %d is %s:%d:%d, not %s:%d:%d", c.line, c.column, file, line, column, c.file, c.atLine, c.atCo)
		}
	}
}

func TestJoinRefuses(t *testing.T) {
	for _, c := range []struct {
		name, in, code, message string
		line                    int
	}{
		{"a_missing_column", "id\n2\n", csvfile.CodeMissingColumn, "line 1 (x): this column of a.csv is missing", 1},
		{"an_extra_column", "\nid,x,y\n2,b,c\n", csvfile.CodeMissingColumn, "line 2, column 3 (y): this column is not in a.csv", 2},
		{"a_name_twice", "x,x\n2,b\n", csvfile.CodeDuplicateColumn, "line 1, column 2 (x): two columns have this name", 1},
		{"an_empty_file", "", csvfile.CodeEmptyFile, "the file is empty", 1},
		{"a_row_that_cannot_be_put_in_order", "x,id\nb,2\nc\n", csvfile.CodeRaggedRow, "line 3, column 2: expected 2 fields, got 1", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := openFiles(t, "id,x\n1,a\n", c.in)
			_, err := text(t, table)
			if r, openErr := table.OpenCSV(t.Context()); openErr == nil { // Read after an error returns the error again
				_, first := io.ReadAll(r)
				if _, again := r.Read(make([]byte, 1)); first == nil || again == nil {
					t.Errorf("got %v, then %v", first, again)
				}
				_ = r.Close()
			}
			var known *Error
			var defect *csvfile.Defect
			if !errors.As(err, &known) || known.File != "b.csv" || !errors.As(err, &defect) || defect.Code != c.code || defect.Line != c.line {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(defect.Error(), strings.TrimPrefix(c.message, "line 1 (x): ")) {
				t.Errorf("got %q", defect)
			}
		})
	}
}

// Files without a header are joined with all of their rows, and must have the same number of columns.
func TestJoinWithoutHeader(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want string
	}{
		{"first_rows_are_kept", []string{"1,a\n2,b\n", "3,c\n4,d\n", "5,e"}, "1,a\n2,b\n3,c\n4,d\n5,e"},
		{"equal_rows_are_kept", []string{"1,a\n", "1,a\n1,a\n"}, "1,a\n1,a\n1,a\n"},
		{"a_mark_and_blank_lines", []string{"1,a", "\uFEFF\n\n2,b\n"}, "1,a\n2,b\n"},
		{"another_delimiter", []string{"1,a\n", "2;b\n3;c\n"}, "1,a\n2,b\n3,c\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := openFiles(t, c.in...)
			table.SetNoHeader(true)
			if got, err := text(t, table); err != nil || got != c.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	table := openFiles(t, "1,a\n2,b\n", "\n3,c\n4,d\n", "5;e\n6;f\n")
	table.SetNoHeader(true)
	if _, err := text(t, table); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{2: "a.csv:2", 3: "b.csv:2", 4: "b.csv:3", 5: "c.csv:1", 6: "c.csv:2"} {
		file, at, _ := table.Locate(line, 0)
		if got := fmt.Sprintf("%s:%d", file, at); got != want {
			t.Errorf("line %d is %s, not %s", line, got, want)
		}
	}
	table = openFiles(t, "1,a\n", "2,b,x\n")
	table.SetNoHeader(true)
	_, err := text(t, table)
	var defect *csvfile.Defect
	if !errors.As(err, &defect) || defect.Error() != "line 1, column 3: the first row has 3 fields, but the first row of a.csv has 2: files that make one table must have the same columns" {
		t.Errorf("got %v", err)
	}
}
