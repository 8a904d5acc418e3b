package tablefile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"foretell/internal/table/csvfile"
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

// openText writes content to a file and opens it.
func openText(tb testing.TB, content string, opts Options) *Table {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "table")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	table := New([]File{{Name: "table", Path: path}}, opts)
	tb.Cleanup(func() {
		if err := table.Close(); err != nil {
			tb.Error(err)
		}
	})
	return table
}

// text returns the whole table as CSV.
func text(t *testing.T, table *Table) (string, error) {
	t.Helper()
	r, err := table.OpenCSV(t.Context())
	if err != nil {
		return "", err
	}
	all, err := io.ReadAll(iotest.HalfReader(r))
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return string(all), err
}

func TestPackedFileWithoutItsEnd(t *testing.T) {
	content := strings.Repeat("id,name\n1,x\n", 10)
	for name, packed := range map[string]string{"gzip": gzipped(t, content), "zstandard": zstandard(t, content)} {
		for _, cut := range []int{8, len(packed) - 3} {
			if _, err := text(t, openText(t, packed[:cut], Options{})); !errors.Is(err, errCutOff) {
				t.Errorf("%s, %d of %d bytes: %v", name, cut, len(packed), err)
			}
		}
	}
}

// TestBytesAfterGzip checks the errors for a gzip file that continues after its members, or whose last
// member is cut.
func TestBytesAfterGzip(t *testing.T) {
	packed := gzipped(t, "id,name\n1,x\n")
	for rest, want := range map[string]error{
		"x": errTrailing, "trailing text": errTrailing, "\x00\x00x": errTrailing, "\x00" + packed: errTrailing, "\x1F": errTrailing,
		"\x1F\x8B": errCutOff, packed[:12]: errCutOff, "\x1F\x8B 12345678": errDamaged,
	} {
		if _, err := text(t, openText(t, packed+rest, Options{})); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", rest, err, want)
		}
	}
}

