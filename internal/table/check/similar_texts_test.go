package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// TestSimilarTexts checks the warning about categories that differ only in case.
func TestSimilarTexts(t *testing.T) {
	t.Parallel()
	const want = `in 40 rows (33 %), the cell is a text that differs from a more frequent text only in case or spaces, such as "male" instead of "Male"`
	const mixed = `in 40 rows (33 %), the cell is a boolean that more rows write in another way, such as "1" instead of "True"`
	for name, c := range map[string]struct {
		texts string
		blind bool
		want  string
	}{
		"case":             {"Male male Male", false, want},
		"other_texts":      {"Male male Male men MEN Female", false, want},
		"blind":            {"Male male Male", true, ""},
		"booleans":         {"Yes yes Yes no", false, `in 30 rows (25 %), the cell is a boolean that more rows write in another way, such as "yes" instead of "Yes"`},
		"codes":            {"N F N", false, ""},
		"other_words":      {"Male Females Mal", false, ""},
		"rare":             {strings.Repeat("Male Female ", 59) + "Male male", false, ""},
		"not_a_number":     {"1 2 3", false, ""},
		"mixed_booleans":   {"True False True 1 False 0", false, mixed},
		"numbers_0_1":      {"1 0", false, ""},
		"true_false":       {"True False", false, ""},
		"words_and_grades": {"yes no 1 2 3 4 5", false, ""},
	} {
		texts, file := strings.Fields(c.texts), "id,sex,y\n"
		for i := range 120 {
			file += fmt.Sprintf("r%d,%s,%d\n", i, texts[i%len(texts)], i%2)
		}
		got := ""
		for _, w := range scanText(t, file, profile.ScanOptions{Blind: c.blind}).Warnings {
			if w.Code == csvfile.CodeSimilarTexts {
				got += w.Message
			}
		}
		if got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestSimilarTextsOfManyColumns merges the warnings about several columns.
func TestSimilarTextsOfManyColumns(t *testing.T) {
	t.Parallel()
	file := "id,a,b,c,d,y\n"
	for i := range 120 {
		word := []string{"Red", "red", "blue"}[i%3]
		file += fmt.Sprintf("r%d,%s,%s%d,%s%d,%s%d,%d\n", i, word, word, i%2, word, i%4, word, i%5, i/60)
	}
	warnings := scanText(t, file, profile.ScanOptions{}).Warnings
	if at := slices.IndexFunc(warnings, func(w csvfile.Warning) bool { return w.Code == csvfile.CodeSimilarTexts }); at < 0 || warnings[at].Count != 4 {
		t.Errorf("%+v", warnings)
	}
}
