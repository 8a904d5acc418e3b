package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	xterm "golang.org/x/term"
)

// ErrNoTerminal is returned if a prompt is needed but there is no terminal.
var ErrNoTerminal = errors.New("there is no terminal to prompt on")

// ErrInputEnded is returned if the input ends before the answer, for example because of Ctrl-D.
var ErrInputEnded = errors.New("the input ended before the answer to the prompt")

// CanPrompt reports whether In and Err are terminals, as prompts require.
func (c *Console) CanPrompt() bool { return c.InTerminal && c.ErrTerminal }

// Ask prints a question and returns the line that the user types, without its line end. If ctx
// ends first, it returns the cause of ctx as the error.
func (c *Console) Ask(ctx context.Context, question string) (string, error) {
	if !c.CanPrompt() {
		return "", ErrNoTerminal
	}
	fmt.Fprint(c.Err, Escape(question)+" ")
	text, err := readAnswer(ctx, func() (string, error) { return readLine(c.In) })
	if err != nil {
		fmt.Fprintln(c.Err) // ends the line of the question
	}
	return text, err
}

// Confirm asks a yes-or-no question and reports whether the answer is y or yes. The end of the input is
// a no.
func (c *Console) Confirm(ctx context.Context, question string) (confirmed bool, err error) {
	text, err := c.Ask(ctx, question+" [y/N]")
	if errors.Is(err, ErrInputEnded) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "y" || text == "yes", nil
}

// Password is like [Console.Ask], but does not echo the input. It restores the echo even
// if ctx ends first.
func (c *Console) Password(ctx context.Context, question string) (string, error) {
	if !c.CanPrompt() {
		return "", ErrNoTerminal
	}
	state, err := xterm.GetState(c.in)
	if err != nil {
		return "", err
	}
	defer func() {
		_ = xterm.Restore(c.in, state)
		fmt.Fprintln(c.Err)
	}()
	fmt.Fprint(c.Err, Escape(question)+" ")
	return readAnswer(ctx, func() (string, error) {
		b, err := xterm.ReadPassword(c.in)
		return string(b), err
	})
}

// readAnswer returns the answer that readFunc reads. If ctx ends first, it returns the cause of ctx.
func readAnswer(ctx context.Context, readFunc func() (string, error)) (string, error) {
	text, err := Interruptible(ctx, readFunc)
	if errors.Is(err, io.EOF) {
		err = ErrInputEnded
	}
	return text, err
}

// readLine returns the next line of r without its line end. It reads byte by byte, so that it
// does not consume input after the line.
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
