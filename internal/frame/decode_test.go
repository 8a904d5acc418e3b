package frame

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func zstandard(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

func in16(text string, big bool) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if big {
			out = append(out, byte(unit>>8), byte(unit))
		} else {
			out = append(out, byte(unit), byte(unit>>8))
		}
	}
	return string(out)
}

func TestDecode(t *testing.T) {
	text := "id,name,ähm\n1,€ 😀,x\n"
	for _, c := range []struct {
		name, in, encoding, want string
		plain                    bool
	}{
		{name: "plain_text_passes", in: text, want: text, plain: true},
		{name: "the_mark_of_utf8_passes", in: "\uFEFF" + text, want: "\uFEFF" + text, plain: true},
		{name: "gzip", in: gzipped(t, text), want: text},
		{name: "gzip_of_several_members", in: gzipped(t, text) + gzipped(t, text), want: text + text},
		{name: "zstandard", in: zstandard(t, text), want: text},
		{name: "utf16_by_its_mark", in: in16("\uFEFF"+text, false), want: text},
		{name: "big_endian_by_its_mark", in: in16("\uFEFF"+text, true), want: text},
		{name: "utf16_by_name", in: in16(text, true), encoding: "UTF-16BE", want: text},
		{name: "packed_utf16", in: gzipped(t, in16("\uFEFF"+text, false)), want: text},
		{name: "latin1", in: "\xE4,\x80", encoding: "latin-1", want: "ä,\u0080"},
		{name: "windows1252", in: "\xE4,\x80", encoding: "Windows-1252", want: "ä,€"},
		{name: "empty", plain: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				d, err := Decode(src, c.encoding)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(d)
				if err != nil || string(got) != c.want || d.Plain != c.plain {
					t.Errorf("got %q, plain %v, %v", got, d.Plain, err)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}

	for _, c := range []struct{ name, in, encoding string }{
		{"cut_gzip", gzipped(t, text)[:20], ""},
		{"cut_zstandard", zstandard(t, text)[:12], ""},
		{"half_a_character", in16("\uFEFFab", false)[:5], ""},
		{"lone_surrogate", "\xFF\xFE\x00\xD8a\x00", ""},
		{"unknown_name", text, "ebcdic"},
	} {
		t.Run(c.name+"_is_an_error", func(t *testing.T) {
			d, err := Decode(strings.NewReader(c.in), c.encoding)
			if err == nil {
				_, err = io.ReadAll(d)
			}
			if err == nil {
				t.Error("no error")
			}
		})
	}
}
