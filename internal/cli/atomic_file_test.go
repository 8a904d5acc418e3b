package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/exit"
)

func TestInstallFile(t *testing.T) {
	for _, tt := range []struct {
		name    string
		install func(tempPath, path string) error
		force   bool
	}{
		{"with_hard_links", func(tempPath, path string) error { return InstallFile(tempPath, path, false) }, false},
		{"without_hard_links", renameExclusive, false},
		{"force", func(tempPath, path string) error { return InstallFile(tempPath, path, true) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "out.csv")
			install := func(content string) error {
				temp := filepath.Join(dir, "temp")
				if err := os.WriteFile(temp, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				return tt.install(temp, path)
			}
			if err := install("first"); err != nil {
				t.Fatal(err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("%d files remain, %v", len(entries), err)
			}
			err, want := install("second"), "first"
			if tt.force {
				want = "second"
			}
			if errors.Is(err, fs.ErrExist) == tt.force {
				t.Errorf("installed twice: %v", err)
			}
			if content, err := os.ReadFile(path); err != nil || string(content) != want {
				t.Errorf("the file has %q, %v; want %q", content, err, want)
			}
		})
	}
}

// TestWriteFileAtomicKeepsLinks writes twice through a link. The first call must create the
// target, the second must replace it, and the link must stay.
func TestWriteFileAtomicKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.html"), filepath.Join(dir, "link.html")
	if runtime.GOOS == "windows" {
		t.Skip("only administrators may create links")
	}
	if err := os.Symlink("target.html", link); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		err := CheckOutputPath(link, force, "")
		if err == nil {
			err = WriteFileAtomic(t.Context(), link, force, func(w io.Writer) error {
				_, err := fmt.Fprint(w, force)
				return err
			})
		}
		if err != nil {
			t.Errorf("force %v: %v", force, err)
		}
		if got, err := os.Readlink(link); got != "target.html" {
			t.Errorf("force %v: the link has the target %q, %v", force, got, err)
		}
		if content, err := os.ReadFile(target); string(content) != strconv.FormatBool(force) {
			t.Errorf("force %v: the file has %q, %v", force, content, err)
		}
	}
}

// TestWriteFileAtomic writes a file that another process creates at the same time.
func TestWriteFileAtomic(t *testing.T) {
	for _, force := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "report.html")
		err := WriteFileAtomic(t.Context(), path, force, func(w io.Writer) error {
			_, err := io.WriteString(w, "ours")
			return errors.Join(err, os.WriteFile(path, []byte("theirs"), 0o600))
		})
		want := "theirs"
		if force {
			want = "ours"
		}
		if errors.Is(err, fs.ErrExist) == force || err != nil && exit.FromError(t.Context(), err).Status != exit.Conflict {
			t.Errorf("force %v: error %v", force, err)
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != want {
			t.Errorf("force %v: the file has %q, %v; want %q", force, content, err, want)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("force %v: %d files remain, %v", force, len(entries), err)
		}
	}
}

// TestLongName writes a file whose name has the maximum length of common file systems.
func TestLongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	if err := CheckOutputPath(path, false, ""); err != nil {
		t.Fatal(err)
	}
	if err := WriteFileAtomic(t.Context(), path, false, func(io.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
	if err := CheckOutputPath(path+"n", false, "choose another file"); err == nil {
		t.Error("a name that is too long was accepted")
	}
}
