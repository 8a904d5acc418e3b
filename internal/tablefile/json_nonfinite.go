package tablefile

import (
	"bufio"
	"bytes"
)

// nonFiniteReader reads JSON and replaces NaN, Infinity and -Infinity by values of the same length
// that mean a missing value. JSON does not have these numbers, but several programs, such as
// Python, write them by default.
type nonFiniteReader struct {
	src       *bufio.Reader
	inString  bool
	isEscaped bool   // the next byte follows a \ in a string
	rest      string // the rest of a replacement, for the next bytes of src
}

// nonFiniteNumbers holds the replacement of each number, which has the same length. The usual
// replacement is null with spaces. NaN is shorter than null, so it is replaced by an empty string.
var nonFiniteNumbers = []struct{ number, replacement string }{
	{"NaN", `"" `},
	{"Infinity", "null    "},
	{"-Infinity", "null     "},
}

// Read implements io.Reader.
func (r *nonFiniteReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	begin := copy(p[:n], r.rest)
	r.rest = r.rest[begin:]
	for i := begin; i < n; i++ {
		char := p[i]
		switch {
		case r.inString:
			switch {
			case r.isEscaped:
				r.isEscaped = false
			case char == '\\':
				r.isEscaped = true
			case char == '"':
				r.inString = false
			}
		case char == '"':
			r.inString = true
		case char == 'N' || char == 'I' || char == '-':
			if replacement := r.replacementAt(p[i:n]); replacement != "" {
				done := copy(p[i:n], replacement)
				r.rest = replacement[done:]
				i += done - 1
			}
		}
	}
	return n, err
}

// replacementAt returns the replacement if text starts with one of nonFiniteNumbers, and "" otherwise.
// If text ends within such a number, the rest of the number is at the start of r.src.
func (r *nonFiniteReader) replacementAt(text []byte) string {
	for _, one := range nonFiniteNumbers {
		here := min(len(text), len(one.number))
		if string(text[:here]) != one.number[:here] {
			continue
		}
		missing := one.number[here:]
		if next, _ := r.src.Peek(len(missing)); bytes.Equal(next, []byte(missing)) { // Read returns the error
			return one.replacement
		}
	}
	return ""
}
