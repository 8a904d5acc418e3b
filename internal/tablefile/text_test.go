package tablefile

import (
	"strings"
	"testing"
)

// TestTextThatIsNoCSV checks that tables with columns separated by spaces, and tables below a title
// line, are converted to CSV. Files that only look like such tables are not changed.
func TestTextThatIsNoCSV(t *testing.T) {
	const title = "4,2,no,yes\n"
	wide := strings.TrimSpace(strings.Repeat("0.123456 ", 8000)) + "\n" // two lines exceed headSize
	rows := "5.1,3.5,0\n4.9,3.0,1\n4.7,3.2,1\n4.6,3.1,0\n"
	for name, c := range map[string]struct{ in, want, form, warning string }{
		"columns in line":         {"a  b    class\nA_1   0.49  cp\nAC_2  0.07  im\n", "a,b,class\nA_1,0.49,cp\nAC_2,0.07,im\n", formatSpaced, ""},
		"spaces, a tab, quotes":   {"18.0   8\t\"a b\"\n15.0   8\t\"c\"\n\n 16.0  4\t\"d, e\"\n", "18.0,8,a b\n15.0,8,c\n16.0,4,\"d, e\"\n", formatSpaced, ""},
		"wide":                    {strings.Repeat(wide, 4), strings.Repeat(strings.ReplaceAll(wide, " ", ","), 4), formatSpaced, ""},
		"row names without one":   {"x y\nr1 1 2\nr2 3 4\n", ",x,y\nr1,1,2\nr2,3,4\n", formatSpaced, ""},
		"sentences":               {"the text\nsome words here\nmore words than there\nand few\n", "the text\nsome words here\nmore words than there\nand few\n", "", ""},
		"quotes; spaces":          {"\"a\"; \"b\"\n\"1\"; \"x\"\n\"2\"; \"y\"\n", "\"a\"; \"b\"\n\"1\"; \"x\"\n\"2\"; \"y\"\n", "", ""},
		"spaces |quotes":          {"\"a\" |\"b\" |\"c\"\n1 |2 |\"x\"\n3 |4 |\"y\"\n", "\"a\" |\"b\" |\"c\"\n1 |2 |\"x\"\n3 |4 |\"y\"\n", "", ""},
		"a sign in one line":      {"a x class\n1 | y\n2 - z\n", "a,x,class\n1,|,y\n2,-,z\n", formatSpaced, ""},
		"words between commas":    {"a b c,d\ne f g,h\ni j k,l\n", "a b c,d\ne f g,h\ni j k,l\n", "", ""},
		"names after a tab":       {"id\tclass\n1\tred ash\n2\tred fir\n", "id\tclass\n1\tred ash\n2\tred fir\n", "", ""},
		"names before a tab":      {"full name\tclass\nAnn Lee\ta\nBob  Ray\tb\n", "full name\tclass\nAnn Lee\ta\nBob  Ray\tb\n", "", ""},
		"times before a tab":      {"time\tclass\n2024-01-01 04:15\ta\n2024-01-02 18:15\tb\n", "time\tclass\n2024-01-01 04:15\ta\n2024-01-02 18:15\tb\n", "", ""},
		"aligned, a tab":          {"a b\tclass\n18  8\tx\n15  8\ty\n", "a,b,class\n18,8,x\n15,8,y\n", formatSpaced, ""},
		"a title line":            {title + rows, rows, formatTitled, "the first line, \"4,2,no,yes\", contains the numbers"},
		"a header of two numbers": {"4,2,no\n" + rows, "4,2,no\n" + rows, "", ""},
		"another class":           {title + rows + "1,2,2\n", title + rows + "1,2,2\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			table := openText(t, c.in, Options{})
			got, err := text(t, table)
			if err != nil || got != c.want || table.Description() != c.form {
				t.Errorf("read as %q, %v:\n%s", table.Description(), err, got)
			}
			if w := table.Warnings(); len(w) > 0 != (c.warning != "") || len(w) > 0 && !strings.HasPrefix(w[0].Message, c.warning) {
				t.Errorf("warnings: %v", w)
			}
			if _, line, _ := table.Locate(2, 1); c.form == formatTitled && line != 3 {
				t.Errorf("line 2 is line %d of the file", line)
			}
		})
	}
}

// TestSeparatorLine checks that a first line such as sep=; is omitted, but its line end kept.
func TestSeparatorLine(t *testing.T) {
	const rows = "id;a;class\n1;2;x\n"
	for in, want := range map[string]string{
		"sep=;\n" + rows:                  "\n" + rows,
		"\uFEFFSEP=;\r\n" + rows:          "\r\n" + rows,
		"\"sep=;\"\n" + rows:              "\n" + rows,
		"sep=\t\nid\ta\tclass\n1\t2\tx\n": "\nid\ta\tclass\n1\t2\tx\n",
		"sep=;":                           "sep=;",
		"sep=;a\n" + rows:                 "sep=;a\n" + rows,
		"sep=a\n" + rows:                  "sep=a\n" + rows,
		"\uFEFFid;a\n1;2\n":               "\uFEFFid;a\n1;2\n",
		"":                                "",
	} {
		if got, err := text(t, openText(t, in, Options{})); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", in, got, err)
		}
	}
	utf16 := "\xFF\xFE"
	for _, char := range "sep=;\n" + rows {
		utf16 += string([]byte{byte(char), 0})
	}
	if got, err := text(t, openText(t, utf16, Options{})); err != nil || got != "\n"+rows {
		t.Errorf("UTF-16 is read as %q, %v", got, err)
	}
}
