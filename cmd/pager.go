package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"

	"foretell/internal/term"
)

// pager returns the command for text longer than the terminal; "" if none is set, if the
// terminal cannot redraw, or in CI.
func (o *output) pager() (string, error) {
	if !o.host.console.OutTerminal || o.host.env("CI") != "" || o.host.env("TERM") == "dumb" {
		return "", nil
	}
	s, err := o.host.settings(o.cmd.Flags())
	if err != nil {
		return "", err
	}
	pager := cmp.Or(s.GetString(keyPager), o.host.env("PAGER"))
	if pager == "cat" {
		return "", nil
	}
	return pager, nil
}

// writeAligned prints a table on the terminal; if pages is set, through the pager if
// necessary.
func (o *output) writeAligned(t *term.Table, pages bool) error {
	c := o.host.console
	var text bytes.Buffer
	if err := t.WriteAligned(&text, c.OutWidth(), c.OutStyle); err != nil {
		return err
	}
	if !pages {
		_, err := text.WriteTo(c.Out)
		return err
	}
	return o.writePaged(&text)
}

// writePaged prints text on the terminal, through the pager if it is too long.
func (o *output) writePaged(text *bytes.Buffer) error {
	c := o.host.console
	pager, err := o.pager()
	if err != nil {
		return err
	}
	if height := c.OutHeight(); pager == "" || height == 0 || bytes.Count(text.Bytes(), []byte("\n")) < height {
		_, err := text.WriteTo(c.Out)
		return err
	}
	return o.host.runPager(pager, text.Bytes())
}

// runPager shows text in the pager and waits until the user quits it. Ctrl-C goes to the
// pager. If it cannot be started, the text is printed.
func (f *factory) runPager(pager string, text []byte) error {
	shell := []string{"sh", "-c", pager}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", pager}
	}
	// The pager outlives the command's context: the user ends it.
	command := exec.CommandContext(context.Background(), shell[0], shell[1:]...)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(text), f.streams[1], f.streams[2]
	command.Env = os.Environ()
	if f.env("LESS") == "" {
		command.Env = append(command.Env, "LESS=FRX") // colours, and nothing that stays on the screen
	}
	f.pagerRunning.Store(true)
	err := command.Run()
	f.pagerRunning.Store(false)
	const notExecutable, notFound = 126, 127 // of sh
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) && exit.ExitCode() != notExecutable && exit.ExitCode() != notFound {
		return nil // how the user leaves a pager is no failure
	}
	f.note("cannot start the pager %q: %v", pager, err)
	_, err = f.console.Out.Write(text)
	return err
}
