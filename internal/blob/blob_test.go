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

func TestPutOpenDelete(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := place.open(t, "a")
		info, err := put(t, s, strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte("hello"))
		if info.Size != 5 || info.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("it is %+v", info)
		}
		wantContent(t, place.open(t, "b"), info.Key, "hello")
		wantNames(t, "the store", names(t, s), info.Key)
		if keys, err := s.Keys(t.Context()); err != nil {
			t.Error(err)
		} else {
			wantNames(t, "the keys", keys, info.Key)
		}
		if err := s.Delete(t.Context(), info.Key, info.Key); err != nil {
			t.Error(err)
		}
		_, err = s.Open(t.Context(), info.Key)
		wantError(t, err, ErrNotFound)
	})
}

func TestEmptyBlob(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := place.open(t, "a")
		wantContent(t, s, mustPut(t, s, ""), "")
	})
}

// TestLargeBlob writes a blob of several parts, the last of them small.
func TestLargeBlob(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := place.open(t, "a")
		content := strings.Repeat("0123456789abcdef", 2*partSize/16) + "the end"
		info, err := put(t, s, iotest.HalfReader(strings.NewReader(content)))
		if err != nil {
			t.Fatal(err)
		}
		wantContent(t, s, info.Key, content)
		wantNames(t, "the store", names(t, s), info.Key)
		t.Run("verified", func(t *testing.T) {
			r, err := s.OpenVerified(t.Context(), info)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			if err := r.Verify(); err != nil {
				t.Error(err)
			}
		})
		t.Run("ranges", func(t *testing.T) {
			r, err := s.Open(t.Context(), info.Key)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for _, at := range []int64{partSize - 3, 5, info.Size - 4, 0, info.Size} {
				if got, err := r.Seek(at, io.SeekStart); got != at || err != nil {
					t.Fatal(got, err)
				}
				want := content[at:min(at+10, info.Size)]
				if b, err := io.ReadAll(io.LimitReader(r, 10)); string(b) != want || err != nil {
					t.Errorf("%q at %d, want %q, %v", b, at, want, err)
				}
			}
			if end, err := r.Seek(-2, io.SeekEnd); end != info.Size-2 || err != nil {
				t.Error(end, err)
			}
			if _, err := r.Seek(-1, io.SeekStart); err == nil {
				t.Error("a blob has bytes before its start")
			}
		})
	})
}

func TestIncompleteWritesLeaveNothing(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := place.open(t, "a")
		for _, size := range []int{5, 2*partSize + 5} {
			incomplete(t, s, strings.Repeat("x", size))
		}
		wantNames(t, "the store", names(t, s))
	})
}

// incomplete begins blobs and aborts each of them in a different way.
func incomplete(t *testing.T, s *Store, content string) {
	t.Helper()
	t.Run("a source that fails", func(t *testing.T) {
		broken := errors.New("broken")
		_, err := put(t, s, io.MultiReader(strings.NewReader(content), iotest.ErrReader(broken)))
		wantError(t, err, broken)
	})
	t.Run("a context that ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, err := s.Create(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		cancel()
		_, err = w.Commit()
		wantError(t, err, context.Canceled)
	})
	t.Run("a writer that is not committed", func(t *testing.T) {
		w, err := s.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.Abort()
		w.Abort()
	})
}

func TestIdentity(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := place.open(t, "a")
		for _, want := range []string{"", "first", "second"} {
			if want != "" {
				if err := s.SetIdentity(t.Context(), want); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := place.open(t, "b").Identity(t.Context()); got != want || err != nil {
				t.Errorf("identity %q, %v, want %q", got, err, want)
			}
		}
		wantNames(t, "the store", names(t, s))
	})
}

func TestFullDisk(t *testing.T) {
	full := "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("needs /dev/full, which only Linux has")
	}
	dir := t.TempDir()
	s, err := OpenFolder(dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sink := w.sink.(*fileSink)
	sink.file.Close()
	if sink.file, err = os.OpenFile(full, os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	_, err = w.Write([]byte("hello"))
	wantError(t, err, ErrDiskFull)
	w.Abort()
	wantNames(t, "the folder", names(t, s))
}

func FuzzKey(f *testing.F) {
	for _, key := range []string{"a-b", "../a-b", "a/../-b", "a-b.part", "A-b", "", "-", `a\b-c`, "a-b\x00"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		path := (&folder{dir: "dir"}).path(key)
		if err := checkKey(key); err == nil && (filepath.Dir(path) != "dir" || filepath.Base(path) != key) {
			t.Errorf("%q leads to %s", key, path)
		}
	})
}
