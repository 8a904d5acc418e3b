package term

import "testing"

// TestCommand checks that a pasted command does not read an argument as a flag.
func TestCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags string
		args  []string
		want  string
	}{
		{"", []string{"shop"}, "foretell models diff shop"},
		{"--json", []string{"shop@v1", "it's@v2"}, `foretell models diff shop@v1 'it'\''s@v2' --json`},
		{"", []string{"shop", "-shop"}, "foretell models diff -- shop -shop"},
		{"--json", []string{"-ü"}, "foretell models diff --json -- '-ü'"},
		{"", []string{"tab\there's \\", "a\u202eb\x1b1\n"}, `foretell models diff $'tab\there\'s \\' $'a\342\200\256b\0331\n'`},
	} {
		if got := Command("models diff", c.flags, c.args...); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestIndexUnquoted finds a backquote after arguments that contain backquotes.
func TestIndexUnquoted(t *testing.T) {
	for _, arg := range []string{"plain", "a`b", "it's `x`", "a\t`b\\'`", `\`, "$'`"} {
		command := "foretell check " + ShellQuote(arg)
		if got := IndexUnquoted(command+"` or `", "`"); got != len(command) {
			t.Errorf("%s: got %d, want %d", command, got, len(command))
		}
	}
	if got := IndexUnquoted("'open", "n"); got != -1 {
		t.Errorf("got %d", got)
	}
}
