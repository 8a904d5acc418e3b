package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// narrow returns the console of a terminal of 60 columns.
func narrow(t *testing.T) *term.Console {
	t.Helper()
	return consoleOf(t, "60")
}

// consoleOf returns the console of a terminal with the given columns.
func consoleOf(t *testing.T, columns string) *term.Console {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	c := term.OpenConsole(null, null, null, func(name string) string { return map[string]string{"COLUMNS": columns}[name] }, "never")
	c.OutTerminal, c.ErrTerminal = true, true
	return c
}

// tooWide returns the lines that exceed 60 columns, except commands, which must not be
// broken.
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

// TestHelpFits checks that every help page fits 60 columns if COLUMNS is 60, with the same
// text as without COLUMNS.
func TestHelpFits(t *testing.T) {
	wide, fitted := consoleOf(t, ""), narrow(t)
	wide.OutTerminal, fitted.OutTerminal = false, false // help fits COLUMNS even if it is not a terminal
	f := &cli.Factory{Console: fitted}
	root := NewRootCmd(f)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		page := func(console *term.Console) string {
			var b bytes.Buffer
			cmd.SetOut(&b)
			f.Console = console
			if err := cmd.Help(); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		pipe, terminal := page(wide), page(fitted)
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

// TestErrorsFit checks that an error is wrapped for a terminal, but that the command in its
// hint is not broken.
func TestErrorsFit(t *testing.T) {
	c := narrow(t)
	e := exit.Usagef("the dataset %q has no column of this name, nor one that begins with it\x1b[31m", "sales of the last year").
		WithHint("see `foretell datasets get 'sales of the last year' --local` for those that it has")
	show := func(terminal bool) string {
		var b bytes.Buffer
		c.Err, c.ErrTerminal = &b, terminal
		e.Write(c, false)
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
