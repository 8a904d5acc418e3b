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
	const n = 300_000
	for part, want := range map[string]int{"'a,": n, "' ": 1, "'a\",\"b": n + 1, "[,": 0, "'    x": 1} {
		items := 0
		cells.VisitItems([]byte(strings.Repeat(part, n)), ',', func([]byte) { items++ })
		if items != want {
			t.Errorf("%q, repeated: %d items, want %d", part, items, want)
		}
	}
}