func TestDamagedPackedFile(t *testing.T) {
	content := strings.Repeat("id,name\n1,x\n", 10)
	for name, packed := range map[string]string{"gzip": gzipped(t, content), "zstandard": zstandard(t, content)} {
		damaged := []byte(packed)
		damaged[len(damaged)-6] ^= 0x55 // in the checksum of gzip, or in the last block
		if _, err := text(t, openText(t, string(damaged), Options{})); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnsupportedFormats(t *testing.T) {
	tar := "folder/table.csv" + strings.Repeat("\x00", tarMagicOffset-16) + "ustar\x00" + strings.Repeat("\x00", 249)
	for _, c := range []struct{ in, want string }{
		{tar, "this is a tar archive"},
		{gzipped(t, tar), "this is a tar archive"},
		{"\xFF\xFE\x00\x00a\x00\x00\x00", "the text is UTF-32"},
		{"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "this is a pointer of Git LFS"},
		{"<?xml version=\"1.0\"?>\n<rows/>\n", "this is an XML file"},
		{"<html><table><tr><td>1</td></tr></table></html>", "this is a web page"},
		{strings.Repeat("\x00", 99), "the file has only NUL bytes"},
		{"\x80\x05\x95\x00", "this is a Python pickle"},
		{"RIFF\x24\x08\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00\xFF,\xFE\n", "this is a binary file of an unknown format"},
		{gzipped(t, "\x7FELF\x02\x01\x01"+strings.Repeat("\x00", 99)), "this is a binary file of an unknown format"},
		{"\xA9^n]\xDA@\xED,\x05A\x1E\x14\x01\n\x02,\x03\n", "this is a binary file of an unknown format"},
	} {
		_, err := text(t, openText(t, c.in, Options{}))
		var defect *csvfile.Defect
		if !errors.As(err, &defect) || defect.Code != csvfile.CodeBinary || !strings.HasPrefix(defect.Message, c.want) {
			t.Errorf("%.20q: %v", c.in, err)
		}
	}
}

func TestEncodingAndPacking(t *testing.T) {
	content := "id,name,ähm\n1,€ 😀,x\n"
	for _, c := range []struct{ name, in, encoding, want, form string }{
		{name: "plain_text_passes", in: content, want: content},
		{name: "the_mark_of_utf8_passes", in: "\uFEFF" + content, want: "\uFEFF" + content},
		{name: "gzip", in: gzipped(t, content), want: content, form: "gzip"},
		{name: "gzip_of_several_members", in: gzipped(t, content) + gzipped(t, content), want: content + content, form: "gzip"},
		{name: "gzip_with_zero_bytes_at_its_end", in: gzipped(t, content) + gzipped(t, content) + strings.Repeat("\x00", 9000), want: content + content, form: "gzip"},
		{name: "gzip_with_one_zero_byte", in: gzipped(t, content) + "\x00", want: content, form: "gzip"},
		{name: "gzip_of_nothing_and_another", in: gzipped(t, "") + gzipped(t, content), want: content, form: "gzip"},
		{name: "zstandard", in: zstandard(t, content), want: content, form: "Zstandard"},
		{name: "utf16_by_its_mark", in: in16("\uFEFF"+content, false), want: content, form: "UTF-16"},
		{name: "big_endian_by_its_mark", in: in16("\uFEFF"+content, true), want: content, form: "UTF-16"},
		{name: "utf16_without_a_mark", in: in16(content, false), want: content, form: "UTF-16LE"},
		{name: "utf16_by_name", in: in16(content, true), encoding: "UTF-16BE", want: content, form: "UTF-16BE"},
		{name: "utf16_with_a_replacement_character", in: in16("\uFEFF"+content+"2,\uFFFD,y\n", true), want: content + "2,\uFFFD,y\n", form: "UTF-16"},
		{name: "packed_utf16", in: gzipped(t, in16("\uFEFF"+content, false)), want: content, form: "gzip, UTF-16"},
		{name: "mac_roman", in: "\xCA\x9F", encoding: "mac_roman", want: "\u00A0ü", form: "mac_roman"},
		{name: "latin1", in: "\xE4,\x80", encoding: "latin-1", want: "ä,\u0080", form: "latin-1"},
		{name: "windows1252", in: "\xE4,\x80", encoding: "Windows-1252", want: "ä,€", form: "Windows-1252"},
		{name: "shift_jis", in: "\x93\xFA,x", encoding: "shift_jis", want: "日,x", form: "shift_jis"},
		{name: "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := openText(t, c.in, Options{Encoding: c.encoding})
			for range 2 { // the table can be read several times
				got, err := text(t, table)
				if err != nil || got != c.want || table.Description() != c.form {
					t.Errorf("got %q, read as %q, %v", got, table.Description(), err)
				}
			}
		})
	}

	for _, c := range []struct{ name, in, encoding string }{
		{"cut_gzip", gzipped(t, content)[:20], ""},
		{"cut_zstandard", zstandard(t, content)[:12], ""},
		{"half_a_character", in16("\uFEFFab", false)[:5], ""},
		{"lone_surrogate", "\xFF\xFE\x00\xD8a\x00", ""},
		{"bytes_that_the_encoding_lacks", "a,\x81\x20", "shift_jis"},
		{"unknown_name", content, "ebcdic"},
	} {
		t.Run(c.name+"_is_an_error", func(t *testing.T) {
			var known *Error
			if _, err := text(t, openText(t, c.in, Options{Encoding: c.encoding})); !errors.As(err, &known) || known.File != "table" {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestInvalidUTF16 reads text with half a surrogate pair, or half a code unit.
func TestInvalidUTF16(t *testing.T) {
	const valid = "id,x\n1,\U0001F600\n2,y\n"
	for name, in := range map[string]string{
		"low_surrogate":         in16("\uFEFF"+valid, false) + "\x00\xDE,\x00",
		"high_surrogate":        in16("\uFEFF"+valid, false) + "\x3D\xD8,\x00",
		"two_high_surrogates":   in16("\uFEFF"+valid, false) + "\x3D\xD8\x3D\xD8\x00\xDE",
		"high_at_the_end":       in16("\uFEFF"+valid, true) + "\xD8\x3D",
		"half_a_unit":           in16("\uFEFF"+valid, true) + "\x00",
		"swapped_byte_order":    in16("\uFEFF"+valid, false) + "\xDE\x00",
		"big_endian_surrogate":  in16("\uFEFF"+valid, true) + "\xDE\x00",
		"surrogate_without_bom": in16(valid, false) + "\x00\xDE",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := text(t, openText(t, in, Options{}))
			var defect *csvfile.Defect
			isInvalid := errors.As(err, &defect) && defect.Code == csvfile.CodeInvalidEncoding && defect.Line == 4
			if wantValid := name == "swapped_byte_order"; isInvalid == wantValid || wantValid && err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}
