package compare

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// TestWordsOfTexts checks that texts without the words of the training file are reported if they are far
// more than in training.
func TestWordsOfTexts(t *testing.T) {
	t.Parallel()
	file := func(rows, from, usual int, label string, word func(i int) string) string {
		var b strings.Builder
		b.WriteString("id,note" + label + "\n")
		for i := range rows {
			note := fmt.Sprintf("x%d y%d", from+i, from+2*i)
			if i%10 < usual {
				note += fmt.Sprintf(" %s %s", word(i), word(i/3))
			}
			fmt.Fprintf(&b, "r%d,%s", i, note)
			if label != "" {
				b.WriteString("," + string(rune('a'+i%2)))
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	english := func(i int) string { return []string{"late", "great", "refund", "broken", "slow"}[i%5] }
	french := func(i int) string { return []string{"retard", "bien", "remboursement"}[i%3] }
	for name, c := range map[string]struct {
		train, blind int // how many of ten texts have words of the language
		rows         int
		word         func(i int) string
		want         string // the beginning of the message
	}{
		"same_words":         {9, 9, 100, english, ""},
		"upper_case":         {9, 9, 100, func(i int) string { return strings.ToUpper(english(i)) }, ""},
		"other_words":        {9, 9, 100, french, "in 100 rows (100 %), the text contains none of the words that are features; the most frequent of these texts is "},
		"few_rows":           {9, 9, 6, french, ""},
		"few_words":          {9, 5, 100, english, ""},
		"mostly_other_texts": {4, 3, 100, english, ""},
	} {
		train := scanText(t, file(400, 0, c.train, ",y", english), profile.ScanOptions{})
		blind := scanText(t, file(c.rows, 5000, c.blind, "", c.word), profile.ScanOptions{Blind: true, ID: "id"})
		if train.Columns[0].Words == 0 {
			t.Fatalf("%s: no words are features: %+v", name, train.Columns[0])
		}
		known := profile.TrainingColumn{Name: "note", TermSampleRows: 32, TermSampleWithout: 32 - 32*c.train/10}
		for i := range train.Schema.Columns {
			if f := &train.Schema.Columns[i]; f.Feature == frame.ExtractWord {
				known.Terms = append(known.Terms, f.Word)
			}
		}
		want := c.want
		for _, findings := range [][]Finding{Profiles(train, blind), TrainingColumns([]profile.TrainingColumn{known}, blind)} {
			got := ""
			for _, f := range findings {
				got += f.Message
			}
			if !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
			want = strings.Replace(want, "none of the words that are features", "no word that the model knows", 1)
		}
	}
}
