package csvfile

import (
	"strings"
	"testing"
)

// TestDidYouMean suggests names. A name that only differs in its Unicode normalization looks the same,
// so that both are escaped.
func TestDidYouMean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"Age", ` (did you mean "age"?)`},
		{"cafe\u0301", ` (it is written with other Unicode code points than in the file: "cafe\u0301" instead of "caf\u00e9")`},
		{"nothing alike", ""},
	} {
		if got := DidYouMean(tt.name, []string{"id", "age", "caf\u00e9"}); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// TestDidYouMeanOfLongNames checks that the time to search a suggestion is limited: comparing these
// names would take minutes.
func TestDidYouMeanOfLongNames(t *testing.T) {
	t.Parallel()
	if got := DidYouMean(strings.Repeat("ab", 100_000), []string{strings.Repeat("a", 200_000)}); got != "" {
		t.Error(got)
	}
}
