package compare

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/profile"
)

// TestNewListsAndCodes checks that new lists, and new codes of a column that has nearly as many codes as
// rows, are usual, but not another separator of a list.
func TestNewListsAndCodes(t *testing.T) {
	file := func(separator string, from int, label string) string {
		var b strings.Builder
		b.WriteString("id,tags,code" + strings.ReplaceAll(label, "x", "y") + "\n")
		for i := range 100 {
			var tags []string
			for bit, tag := range strings.Fields("C C++ C# Go R") {
				if (from+i)%31>>bit&1 == 1 || bit == i%5 {
					tags = append(tags, tag)
				}
			}
			fmt.Fprintf(&b, "r%d,%q,%s-%05d%s\n", i, strings.Join(tags, separator), []string{"AB", "CD", "EF"}[i%3], (from+i)*7919%90_000, strings.ReplaceAll(label, "x", string(rune('a'+i%2))))
		}
		return b.String()
	}
	train := scanText(t, file(";", 0, ",x"), profile.ScanOptions{})
	for separator, want := range map[string]string{
		";": "",
		"|": `tags: the items of the lists are separated by ";" in training, but by "|" here, so they are not found`,
	} {
		var got []string
		for _, f := range Profiles(train, scanText(t, file(separator, 1000, ""), profile.ScanOptions{Blind: true, ID: "id"})) {
			got = append(got, f.Name+": "+f.Message)
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s: %q, want %q", separator, got, want)
		}
	}
}
