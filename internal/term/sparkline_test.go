package term

import (
	"strings"
	"testing"
)

func TestBars(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts []int
		width  int
		want   string
		ascii  string
	}{
		{"one_each", []int{8, 0, 1, 4}, 8, "█ ▂▅", "@ :+"},
		{"neighbours_share", []int{1, 1, 0, 0, 2, 6}, 3, "▃ █", "- @"},
		{"whatever_counts_is_seen", []int{1_000_000, 1}, 2, "█▁", "@."},
		{"nothing", nil, 8, "", ""},
		{"nothing_but_zeros", []int{0, 0}, 8, "  ", "  "},
	} {
		t.Run(c.name, func(t *testing.T) {
			for unicode, want := range map[bool]string{true: c.want, false: c.ascii} {
				console := &Console{Unicode: unicode}
				if got := console.Histogram(c.counts, c.width); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
}

func TestLocale(t *testing.T) {
	for setting, want := range map[string]bool{
		"": true, "LANG=C": false, "LANG=de_DE.UTF-8": true, "LC_ALL=C LANG=de_DE.UTF-8": false,
		"LC_CTYPE=C.utf8 LANG=C": true, "TERM=dumb LANG=C.UTF-8": false, "LANG=de_DE@euro": false,
	} {
		env := func(name string) string {
			for one := range strings.FieldsSeq(setting) {
				if value, ok := strings.CutPrefix(one, name+"="); ok {
					return value
				}
			}
			return ""
		}
		if got := supportsUnicode(env); got != want {
			t.Errorf("%s: %v", setting, got)
		}
	}
}
