package tablefile

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// CheckEncoding returns an error if the named encoding is unsupported. An empty name is
// valid; it means that the encoding is detected.
func CheckEncoding(name string) error {
	if name == "" {
		return nil
	}
	_, err := findCharset(name)
	return err
}

// findCharset returns the named encoding, or nil for UTF-8. An unknown name is an error.
func findCharset(name string) (encoding.Encoding, error) {
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name)) {
	case "utf8", "ascii", "usascii":
		return nil, nil
	case "utf16":
		return charsetUTF16, nil
	case "utf16le":
		return charsetUTF16LE, nil
	case "utf16be":
		return charsetUTF16BE, nil
	case "latin1", "iso88591": // htmlindex has Windows-1252 for these names
		return charmap.ISO8859_1, nil
	case "windows1252", "cp1252", "ansi":
		return charmap.Windows1252, nil
	case "macroman":
		return charmap.Macintosh, nil
	case "cp850", "ibm850", "850": // cp850 and cp437 are encodings of the consoles of Windows, and not in the WHATWG encoding standard
		return charmap.CodePage850, nil
	case "cp437", "ibm437", "437":
		return charmap.CodePage437, nil
	}
	found, err := htmlindex.Get(name)
	if err != nil {
		return nil, fmt.Errorf("encoding %q: must be utf-8, utf-16, latin-1, windows-1252, cp850, cp437 or another name of the WHATWG encoding standard, such as shift_jis", name)
	}
	return found, nil
}

// detectUTF16 returns the name of a UTF-16 encoding if head starts with its byte order
// mark, or if the first two characters are ASCII characters in UTF-16. Otherwise it
// returns "".
func detectUTF16(head []byte) (charset string) {
	switch {
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return "UTF-16"
	case len(head) < 4:
		return ""
	}
	switch [4]bool{head[0] == 0, head[1] == 0, head[2] == 0, head[3] == 0} {
	case [4]bool{false, true, false, true}:
		return "UTF-16LE"
	case [4]bool{true, false, true, false}:
		return "UTF-16BE"
	}
	return ""
}

// transcode returns src converted from the named encoding to UTF-8. The reader returns a
// *csvfile.Defect for bytes that are invalid in this encoding.
func transcode(src io.Reader, name string) (io.Reader, error) {
	charset, err := findCharset(name)
	if err != nil || charset == nil {
		return src, err
	}
	if isUTF16(charset) {
		return transform.NewReader(newUTF16Reader(src, charset, name), charset.NewDecoder()), nil
	}
	return &strictReader{src: transform.NewReader(src, charset.NewDecoder()), name: name, line: 1}, nil
}

// strictReader reads decoded text and returns an error for the replacement character, which
// decoders write for invalid bytes. Valid text hardly ever contains this character, because most
// encodings cannot encode it.
type strictReader struct {
	src  io.Reader
	name string
	line int
	tail []byte // the end of the previous read, if it may be the beginning of a replacement character
	err  error
}

var replacementChar = []byte(string(utf8.RuneError))

// Read implements io.Reader.
func (r *strictReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.src.Read(p)
	piece := append(r.tail, p[:n]...)
	at := bytes.Index(piece, replacementChar)
	if at < 0 {
		r.line += bytes.Count(p[:n], []byte{'\n'})
		r.tail = append(r.tail[:0], piece[max(0, len(piece)-len(replacementChar)+1):]...)
		return n, err
	}
	r.err = newEncodingDefect(r.name, r.line+bytes.Count(piece[min(len(r.tail), at):at], []byte{'\n'}))
	return 0, r.err
}
