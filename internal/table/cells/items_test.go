package cells_test

import (
	"strings"
	"testing"

	"foretell/internal/table/cells"
)

func TestVisitItems(t *testing.T) {
	for _, c := range []struct {
		cell      string
		separator byte
		want      string // the items, with / between them
	}{
		{"C++;SQL; C# ", ';', "C++/SQL/C#"},
		{"Drama|Comedy", '|', "Drama/Comedy"},
		{"a, b,, c,", ',', "a/b/c"},
		{`["a", "b, c"]`, ',', "a/b, c"},
		{"['it''s', \"it's\"]", ',', "it''s/it's"},
		{"{a,b}", ',', "a/b"},
		{"[a],[b]", ',', "a/b"},
		{"[a, [[b, c]]", ',', "a/b/c"},
		{"a[1], {b", ',', "a[1]/b"},
		{"'70s, 'n roll", ',', "'70s/'n roll"},
		{`"a" or b;c`, ';', `"a" or b/c`},
		{`" a " ; ""`, ';', "a"},
		{"one", ';', "one"},
		{"[]", ',', ""},
		{"[", ',', ""},
		{" ; ", ';', ""},
		{"", ';', ""},
	} {
		var got []string
		cells.VisitItems([]byte(c.cell), c.separator, func(item []byte) { got = append(got, string(item)) })
		if strings.Join(got, "/") != c.want {
			t.Errorf("%q: %q, want %q", c.cell, got, c.want)
		}
	}
}

// TestItemsOfHostileCells does not end in time if the time to split a cell is quadratic in its length.
func TestItemsOfHostileCells(t *testing.T) {
	for _, part := range []string{"'a,", "' ", "'a\",\"b", "[,", "'    x"} {
		items := 0
		cells.VisitItems([]byte(strings.Repeat(part, 300_000)), ',', func([]byte) { items++ })
		if items == 0 {
			t.Errorf("%q, repeated: no items", part)
		}
	}
}
