package csvfile

import "testing"

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
