package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	xterm "golang.org/x/term"
)

// ErrNoTerminal means that a question was needed and nobody is there to
// answer it.
var ErrNoTerminal = errors.New("there is no terminal to ask on")

// CanAsk reports whether a question can be asked: both the question's stream and
// the answer's have to be a terminal.
func (c *Console) CanAsk() bool { return c.InTerminal && c.ErrTerminal }

// Ask asks for a line and gives it without its end. It returns when ctx ends,
// too.
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

// Confirm asks a question that is answered by y or n. Anything but y or yes is
// a no.
func (c *Console) Confirm(ctx context.Context, question string) (bool, error) {
	text, err := c.Ask(ctx, question+" [y/N]")
	if err != nil {
		return false, err
	}
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "y" || text == "yes", nil
}

// Password asks for a line that is not shown. The terminal shows what is typed
// again afterwards, also when ctx ends first.
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

// readOrCancel runs read, which cannot be interrupted, beside the wait for ctx.
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

// readLine reads up to the end of a line, one byte at a time so that nothing
// after it is swallowed.
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
