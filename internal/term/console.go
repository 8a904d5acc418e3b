// Package term has everything that depends on whether a command's streams are
// terminals: tables, progress, the live race, prompts, colour and width.
//
// The rules of the terminal:
//
//   - What a command prints never depends on the terminal, only how it looks:
//     a table is aligned and fitted to the width on a terminal, and is TSV with
//     full values in a pipe.
//   - Standard output carries the result. Progress, notices and prompts go to
//     standard error.
//   - Lines are redrawn only on a terminal that can move its cursor and that
//     somebody watches: not with TERM=dumb, and not in CI.
//   - Control characters that come from a server or a file are escaped.
package term

import (
	"io"
	"os"
	"strconv"

	xterm "golang.org/x/term"
)

// Console holds the three standard streams of a command, and the abilities of the terminal.
type Console struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// InTerminal, OutTerminal and ErrTerminal are set if In, Out and Err are terminals.
	InTerminal, OutTerminal, ErrTerminal bool
	// Redraw is set if lines on Err may be redrawn in place.
	Redraw bool
	// Unicode is set if the terminal can show more than ASCII.
	Unicode bool
	// OutStyle and ErrStyle colour the text that is written to Out and Err.
	OutStyle, ErrStyle Style

	columns int // value of COLUMNS; 0 if it is not set
	in      int // in, out and err are the file descriptors of the streams; -1 if a stream has none
	out     int
	err     int
}

// defaultWidth is used if the width of a terminal is unknown.
const defaultWidth = 80

// OpenConsole returns the console of three streams. The function env returns environment variables:
// TERM, CI, COLUMNS, NO_COLOR, CLICOLOR_FORCE and the locale. color is "always", "never" or
// "auto", which uses colour if the variables and the terminal allow it.
func OpenConsole(in, out, err *os.File, env func(string) string, color string) *Console {
	c := &Console{
		In: in, Out: out, Err: err,
		in: int(in.Fd()), out: int(out.Fd()), err: int(err.Fd()),
	}
	c.InTerminal = xterm.IsTerminal(c.in)
	c.OutTerminal = xterm.IsTerminal(c.out) && enableEscapes(out)
	c.ErrTerminal = xterm.IsTerminal(c.err) && enableEscapes(err)
	dumb := env("TERM") == "dumb"
	c.Unicode = supportsUnicode(env)
	c.Redraw = c.ErrTerminal && !dumb && env("CI") == ""
	colored := func(terminal bool) Style {
		switch {
		case color == "always":
			return true
		case color == "never", env("NO_COLOR") != "":
			return false
		case env("CLICOLOR_FORCE") != "" && env("CLICOLOR_FORCE") != "0":
			return true
		}
		return Style(terminal && !dumb)
	}
	c.OutStyle, c.ErrStyle = colored(c.OutTerminal), colored(c.ErrTerminal)
	if n, e := strconv.Atoi(env("COLUMNS")); e == nil && n > 0 {
		c.columns = n
	}
	return c
}

// OutWidth returns the number of columns of the terminal at Out. It defaults to 80.
func (c *Console) OutWidth() int { return c.width(c.out) }

// MustFitOutWidth reports whether text for Out must fit into OutWidth. It must if Out is a terminal
// or COLUMNS is set.
func (c *Console) MustFitOutWidth() bool { return c.OutTerminal || c.columns > 0 }

// OutHeight returns the number of lines of the terminal at Out, or 0 if it is unknown.
func (c *Console) OutHeight() int {
	if _, height, err := xterm.GetSize(c.out); err == nil {
		return height
	}
	return 0
}

// ErrWidth returns the number of columns of the terminal at Err. It defaults to 80.
func (c *Console) ErrWidth() int { return c.width(c.err) }

// WrapMessage wraps a message to the width of Err if Err is a terminal.
func (c *Console) WrapMessage(message string) string {
	if !c.ErrTerminal {
		return message
	}
	return WrapLines(message, c.ErrWidth())
}

func (c *Console) width(fd int) int {
	if c.columns > 0 {
		return c.columns
	}
	if w, _, err := xterm.GetSize(fd); err == nil && w > 0 {
		return w
	}
	return defaultWidth
}

// errHeight returns the number of lines of the terminal that Err writes to, or 0 if it is unknown.
func (c *Console) errHeight() int {
	_, h, err := xterm.GetSize(c.err)
	if err != nil {
		return 0
	}
	return h
}

// Style is true if text is coloured. If it is false, the methods return text unchanged.
type Style bool

func (s Style) applyCode(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold returns bold text.
func (s Style) Bold(text string) string { return s.applyCode("1", text) }

// Dim returns dimmed text.
func (s Style) Dim(text string) string { return s.applyCode("2", text) }

// Red returns text in the colour of failures.
func (s Style) Red(text string) string { return s.applyCode("31", text) }

// Green returns text in the colour of success.
func (s Style) Green(text string) string { return s.applyCode("32", text) }

// Yellow returns text in the colour of warnings.
func (s Style) Yellow(text string) string { return s.applyCode("33", text) }

// Cyan returns text in the colour of work in progress.
func (s Style) Cyan(text string) string { return s.applyCode("36", text) }
