package tablefile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"foretell/internal/table/csvfile"
)

// sheetDecoder is an XML decoder that limits the size of a token to maxToken bytes,
// because an xml.Decoder keeps a whole token in memory.
type sheetDecoder struct {
	*xml.Decoder
	source *tokenByteCounter
}

// tokenByteCounter counts the bytes that have been read since the last call of RawToken.
type tokenByteCounter struct {
	src        io.Reader
	sinceToken int
}

func newSheetDecoder(src io.Reader) *sheetDecoder {
	source := &tokenByteCounter{src: src}
	return &sheetDecoder{xml.NewDecoder(source), source}
}

// RawToken returns the next token, as xml.Decoder.RawToken does.
func (d *sheetDecoder) RawToken() (xml.Token, error) {
	d.source.sinceToken = 0
	return d.Decoder.RawToken()
}

// Read implements io.Reader. It returns an error if a token is too long.
func (s *tokenByteCounter) Read(p []byte) (int, error) {
	if s.sinceToken > maxToken {
		return 0, &csvfile.Defect{Code: csvfile.CodeTooLong, Message: fmt.Sprintf("a cell exceeds %d MiB", maxToken>>20)}
	}
	n, err := s.src.Read(p)
	s.sinceToken += n
	return n, err
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readText returns the text of the <t> elements before the end tag named end, except elements in
// phonetic runs.
func readText(d *sheetDecoder, end string) (string, error) {
	var text strings.Builder
	inText, spoken := false, false
	for {
		token, err := d.RawToken()
		if err != nil {
			return "", eofAsUnexpected(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			inText = t.Name.Local == "t"
			spoken = spoken || t.Name.Local == "rPh"
		case xml.CharData:
			if inText && !spoken {
				text.Write(t)
			}
		case xml.EndElement:
			inText = false
			if t.Name.Local == "rPh" {
				spoken = false
			}
			if t.Name.Local == end {
				return unescape(text.String()), nil
			}
		}
	}
}

func eofAsUnexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

var escapes = strings.NewReplacer("_x000D_", "\r", "_x000A_", "\n", "_x0009_", "\t", "_x005F_", "_")

// unescape replaces escaped control characters, such as _x000D_, by the characters. The
// text _x000D_ itself is escaped as _x005F_x000D_.
func unescape(text string) string { return escapes.Replace(text) }
