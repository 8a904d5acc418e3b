package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func openFiles(t *testing.T, dir, writer string) *Files {
	t.Helper()
	f, err := Open(dir, writer)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// put stores the bytes of r. After an error of r nothing is stored.
func put(t *testing.T, f *Files, r io.Reader) (Info, error) {
	t.Helper()
	w, err := f.Create(t.Context())
	if err != nil {
		return Info{}, err
	}
	defer w.Abort()
	if _, err := io.Copy(w, r); err != nil {
		return Info{}, err
	}
	return w.Commit()
}

func TestPutOpenDelete(t *testing.T) {
	dir := t.TempDir()
	f := openFiles(t, dir, "a")
	info, err := put(t, f, strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("hello"))
	if info.Size != 5 || info.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("it is %+v", info)
	}
	r, err := f.Open(t.Context(), info.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Seek(1, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); string(b) != "ello" || r.Size != 5 || err != nil {
		t.Errorf("%q of %d bytes, %v", b, r.Size, err)
	}
	r.Close()
	if err := f.Delete(t.Context(), info.Key, info.Key); err != nil {
		t.Error(err)
	}
	if _, err := f.Open(t.Context(), info.Key); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v after the deletion", err)
	}
}

func TestIncompleteWritesLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	f := openFiles(t, dir, "a")
	t.Run("a source that fails", func(t *testing.T) {
		broken := errors.New("broken")
		_, err := put(t, f, io.MultiReader(strings.NewReader("hello"), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Error(err)
		}
	})
	t.Run("a context that ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, err := f.Create(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := w.Commit(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("a writer that is not committed", func(t *testing.T) {
		w, err := f.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.Abort()
		w.Abort()
	})
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("files %v", left)
	}
}

func TestFullDisk(t *testing.T) {
	full := "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("needs /dev/full, which only Linux has")
	}
	dir := t.TempDir()
	f := openFiles(t, dir, "a")
	w, err := f.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.file.Close()
	if w.file, err = os.OpenFile(full, os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("hello")); !errors.Is(err, ErrDiskFull) {
		t.Error(err)
	}
	w.Abort()
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("files %v are left", left)
	}
}

func FuzzKey(f *testing.F) {
	for _, key := range []string{"a-b", "../a-b", "a/../-b", "a-b.part", "A-b", "", "-", `a\b-c`, "a-b\x00"} {
		f.Add(key)
	}
	files := &Files{dir: "dir"}
	f.Fuzz(func(t *testing.T, key string) {
		path, err := files.blobPath(key)
		if err == nil && (filepath.Dir(path) != "dir" || filepath.Base(path) != key) {
			t.Errorf("%q leads to %s", key, path)
		}
	})
}
