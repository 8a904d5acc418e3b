package csvfile

import (
	"strings"
	"testing"
)

// TestFindDelimiter finds the delimiter of files, some of which have decimal commas and no header.
func TestFindDelimiter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows string
		want byte
	}{
		"commas":                   {"a,b,c\n1,2,x\n3,4,y\n", ','},
		"one_column":               {"a\nx\ny\n", ','},
		"tabs_beside_commas":       {"a\tb, c\n1\t2\n", '\t'},
		"decimal_commas":           {strings.Repeat("5,1;3,5;1,4;0,2;setosa\n", 9), ';'},
		"only_decimal_commas":      {strings.Repeat("5,1;3,5;1,4\n", 9), ';'},
		"decimal_commas_and_tabs":  {strings.Repeat("5,1\t3,5\t1,4\n", 9), '\t'},
		"decimal_commas_in_quotes": {strings.Repeat("\"5,1\";\"3,5\";b\n", 9), ';'},
		"a_list_in_each_row":       {strings.Repeat("1,2,3,4;5\n", 9), ','},
		"texts_with_semicolons":    {strings.Repeat("1,2,x;y\n", 9), ','},
		"row_names":                {"a\tb\n" + strings.Repeat("r\t1\t2\n", 9), '\t'},
		"quoted_row_names":         {"\"a\";\"b\"\n" + strings.Repeat("\"r\";1,5;2\n", 9), ';'},
		"a_column_of_lists":        {"a\n" + strings.Repeat("x;y\n", 9), ','},
		"a_header":                 {"a,b\n" + strings.Repeat("1,4;5\n", 9), ','},
	} {
		if got := FindDelimiter([]byte(c.rows), false); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
