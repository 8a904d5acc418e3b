package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"foretell/internal/config"
	"foretell/internal/term"
)

// pagerCommand returns the command that shows long text. It returns "" if no pager is set, in CI,
// or if standard output is not a terminal that can be redrawn.
func (o *Output) pagerCommand() (string, error) {
	if !o.Factory.Console.OutTerminal || o.Factory.Env("CI") != "" || o.Factory.Env("TERM") == "dumb" {
		return "", nil
	}
	s, err := config.Load(o.Factory.Env, o.Cmd.Flags())
	if err != nil {
		return "", err
	}
	pager := cmp.Or(s.GetString(config.KeyPager), o.Factory.Env("PAGER"))
	if pager == "cat" {
		return "", nil
	}
	return pager, nil
}

// writeAligned prints a table on the terminal. If usePager is set and the table is too long,
// it is shown in the pager.
func (o *Output) writeAligned(t *term.Table, usePager bool) error {
	c := o.Factory.Console
	var text bytes.Buffer
	if err := t.WriteAligned(&text, c.OutWidth(), c.OutStyle); err != nil {
		return err
	}
	if !usePager {
		_, err := text.WriteTo(c.Out)
		return err
	}
	return o.WritePaged(&text)
}

// WritePaged prints text on the terminal, or shows it in the pager if it is too long.
func (o *Output) WritePaged(text *bytes.Buffer) error {
	c := o.Factory.Console
	pager, err := o.pagerCommand()
	if err != nil {
		return err
	}
	if height := c.OutHeight(); pager == "" || height == 0 || bytes.Count(text.Bytes(), []byte("\n")) < height {
		_, err := text.WriteTo(c.Out)
		return err
	}
	return o.Factory.runPager(o.Cmd.Context(), pager, text.Bytes())
}

// pagerStopDelay is how long a pager may take to end after a signal.
const pagerStopDelay = time.Second

// runPager shows text in the pager and waits until the user quits it. Only the pager handles
// Ctrl-C. Another signal, which cancels ctx, ends the pager. If the pager cannot be started, the
// text is printed.
func (f *Factory) runPager(ctx context.Context, pager string, text []byte) error {
	shell := []string{"sh", "-c", pager}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", pager}
	}
	command := exec.CommandContext(ctx, shell[0], shell[1:]...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) } // the pager restores the terminal
	command.WaitDelay = pagerStopDelay
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(text), f.Streams[1], f.Streams[2]
	command.Env = f.Environ()
	if f.Env("LESS") == "" {
		command.Env = append(command.Env, "LESS=FRX") // quit if the text fits the screen, keep colours, do not clear the screen
	}
	f.PagerRunning.Store(true)
	err := command.Run()
	f.PagerRunning.Store(false)
	const notExecutable, notFound = 126, 127 // exit statuses of sh
	var exitErr *exec.ExitError
	// Another exit status of the pager does not matter.
	failed := err != nil && (!errors.As(err, &exitErr) || exitErr.ExitCode() == notExecutable || exitErr.ExitCode() == notFound)
	if failed && ctx.Err() == nil {
		f.Note("cannot start the pager %q: %v", pager, err)
		_, err := f.Console.Out.Write(text)
		return err
	}
	return nil
}
