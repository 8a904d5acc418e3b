package backup

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReadLine(t *testing.T) {
	const limit = 100 // more than the 16 bytes of the buffer
	lines := bufio.NewReaderSize(strings.NewReader("short\n"+strings.Repeat("a", limit-1)+"\n\nrest"), 16)
	for _, want := range []string{"short\n", strings.Repeat("a", limit-1) + "\n", "\n"} {
		if got, err := readLine(lines, limit); string(got) != want || err != nil {
			t.Errorf("read %q, %v", got, err)
		}
	}
	if got, err := readLine(lines, limit); string(got) != "rest" || !errors.Is(err, io.EOF) {
		t.Errorf("at the end %q, %v", got, err)
	}
	long := bufio.NewReaderSize(strings.NewReader(strings.Repeat("a", limit+1)), 16)
	if _, err := readLine(long, limit); !errors.Is(err, ErrDamaged) {
		t.Errorf("a line over the limit: %v", err)
	}
}
