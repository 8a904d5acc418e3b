package dashboard

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"foretell/internal/table/csvfile"
)

// textReader reads a file and checks that it is UTF-8 without NUL bytes. At the first invalid
// chunk, Read returns a *csvfile.Defect.
type textReader struct {
	src io.Reader
	// isCut reports whether src may end within a character, because it is only a part of a file.
	isCut bool

	begun []byte // the first bytes of a character whose other bytes have not been read
	lines int    // number of line feeds read
}

// Read implements io.Reader.
func (r *textReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if defect := r.check(p[:n]); defect != nil {
		return 0, defect
	}
	if errors.Is(err, io.EOF) && len(r.begun) > 0 && !r.isCut {
		return 0, r.defect(r.begun)
	}
	return n, err
}

// check returns a *csvfile.Defect if text, which holds the next bytes of the file, is not UTF-8 or has a
// NUL byte. If text ends within a character, check keeps its first bytes in begun, and the next call
// checks them.
func (r *textReader) check(text []byte) error {
	for len(r.begun) > 0 && len(text) > 0 {
		if r.begun, text = append(r.begun, text[0]), text[1:]; utf8.FullRune(r.begun) {
			if !utf8.Valid(r.begun) {
				return r.defect(r.begun)
			}
			r.begun = r.begun[:0]
		}
	}
	end := len(text)
	for at := end - 1; at >= max(0, end-utf8.UTFMax); at-- {
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				r.begun, end = append(r.begun, text[at:]...), at
			}
			break
		}
	}
	if text = text[:end]; !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return r.defect(text)
	}
	r.lines += bytes.Count(text, []byte("\n"))
	return nil
}

// defect returns a *csvfile.Defect for a text that is not UTF-8 or has a NUL byte. The line of the
// defect is the line of the first invalid byte or NUL byte.
func (r *textReader) defect(text []byte) error {
	at := 0
	for at < len(text) && text[at] != 0 {
		char, size := utf8.DecodeRune(text[at:])
		if char == utf8.RuneError && size < 2 {
			break
		}
		at += size
	}
	d := &csvfile.Defect{Code: csvfile.CodeInvalidUTF8, Line: 1 + r.lines + bytes.Count(text[:at], []byte("\n"))}
	d.Message = "the file is not UTF-8, but perhaps Windows-1252 or Latin-1: save it as UTF-8, or send it with the command `foretell datasets create` or `foretell predict`, which converts it"
	if at < len(text) && text[at] == 0 {
		d.Message = "the file has a NUL byte: save the table as CSV in UTF-8"
	}
	return d
}
