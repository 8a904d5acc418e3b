package frame

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Decoded is a stream in UTF-8. It must be closed, which does not close the
// stream it was made from.
type Decoded struct {
	io.Reader
	// Plain tells that the bytes are those of the source, unchanged.
	Plain bool
	// Packing names what the source was packed with, Charset what it was encoded
	// in; both are empty for plain UTF-8.
	Packing, Charset string

	close func() error
}

// Close frees what the decoding needed.
func (d *Decoded) Close() error {
	if d.close == nil {
		return nil
	}
	return d.close()
}

// maxWindow is the memory that a Zstandard file may ask for.
const maxWindow = 128 << 20

// Decode unpacks gzip and Zstandard, which it tells by their first bytes, and
// turns the text into UTF-8.
//
// The encoding is "utf-8", "utf-16", "utf-16le", "utf-16be", "latin-1"
// (ISO 8859-1) or "windows-1252", in upper or lower case and also without the
// hyphen. Defaults to UTF-8, or to UTF-16 if a byte order mark or NUL bytes say so.
func Decode(src io.Reader, encoding string) (*Decoded, error) {
	d := &Decoded{Plain: true}
	in, err := d.unpack(bufio.NewReaderSize(src, 64<<10))
	if err != nil {
		return nil, err
	}
	head, _ := in.Peek(4) // a shorter file has no mark; an error comes again with Read
	decode, mark, err := findCharset(encoding, head)
	if err != nil {
		return nil, joinClose(err, d)
	}
	d.Reader = in
	if decode != nil {
		d.Plain, d.Charset = false, cmp.Or(encoding, "UTF-16")
		if _, err := in.Discard(mark); err != nil {
			return nil, joinClose(err, d)
		}
		d.Reader = newTranscoder(in, decode)
	}
	return d, nil
}

func joinClose(err error, d *Decoded) error {
	_ = d.Close() // err is what went wrong
	return err
}

// unpack returns the content of a packed file.
func (d *Decoded) unpack(in *bufio.Reader) (*bufio.Reader, error) {
	head, _ := in.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte("\x1F\x8B")):
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("unpacking gzip: %w", err)
		}
		d.Plain, d.Packing, d.close = false, "gzip", unpacked.Close
		return bufio.NewReaderSize(unpacked, 64<<10), nil
	case bytes.HasPrefix(head, []byte("\x28\xB5\x2F\xFD")):
		unpacked, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("unpacking Zstandard: %w", err)
		}
		d.Plain, d.Packing, d.close = false, "Zstandard", func() error { unpacked.Close(); return nil }
		return bufio.NewReaderSize(unpacked, 64<<10), nil
	}
	return in, nil
}

// unmarked returns the decoder of UTF-16 without a mark, as the NUL bytes beside
// the first two characters of a header tell it; nil for UTF-8.
func unmarked(head []byte) charset {
	if len(head) < 4 {
		return nil
	}
	switch [4]bool{head[0] == 0, head[1] == 0, head[2] == 0, head[3] == 0} {
	case [4]bool{false, true, false, true}:
		return utf16Little
	case [4]bool{true, false, true, false}:
		return utf16Big
	}
	return nil
}

// findCharset returns the decoder for an encoding, nil for UTF-8, and the
// length of the byte order mark at the head of the text that it skips.
func findCharset(encoding string, head []byte) (decode charset, mark int, err error) {
	little, big := bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("\xFE\xFF"))
	if little || big {
		mark = 2
	}
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(encoding)) {
	case "":
		if little {
			return utf16Little, mark, nil
		}
		if big {
			return utf16Big, mark, nil
		}
		return unmarked(head), 0, nil
	case "utf8", "ascii", "usascii":
		return nil, 0, nil
	case "utf16":
		if big {
			return utf16Big, mark, nil
		}
		return utf16Little, mark, nil
	case "utf16le":
		return utf16Little, mark, nil
	case "utf16be":
		return utf16Big, mark, nil
	case "latin1", "iso88591":
		return latin1, 0, nil
	case "windows1252", "cp1252", "ansi":
		return windows1252, 0, nil
	}
	return nil, 0, fmt.Errorf("encoding %q: must be utf-8, utf-16, utf-16le, utf-16be, latin-1 or windows-1252", encoding)
}
