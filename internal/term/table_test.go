package term

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() *Table {
	cells := func(texts ...string) []Cell {
		row := make([]Cell, len(texts))
		for i, text := range texts {
			row[i] = Cell{Text: text}
		}
		return row
	}
	t := &Table{Header: cells("datasetKey", "name", "rows"), Right: []bool{false, false, true}}
	t.Header[0].Display = "key"
	t.Rows = [][]Cell{cells("0123456789abcdef", "été 世界", "12"), cells("fedcba9876543210", "a\tb\x1b[31m", "1200000")}
	for i := range t.Rows {
		t.Rows[i][0].Short = t.Rows[i][0].Text[:4]
	}
	return t
}

func TestTable(t *testing.T) {
	tests := []struct {
		name  string
		write func(*Table, *strings.Builder) error
		want  string
	}{
		{
			"tsv_has_full_values_a_row_a_line", func(t *Table, b *strings.Builder) error { return t.WriteTSV(b) },
			"datasetKey\tname\trows\n0123456789abcdef\tété 世界\t12\nfedcba9876543210\ta\\tb\\x1b[31m\t1200000\n",
		},
		{
			"csv_has_raw_values", func(t *Table, b *strings.Builder) error { return t.WriteCSV(b) },
			"datasetKey,name,rows\n0123456789abcdef,été 世界,12\nfedcba9876543210,a\tb\x1b[31m,1200000\n",
		},
		{
			"csv_for_spreadsheets_has_no_formulas", func(t *Table, b *strings.Builder) error {
				t.Rows[0][1].Text = `=HYPERLINK("http://example.com")`
				t.EscapeTexts(EscapeForSpreadsheet)
				return t.WriteCSV(b)
			},
			"datasetKey,name,rows\n0123456789abcdef,\"'=HYPERLINK(\"\"http://example.com\"\")\",12\nfedcba9876543210,a\\tb\\x1b[31m,1200000\n",
		},
		{
			"aligned_by_display_width", func(t *Table, b *strings.Builder) error { return t.WriteAligned(b, 80, false) },
			"key               name             rows\n0123456789abcdef  été 世界           12\nfedcba9876543210  a\\tb\\x1b[31m  1200000\n",
		},
		{
			"a_narrow_terminal_shortens_keys_first", func(t *Table, b *strings.Builder) error { return t.WriteAligned(b, 30, false) },
			"key   name             rows\n0123  été 世界           12\nfedc  a\\tb\\x1b[31m  1200000\n",
		},
		{
			"and_then_cuts_the_widest", func(t *Table, b *strings.Builder) error {
				t.Rows[0][1].Text = "customers of last year"
				return t.WriteAligned(b, 30, false)
			},
			"key   name                rows\n0123  customers of l…       12\nfedc  a\\tb\\x1b[31m     1200000\n",
		},
		{
			"what_still_does_not_fit_is_a_block_of_its_own", func(t *Table, b *strings.Builder) error { return t.WriteAligned(b, 22, true) },
			"\x1b[1mkey\x1b[0m   \x1b[1mname\x1b[0m\n0123  été 世界\nfedc  a\\tb\\x1b[31m\n\n" +
				"\x1b[1mkey\x1b[0m      \x1b[1mrows\x1b[0m\n0123       12\nfedc  1200000\n",
		},
		{
			"a_block_repeats_the_name_of_a_row", func(t *Table, b *strings.Builder) error {
				t.Key, t.Rows[0][1].Text, t.Rows[1][1].Text = 1, "customers of last year", "b"
				for i := range t.Rows {
					t.Rows[i][0].Text, t.Rows[i][0].Short = "0123456789abcdef"[i:], ""
				}
				return t.WriteAligned(b, 20, false)
			},
			"key       name\n0123456…  customers…\n1234567…  b\n\nname           rows\ncustomers…       12\nb           1200000\n",
		},
		{
			"a_whole_one_wraps_its_last_column", func(t *Table, b *strings.Builder) error {
				t.NoTruncate, t.Rows, t.Header, t.Right = true, [][]Cell{
					{{Text: "data"}, {Text: "a/path/that/is/longer/than/that can be written"}},
					{{Text: "sign-in"}, {Text: "none needed: the embedded service", Style: Style(true).Dim}},
				}, nil, nil
				return t.WriteAligned(b, 36, true)
			},
			"data\n  a/path/that/is/longer/than/that\n  can be written\n" +
				"sign-in  \x1b[2mnone needed: the embedded\x1b[0m\n         \x1b[2mservice\x1b[0m\n",
		},
		{
			"without_a_header", func(t *Table, b *strings.Builder) error { t.Header = nil; return t.WriteTSV(b) },
			"0123456789abcdef\tété 世界\t12\nfedcba9876543210\ta\\tb\\x1b[31m\t1200000\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			if err := test.write(sample(), &b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain été": "plain été", "a\nb\r\t": `a\nb\r\t`, "\x1b[2J\x7f": `\x1b[2J\x7f`, "\u009b2J": `\u009b2J`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
	doc, err := EncodeJSONLine(map[string]string{"a": "<\u009b\x7f&"})
	if want := "{\"a\":\"<\\u009b\\u007f&\"}\n"; err != nil || string(doc) != want {
		t.Errorf("%v: %q, want %q", err, doc, want)
	}
}
