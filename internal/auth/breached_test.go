package auth

import (
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func writeBreached(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "breached.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBreachedPasswords looks up passwords in files of all sizes and line formats.
func TestBreachedPasswords(t *testing.T) {
	for _, format := range []string{"%X\n", "%x\r\n", "%X:%d\r\n"} {
		for n := 1; n < 40; n += 3 {
			var lines []string
			for i := range n {
				hash := sha1.Sum(fmt.Appendf(nil, "password %d", i))
				line := fmt.Sprintf(strings.Split(format, ":")[0], hash)
				if strings.Contains(format, ":") {
					line = fmt.Sprintf(format, hash, i*i*i*1000)
				}
				lines = append(lines, line)
			}
			slices.Sort(lines)
			text := strings.Join(lines, "")
			for _, text := range []string{text, strings.TrimRight(text, "\r\n")} {
				b, err := OpenBreachedPasswords(writeBreached(t, text))
				if err != nil {
					t.Fatal(err)
				}
				for i := range 2 * n {
					got, err := b.Contains(fmt.Sprintf("password %d", i))
					if err != nil || got != (i < n) {
						t.Errorf("password %d of %d: %v, %v", i, n, got, err)
					}
				}
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestBreachedPasswordsRefused(t *testing.T) {
	a, z := strings.Repeat("A", 40), strings.Repeat("F", 40)
	const noHash, noHashes = "not a SHA-1 hash", "the file has no hashes"
	for name, tt := range map[string]struct{ text, want string }{
		"empty": {"", noHashes}, "blank line": {"\n", noHashes}, "passwords": {"123456\n", noHash},
		"NTLM":     {strings.Repeat("A", 32) + ":3\n", noHash},
		"unsorted": {z + ":1\n" + a + ":1\n", "not sorted"},
		"long":     {strings.Repeat("A", 200), noHash}, "binary": {"\x00\x01", noHash},
	} {
		b, err := OpenBreachedPasswords(writeBreached(t, tt.text))
		if err == nil {
			_ = b.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
