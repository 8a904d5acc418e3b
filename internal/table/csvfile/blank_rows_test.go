package csvfile_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"foretell/internal/table/csvfile"
)

// TestBlankRowsBetweenReads reads a text in small parts, which end within blank rows.
func TestBlankRowsBetweenReads(t *testing.T) {
	const rows = "a,b\n,\n1,,\n,,\n\n2,3\n"
	for name, src := range map[string]io.Reader{
		"bytes":       iotest.OneByteReader(strings.NewReader(rows + ",\n,\n")),
		"halves":      iotest.HalfReader(strings.NewReader(rows + ",\n,\n")),
		"end at once": iotest.DataErrReader(strings.NewReader(rows + ",\n,\n")),
	} {
		left := 0
		got, err := io.ReadAll(csvfile.NewBlankRowTrimmer(src, ',', func(n int) { left += n }))
		if err != nil || !bytes.Equal(got, []byte(rows)) || left != 2 {
			t.Errorf("%s: %q, %v, %d rows left out", name, got, err, left)
		}
	}
	failing := io.MultiReader(strings.NewReader("a,b\n,\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	got, err := io.ReadAll(csvfile.NewBlankRowTrimmer(failing, ',', nil))
	if !errors.Is(err, io.ErrUnexpectedEOF) || string(got) != "a,b\n,\n" {
		t.Errorf("before an error: %q, %v", got, err)
	}
}
