package tablefile

import (
	"strings"
	"testing"
)

// TestTrailingDelimiters checks that the header becomes as long as the rows if only one of them
// ends with delimiters. A file in which the rows have a value there is not changed.
func TestTrailingDelimiters(t *testing.T) {
	many := strings.Repeat("1,2,\n", 60)
	for name, c := range map[string]struct{ in, want string }{
		"only rows":               {"a,b\n1,2,\n3,4,\n", "a,b,\n1,2,\n3,4,\n"},
		"only the header":         {"a,b,,\n1,2\n3,4\n", "a,b\n1,2\n3,4\n"},
		"only rows, semicolons":   {"\uFEFFa;b\r\n1;2,5;;\r\n", "\uFEFFa;b;;\r\n1;2,5;;\r\n"},
		"only rows, tabs":         {"\n\na\tb\n1\t2\t\n", "\n\na\tb\t\n1\t2\t\n"},
		"only rows, line breaks":  {"\"a\nx\",b\n\"1\n1\",2,\n", "\"a\nx\",b,\n\"1\n1\",2,\n"},
		"both":                    {"a,b,\n1,2,\n", "a,b,\n1,2,\n"},
		"a value after the rows":  {"a,b\n1,2,\n3,4,5\n", "a,b\n1,2,\n3,4,5\n"},
		"a value in a later row":  {"a,b\n" + many + "3,4,5\n", "a,b\n" + many + "3,4,5\n"},
		"a shorter row":           {"a,b,\n1,2\n3\n", "a,b,\n1,2\n3\n"},
		"rows without the last":   {"a,b,c\n1,2\n3,4\n", "a,b,c\n1,2\n3,4\n"},
		"a header without a name": {"a,b,\"\"\n1,2\n", "a,b,\"\"\n1,2\n"},
		"no rows":                 {"a,b,\n", "a,b,\n"},
	} {
		t.Run(name, func(t *testing.T) {
			table := openText(t, c.in, Options{})
			for range 2 {
				if got, err := text(t, table); err != nil || got != c.want {
					t.Fatalf("read as %q, %v", got, err)
				}
			}
			if w := table.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %v", w)
			}
		})
	}
}

// TestBlankRowsAtTheEnd checks that rows of empty cells at the end of a file are left out, with one
// warning, and that all other text is kept.
func TestBlankRowsAtTheEnd(t *testing.T) {
	for in, c := range map[string]struct{ want, warning string }{
		"a,b\n1,2\n,\n":                {"a,b\n1,2\n", "left out 1 row of empty cells at the end of the file"},
		"a;b\r\n1;\r\n;\r\n\r\n;\r\n;": {"a;b\r\n1;\r\n", "left out 3 rows of empty cells at the end of the file"},
		"a,b\r1,2\r,\r":                {"a,b\r1,2\r", "left out 1 row of empty cells at the end of the file"},
		"a,b\n,\n1,2\n":                {"a,b\n,\n1,2\n", ""},
		"a,b\n1,\n\n\n":                {"a,b\n1,\n\n\n", ""},
		"a,b\n1,\"\n,\n,\"\n":          {"a,b\n1,\"\n,\n,\"\n", ""},
		",\n,\n":                       {",\n,\n", ""},
		"a,b\n,":                       {"a,b\n", "left out 1 row of empty cells at the end of the file"},
		"a,b\n1,2\n" + strings.Repeat(",\n", 200_000): {"a,b\n1,2\n", "left out 200,000 rows of empty cells at the end of the file"},
	} {
		table := openText(t, in, Options{})
		for range 2 {
			if got, err := text(t, table); err != nil || got != c.want {
				t.Fatalf("%.40q is read as %q, %v", in, got, err)
			}
		}
		if w := table.Warnings(); len(w) > 0 != (c.warning != "") || len(w) > 1 || len(w) == 1 && w[0].Message != c.warning {
			t.Errorf("%.40q: warnings %v", in, w)
		}
	}
}
