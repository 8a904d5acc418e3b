package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
)

func TestSimilarClasses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		classes []string
		similar bool
	}{
		"case":                 {[]string{"Yes", "yes"}, true},
		"spaces":               {[]string{"yes", "yes "}, true},
		"forms_of_a_number":    {[]string{"1", "1.0"}, true},
		"long_numbers":         {[]string{"9007199254740992", "9007199254740993"}, false},
		"negative_zero":        {[]string{"0", "-0"}, true},
		"composed_characters":  {[]string{"caf\u00e9", "cafe\u0301"}, true},
		"different_characters": {[]string{"caf\u00e9", "cafe"}, false},
	} {
		var text strings.Builder
		text.WriteString("id,x,label\n")
		for i := range 60 {
			fmt.Fprintf(&text, "r%d,%d,%s\n", i, i, c.classes[i%2])
		}
		p := scanText(t, text.String(), ScanOptions{})
		similar := slices.ContainsFunc(p.Warnings, func(w csvfile.Warning) bool { return w.Code == csvfile.CodeSimilarClasses })
		if similar != c.similar {
			t.Errorf("%s: similar is %v, want %v: %+v", name, similar, c.similar, p.Warnings)
		}
	}
}
