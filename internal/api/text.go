package api

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckText returns a problem about the field with this name if a text has no visible character,
// has control characters that are not in allowed, or has characters that change the direction of
// writing.
func CheckText(field, text, allowed string) error {
	visible := false
	for _, r := range text {
		switch {
		case strings.ContainsRune(allowed, r):
		case IsControl(r):
			return NewFieldProblem(field, "must not have control characters, but has %U", r)
		case !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r): // Cf is the class of invisible format characters
			visible = true
		}
	}
	if !visible {
		return NewFieldProblem(field, "must not be blank")
	}
	return nil
}

// IsControl reports whether r is a control character, ends a line, changes the direction of writing, or
// stands for invalid UTF-8.
func IsControl(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) || r == utf8.RuneError
}

// fileNameEscapes has the three characters that are escaped in a file name; see [DecodeFileName].
var fileNameEscapes = strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n")

// DecodeFileName returns the name of a file in a form, as it was before the browser or HTTP client
// escaped it. A percent sign is not escaped; see "Multipart form data" in the HTML standard of the
// WHATWG.
func DecodeFileName(escaped string) string { return fileNameEscapes.Replace(escaped) }
