package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isControl reports whether r controls the terminal, ends a line, or changes the direction of the
// text around it.
func isControl(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// Escape makes control characters visible (\n, \t, \x1b, \u202e), so that text from a
// server or a file cannot break a line, control the terminal, or appear in another order.
func Escape(text string) string {
	if strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !isControl(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// EscapeForSpreadsheet is like [Escape], but also adds a single quote before a text that a
// spreadsheet would read as a formula. This protects against CSV injection, as OWASP recommends.
func EscapeForSpreadsheet(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	text = Escape(text)
	if strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + text
	}
	return text
}

// stripStyle returns text without the escape sequences of a [Style].
func stripStyle(text string) string {
	var b strings.Builder
	for {
		before, rest, styled := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !styled {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "m")
	}
}

// EscapeLines is like [Escape], but leaves line ends unchanged.
func EscapeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Escape(line)
	}
	return strings.Join(lines, "\n")
}

// EscapeText is like [Escape], but leaves line ends and tabs unchanged.
func EscapeText(text string) string {
	cells := strings.Split(text, "\t")
	for i, cell := range cells {
		cells[i] = EscapeLines(cell)
	}
	return strings.Join(cells, "\t")
}
