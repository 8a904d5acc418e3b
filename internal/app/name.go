package app

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"foretell/internal/api"
)

// normalizeName returns a name in Unicode normalization form C, so that names that look equal are
// equal. If the name is too short or too long, or if api.CheckText rejects it, it returns a problem
// that names the field.
func normalizeName(field, name string) (string, error) {
	if err := api.CheckText(field, name, ""); err != nil {
		return "", err
	}
	name = norm.NFC.String(name)
	if n := utf8.RuneCountInString(name); n < api.MinNameLength || n > api.MaxNameLength {
		return "", api.NewFieldProblem(field, "must have %d to %d characters, got %d", api.MinNameLength, api.MaxNameLength, n)
	}
	return name, nil
}

// maxFileNameLength is the maximum length of a file name in characters.
const maxFileNameLength = 255

// normalizeFileName returns the name of an uploaded file without its folders, or "" if the file
// has no name. It removes characters that api.CheckText rejects, instead of rejecting the name,
// because the name is only shown to people.
func normalizeFileName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	if name == "." || name == "/" {
		return ""
	}
	runes := []rune(norm.NFC.String(name))
	return string(runes[:min(len(runes), maxFileNameLength)])
}
