package client

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseExtraHeaders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     http.Header // nil if the text is an error
	}{
		{"the_documented_sample", "X-Goog-Content-Length-Range:10,534773760", http.Header{"X-Goog-Content-Length-Range": {"10,534773760"}}},
		{"several_lines", "a: 1\r\nB:2\n\n a:3 ", http.Header{"A": {"1", "3"}, "B": {"2"}}},
		{"none", "", http.Header{}},
		{"an_empty_value", "X-A:", http.Header{"X-A": {""}}},
		{"no_colon", "X-A", nil},
		{"no_name", ":1", nil},
		{"a_name_with_a_space", "X A:1", nil},
		{"a_control_character", "X-A:1\x00", nil},
		{"the_token's_header", "authorization: Bearer x", nil},
		{"the_length", "Content-Length: 1", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseExtraHeaders(c.in)
			if (err == nil) != (c.want != nil) {
				t.Fatalf("got %v, %v", got, err)
			}
			if diff := cmp.Diff(c.want, got); err == nil && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzParseExtraHeaders checks that accepted headers are valid in a request, and that no line
// can add a second header.
func FuzzParseExtraHeaders(f *testing.F) {
	for _, seed := range []string{"X-Goog-Content-Length-Range:10,534773760", "a: 1\r\nB:2\n", "x:\ty\x7f", ":"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		headers, err := parseExtraHeaders(text)
		if err != nil {
			return
		}
		var written strings.Builder
		if err := headers.Write(&written); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for name, values := range headers {
			if name != http.CanonicalHeaderKey(name) {
				t.Errorf("name %q", name)
			}
			lines += len(values)
		}
		if got := strings.Count(written.String(), "\r\n"); got != lines {
			t.Errorf("%d headers in %d lines", lines, got)
		}
	})
}
