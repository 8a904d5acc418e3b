package e2e_test

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"foretell/internal/exit"
)

// TestPager checks that a list uses the pager only if it is longer than the terminal.
func TestPager(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	s := newStage(t)
	for _, name := range []string{"shop", "cars", "vans", "bikes"} {
		if got := s.pipe(t, "", "datasets", "create", name); got.exit != exit.OK {
			t.Fatal(got.stderr)
		}
	}
	const pager = "PAGER=sed 's/^/paged /'"
	for _, c := range []struct {
		name, args string
		rows       uint16
		env        []string
		pages      bool
		says       string
	}{
		{"longer_than_the_terminal", "datasets list", 4, []string{pager}, true, "bikes"},
		{"our_variable_is_stronger", "datasets list", 4, []string{"PAGER=cat", "FORETELL_" + pager}, true, "bikes"},
		{"shorter_than_the_terminal", "datasets list", 40, []string{pager}, false, "bikes"},
		{"in_ci", "datasets list", 4, []string{pager, "CI=true"}, false, "bikes"},
		{"on_a_dumb_terminal", "datasets list", 4, []string{pager, "TERM=dumb"}, false, "bikes"},
		{"no_list", "status", 4, []string{pager}, false, "embedded"},
		{"cat_is_none", "datasets list", 4, []string{"PAGER=cat"}, false, "bikes"},
		{"one_that_is_not_there", "datasets list", 4, []string{"PAGER=no-such-pager"}, false, "cannot start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newTerminal(t)
			if err := unix.IoctlSetWinsize(int(p.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: c.rows, Col: 120}); err != nil {
				t.Fatal(err)
			}
			command := s.command(strings.Fields(c.args)...)
			command.Env = append(command.Env, c.env...)
			command.Stdin, command.Stdout, command.Stderr = p.slave, p.slave, p.slave
			p.start(t, command)
			exitErr, shown := p.finish(t, command)
			if exitErr != exit.OK || strings.Contains(shown, "paged ") != c.pages || !strings.Contains(shown, c.says) {
				t.Errorf("exit %d: %q", exitErr, shown)
			}
		})
	}
}
