package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	xterm "golang.org/x/term"
)

// ErrNoTerminal means that a prompt was needed without a terminal.
var ErrNoTerminal = errors.New("there is no terminal to prompt on")

// CanAsk reports whether prompting is possible: In and Err must be terminals.
func (c *Console) CanAsk() bool { return c.InTerminal && c.ErrTerminal }

// Ask prompts for a line and returns it without its end. It also returns when ctx ends.
func (c *Console) Ask(ctx context.Context, question string) (string, error) {
	if !c.CanAsk() {
		return "", ErrNoTerminal
	}
	fmt.Fprint(c.Err, Escape(question)+" ")
	text, err := readOrCancel(ctx, func() (string, error) { return readLine(c.In) })
	if err != nil {
		fmt.Fprintln(c.Err) // nobody ended the line
	}
	return text, err
}

// Confirm asks a yes-or-no question. Any answer but y or yes is a no.
func (c *Console) Confirm(ctx context.Context, question string) (bool, error) {
	text, err := c.Ask(ctx, question+" [y/N]")
	if err != nil {
		return false, err
	}
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "y" || text == "yes", nil
}

// Password prompts for a line without echo. The echo is restored even if ctx ends first.
func (c *Console) Password(ctx context.Context, question string) (string, error) {
	if !c.CanAsk() {
		return "", ErrNoTerminal
	}
	state, err := xterm.GetState(c.in)
	if err != nil {
		return "", err
	}
	defer func() {
		_ = xterm.Restore(c.in, state) // nothing better is left to do
		fmt.Fprintln(c.Err)
	}()
	fmt.Fprint(c.Err, Escape(question)+" ")
	return readOrCancel(ctx, func() (string, error) {
		b, err := xterm.ReadPassword(c.in)
		return string(b), err
	})
}

// readOrCancel runs read, which cannot be interrupted, until it returns or ctx ends.
func readOrCancel(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// readLine reads a line byte by byte, so that it consumes nothing after it.
func readLine(r io.Reader) (string, error) {
	var line []byte
	one := make([]byte, 1)
	for {
		n, err := r.Read(one)
		if n > 0 && one[0] == '\n' || errors.Is(err, io.EOF) && len(line) > 0 {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		if err != nil {
			return "", err
		}
		line = append(line, one[:n]...)
	}
}
