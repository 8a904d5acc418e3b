package term

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"a word and averylongword at the end": "a word and|averylongword|at the end",
		"type `foretell datasets list` now":   "type|`foretell datasets list`|now",
		"the ` of a key":                      "the ` of a|key",
		"two  sp":                             "two  sp",
		"表と列の名前 is wide":                      "表と列の名前|is wide",
	} {
		if got := strings.Join(Wrap(text, 10), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestReflow(t *testing.T) {
	const page = `A paragraph that was wrapped at some other width
than this.

  foretell run a-file-with-a-long-name.csv

Short:
  name        what it means to whom
  a-long-name-of-something  what it means to whom
A last one says.
`
	const want = `A paragraph that was wrapped at some
other width than this.

  foretell run a-file-with-a-long-name.csv

Short:
  name        what it means to whom
  a-long-name-of-something
      what it means to whom
A last one says.
`
	if got := Reflow(page, 40); got != want {
		t.Errorf("%s", got)
	}
	for line := range strings.Lines(Reflow(page, 30)) {
		if n := len(strings.TrimRight(line, "\n")); n > 30 && !strings.Contains(line, "foretell run") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if got := Reflow(page, 200); got != page {
		t.Errorf("a page that fits became %s", got)
	}
}
