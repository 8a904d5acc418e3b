package cells_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
)

func TestWordFeatures(t *testing.T) {
	for text, want := range map[string]string{
		"Don't STOP, stop!":          "dont stop stop",
		"C85 3rd b2b 2006":           "c 85 3 rd b2b 2006",
		"Grüße ÉTÉ":                  "grüße été",
		"日本 abc":                     "日 本 abc",
		"3f2504e0-4f89-11d3-9a0c-03": "",
		"  ":                         "",
	} {
		var got []string
		new(cells.Tokenizer).Tokenize([]byte(text), func(word []byte) { got = append(got, string(word)) })
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}
