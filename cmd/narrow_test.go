package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"foretell/internal/term"
)

// narrow opens the console of a terminal of 60 columns.
func narrow(t *testing.T) *term.Console {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	c := term.Open(null, null, null, func(name string) string { return map[string]string{"COLUMNS": "60"}[name] }, "never")
	c.OutTerminal, c.ErrTerminal = true, true
	return c
}

// tooWide are the lines that do not fit 60 columns, but for those that are to be
// typed: a command that is broken cannot be copied.
func tooWide(text string) []string {
	var wide []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		typed := strings.HasPrefix(line, "  foretell ") || strings.HasPrefix(line, "\t") || !strings.Contains(strings.TrimSpace(line), " ")
		if len([]rune(line)) > 60 && !typed {
			wide = append(wide, line)
		}
	}
	return wide
}

// TestHelpFits holds every help page to a terminal of 60 columns, and to say
// the same there as in a pipe.
func TestHelpFits(t *testing.T) {
	h := &host{console: narrow(t)}
	root := newRootCmd(h)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		page := func(terminal bool) string {
			var b bytes.Buffer
			cmd.SetOut(&b)
			h.console.OutTerminal = terminal
			if err := cmd.Help(); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		pipe, terminal := page(false), page(true)
		for _, line := range tooWide(terminal) {
			t.Errorf("%s: %s", cmd.CommandPath(), line)
		}
		if here, there := strings.Fields(pipe), strings.Fields(terminal); strings.Join(here, " ") != strings.Join(there, " ") {
			t.Errorf("%s: a terminal shows another text:\n%s", cmd.CommandPath(), terminal)
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
}

// TestErrorsFit wraps an error for a terminal, and keeps the command that it
// offers whole.
func TestErrorsFit(t *testing.T) {
	c := narrow(t)
	f := usage("the dataset %q has no column of this name, nor one that begins with it\x1b[31m", "sales of the last year").
		advise("see `foretell datasets get 'sales of the last year' --local` for those that it has")
	show := func(terminal bool) string {
		var b bytes.Buffer
		c.Err, c.ErrTerminal = &b, terminal
		f.write(c, false)
		return b.String()
	}
	pipe, shown := show(false), show(true)
	if wide := tooWide(shown); wide != nil || !strings.Contains(shown, "`foretell datasets get 'sales of the last year' --local`") {
		t.Errorf("%q", shown)
	}
	if strings.Count(pipe, "\n") != 2 || strings.Join(strings.Fields(pipe), " ") != strings.Join(strings.Fields(shown), " ") {
		t.Errorf("%q in a pipe, %q on a terminal", pipe, shown)
	}
}
