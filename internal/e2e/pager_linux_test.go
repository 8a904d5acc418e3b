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

// TestSignalWhilePaging sends SIGTERM while the pager runs. The command must end, although it leaves
// Ctrl-C to the pager.
func TestSignalWhilePaging(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := newTerminal(t)
	if err := unix.IoctlSetWinsize(int(p.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 4, Col: 120}); err != nil {
		t.Fatal(err)
	}
	command := s.command("config", "list")
	command.Env = append(command.Env, "PAGER=echo paging; exec sleep 60")
	command.Stdin, command.Stdout, command.Stderr = p.slave, p.slave, p.slave
	p.start(t, command)
	p.await(t, "paging")
	if err := command.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status, shown := p.finish(t, command); status != 128+exit.Status(unix.SIGTERM) {
		t.Errorf("exit %d: %q", status, shown)
	}
}

// TestCSVOnTerminal checks that --csv prints no control characters of the data on a terminal.
func TestCSVOnTerminal(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := newTerminal(t)
	command := s.command("config", "list", "--csv")
	command.Env = append(command.Env, "FORETELL_PAGER=a\x1b]0;title\x07\u202eb")
	command.Stdin, command.Stdout, command.Stderr = p.slave, p.slave, p.slave
	p.start(t, command)
	if status, shown := p.finish(t, command); status != exit.OK || !strings.Contains(shown, `a\x1b]0;title\x07\u202eb`) {
		t.Errorf("exit %d: %q", status, shown)
	}
}

// TestBrowserWithArguments opens a page with a BROWSER that has arguments.
func TestBrowserWithArguments(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := newTerminal(t)
	command := s.command("open")
	command.Env = append(command.Env, "BROWSER=echo opens the page")
	command.Stdin, command.Stdout, command.Stderr = p.slave, p.slave, p.slave
	p.start(t, command)
	p.await(t, "serving the dashboard")
	if err := command.Process.Signal(unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	if status, shown := p.finish(t, command); status != exit.OK || strings.Contains(shown, "cannot start a browser") {
		t.Errorf("exit %d: %q", status, shown)
	}
}
